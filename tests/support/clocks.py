"""Time, ids and chance for tests: the clock of the running loop, and names and numbers drawn from a seed.

They implement `syncline.ports.clock` and are handed to the controller and the sandbox. Under the loops of
`tests/support/loops` time is virtual; under an ordinary loop it runs at the real rate from the same beginning.
"""

import random
import uuid
from datetime import UTC, datetime, timedelta

from syncline.adapters import virtual_time

BEGINNING = datetime(2030, 1, 1, tzinfo=UTC)
# No vowels and nothing that looks alike: the letters Kubernetes ends generated names with.
LETTERS = "bcdfghjklmnpqrstvwxz2456789"


class LoopClock(virtual_time.LoopClock):
    """The loop's time; wall time begins at `beginning` and can be set wrong with `shift`."""

    def __init__(self, beginning: datetime = BEGINNING) -> None:
        super().__init__(beginning)
        self._shift = timedelta()

    def now(self) -> datetime:
        """Return the wall time in UTC."""
        return super().now() + self._shift

    def shift(self, seconds: float) -> None:
        """Set the wall clock forward, or back; monotonic time does not move."""
        self._shift += timedelta(seconds=seconds)

    def reset(self) -> None:
        """Set the wall clock right again."""
        self._shift = timedelta()


class SeededIds:
    """Names drawn from a seed; two with different seeds do not collide in practice."""

    def __init__(self, seed: int | str = 0) -> None:
        self._random = random.Random(f"ids-{seed}")

    def uid(self) -> str:
        """Return a new UUID text."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def suffix(self, length: int = 5) -> str:
        """Return a random name ending."""
        return "".join(self._random.choice(LETTERS) for _ in range(length))


class SeededChance:
    """Randomness drawn from a seed."""

    def __init__(self, seed: int | str = 0) -> None:
        self._random = random.Random(f"chance-{seed}")

    def uniform(self, low: float, high: float) -> float:
        """Return a number between low and high."""
        return self._random.uniform(low, high)
