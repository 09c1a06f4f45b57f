"""Time, new names and chance, as things that are handed in.

Deciding code never reads them; it is given `as_of`. The controller and the sandbox take them from here, so that a test
can run hours in milliseconds and repeat a run from its seed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Wall time for people and objects, monotonic time for durations."""

    def now(self) -> datetime:
        """Return the wall time in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back; only differences mean anything."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Ids(Protocol):
    """Names that nobody has used before."""

    def uid(self) -> str:
        """Return a new UUID text."""
        ...

    def suffix(self, length: int = 5) -> str:
        """Return a random name ending from the letters and digits Kubernetes uses."""
        ...


class Chance(Protocol):
    """Randomness for jitter and simulated faults."""

    def uniform(self, low: float, high: float) -> float:
        """Return a number between low and high."""
        ...
