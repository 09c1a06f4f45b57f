"""Runs scripts written by users: Lua health checks and actions, jq paths.

Implemented by `syncline.adapters.scripts` in killable workers, in batches; the deciding code receives the results as
the values of `syncline.model.script`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from syncline.model.script import Evaluated, Script


class Evaluator(Protocol):
    """Runs scripts within limits of time and memory. Never raises for what a script does."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        """Return one result per script, in order; a value may share parts with the object it was made from."""
        ...

    async def close(self) -> None:
        """End whatever runs; the evaluator may be used again and restarts."""
        ...
