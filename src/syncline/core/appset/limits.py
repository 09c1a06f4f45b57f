"""How much one rendering may do and give, so that a hostile template costs no more than an honest one.

Handed by callers to `syncline.core.appset.template`. What is counted is work and text, not time: the same template
with the same parameters ends the same way on every machine.
"""

from __future__ import annotations

from typing import NamedTuple

MOST_PARAMETERS = 50_000
"""Sets of parameters that one generator may give; far fewer Applications fit into a cluster."""
MOST_CHARACTERS = 256 * 1024 * 1024
"""Characters that are filled in for all Applications of a set."""


class Limits(NamedTuple):
    """Bounds on one text that is rendered; the defaults are far above what any Application needs."""

    max_input: int = 2 * 1024 * 1024
    """Characters of the template text."""
    max_output: int = 2 * 1024 * 1024
    """Characters of the result, and of any text made on the way; an object of a cluster holds less."""
    max_steps: int = 1_000_000
    """Actions, arguments, calls and rounds of loops; work inside of functions is counted by its size."""
    max_depth: int = 60
    """Templates that call templates, actions inside of actions, and values inside of values."""


class Spent:
    """How many characters were filled in for a set so far."""

    def __init__(self) -> None:
        self._characters = 0

    def add(self, characters: int) -> bool:
        """Count what one text has; tell whether that is still within the bound."""
        self._characters += characters
        return self._characters <= MOST_CHARACTERS
