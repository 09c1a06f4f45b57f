"""Counts what a rendering does, and ends it when it does too much.

Made per text by `syncline.core.appset.engine`; the executor and every function whose work grows faster
than its arguments spend from it before they begin.
"""

from __future__ import annotations

from syncline.core.appset.gotemplate.errors import LimitExceeded
from syncline.core.appset.limits import Limits


class Budget:
    """How many steps are left, and how long a text may become."""

    __slots__ = ("limits", "steps")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.steps = limits.max_steps

    def spend(self, steps: int) -> None:
        """Take steps away; the last one ends the rendering."""
        self.steps -= steps
        if self.steps < 0:
            raise LimitExceeded(f"the template needs more than {self.limits.max_steps} steps: make its loops shorter")

    def text(self, size: int) -> None:
        """Take what making a text of this size costs."""
        if size > self.limits.max_output:
            raise LimitExceeded(
                f"the template makes a text of more than {self.limits.max_output} characters: make it shorter"
            )
        self.spend(size >> 6)

    def items(self, count: int) -> None:
        """Take what making a list of this length costs."""
        self.spend(count)

    def depth(self, depth: int) -> None:
        """End a rendering that descends too far."""
        if depth > self.limits.max_depth:
            raise LimitExceeded(f"the template nests more than {self.limits.max_depth} levels: make it flatter")
