"""How long passes took, for `/metrics`: counted by namespace and lane, in the buckets that Argo CD has.

Kept by `syncline.controller.runtime.loop`, one for each subject. Bounded: where there are too many lanes, those that
are new are counted together.
"""

from __future__ import annotations

from typing import Final

BUCKETS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Upper bounds in seconds."""
_MOST = 1_000
_OTHERS = ("", "")


class Timing:
    """Durations by namespace and lane."""

    def __init__(self) -> None:
        self.counts: dict[tuple[str, str], list[int]] = {}
        """How many passes took at most as long as each bucket; the last is all of them."""
        self.seconds: dict[tuple[str, str], float] = {}

    def took(self, where: tuple[str, str], seconds: float) -> None:
        """Count one pass."""
        place = where if where in self.counts or len(self.counts) < _MOST else _OTHERS
        counts = self.counts.setdefault(place, [0] * (len(BUCKETS) + 1))
        for at, bound in enumerate(BUCKETS):
            if seconds <= bound:
                counts[at] += 1
        counts[-1] += 1
        self.seconds[place] = self.seconds.get(place, 0.0) + seconds
