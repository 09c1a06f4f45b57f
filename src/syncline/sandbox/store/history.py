"""The changes that watches and later pages of a list can still ask for, bounded by age, number and size.

Held by `syncline.sandbox.store.store`, which adds every change and answers 410 Expired about older versions.
kube-apiserver compacts etcd every five minutes; without that a busy cluster would keep every version of every object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from syncline.sandbox.store.store import StoreEvent

_COMPACTION_SECONDS: Final = 300.0
_COMPACTION_BYTES: Final = 32 << 20


class HistoryLimits(NamedTuple):
    """How much history is kept: whichever is reached first forgets the oldest change."""

    changes: int = 10_000
    seconds: float = _COMPACTION_SECONDS
    size: int = _COMPACTION_BYTES
    """Bytes of object bodies."""


class History:
    """The newest changes, oldest first."""

    def __init__(self, limits: HistoryLimits) -> None:
        self._limits = limits
        self._kept: deque[tuple[float, StoreEvent]] = deque()
        self._size = 0
        self.compacted = 0
        """Changes up to this version are forgotten."""

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[StoreEvent]:
        return (event for _, event in self._kept)

    def append(self, event: StoreEvent, now: float) -> None:
        """Add the newest change, and forget what is beyond the limits; `now` is monotonic."""
        self._kept.append((now, event))
        self._size += len(event.row.body)
        while len(self._kept) > 1 and self._beyond(now):
            self._drop()

    def compact(self, version: int) -> None:
        """Forget the changes up to `version`."""
        while self._kept and self._kept[0][1].version <= version:
            self._drop()
        self.compacted = max(self.compacted, version)

    def _beyond(self, now: float) -> bool:
        limits = self._limits
        too_old = now - self._kept[0][0] > limits.seconds
        return too_old or len(self._kept) > limits.changes or self._size > limits.size

    def _drop(self) -> None:
        _, event = self._kept.popleft()
        self._size -= len(event.row.body)
        self.compacted = event.version
