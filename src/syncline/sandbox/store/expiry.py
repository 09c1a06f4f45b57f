"""Deletes Events some time after they were last written, and the oldest when there are too many.

Started by `syncline.sandbox.server`; it hears of every change in the store, whoever wrote the Event. kube-apiserver
keeps Events for an hour (--event-ttl) and does not limit their number; a sandbox has the memory of one process.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from syncline.ports.clock import Clock
from syncline.sandbox.errors import StatusError
from syncline.sandbox.store.store import Bucket, ObjectStore, RowKey, StoreEvent
from syncline.sandbox.timers import Timers

_EVENTS: Final = Bucket("", "events")
_SLACK: Final = 0.001
_AGAIN: Final = 60.0


class EventExpiry:
    """When each Event was last written, oldest first."""

    def __init__(self, store: ObjectStore, timers: Timers, clock: Clock, *, seconds: float, limit: int) -> None:
        self._store = store
        self._timers = timers
        self._clock = clock
        self._seconds = seconds
        self._limit = limit
        self._written: OrderedDict[RowKey, float] = OrderedDict()
        self._planned = False
        self._crowded = False
        self._unsubscribe: Callable[[], None] = lambda: None

    def start(self) -> None:
        """Follow the store; Events that are there already count as written now."""
        self._unsubscribe = self._store.subscribe(self._on_event)
        for row in sorted(self._store.rows(_EVENTS), key=lambda row: row.version):
            self._written[row.place] = self._clock.monotonic()
        self._plan()

    def stop(self) -> None:
        """Delete nothing any more."""
        self._unsubscribe()

    def _on_event(self, event: StoreEvent) -> None:
        place = event.row.place
        if place.bucket != _EVENTS:
            return
        self._written.pop(place, None)
        if event.type == "DELETED":
            return
        self._written[place] = self._clock.monotonic()
        self._plan()
        if len(self._written) > self._limit and not self._crowded:
            # Not here: others have yet to hear of the change that is being told.
            self._crowded = True
            self._timers.call_later(0.0, self._expire)

    def _plan(self) -> None:
        """Have somebody look when the oldest expires."""
        if self._planned or not self._written:
            return
        self._planned = True
        oldest = next(iter(self._written.values()))
        self._timers.call_later(oldest + self._seconds - self._clock.monotonic(), self._on_time)

    def _on_time(self) -> None:
        self._planned = False
        self._expire()
        self._plan()

    def _expire(self) -> None:
        self._crowded = False
        # A time plus an age less the age need not be the time: without slack this would run again at once, for ever.
        before = self._clock.monotonic() - self._seconds + _SLACK
        while self._written:
            place, written = next(iter(self._written.items()))
            if written > before and len(self._written) <= self._limit:
                return
            row = self._store.at(place)
            try:
                if row is not None:
                    self._store.remove(row)
            except StatusError:
                # A full disk: clients are told when they write.
                self._timers.call_later(_AGAIN, self._expire)
                return
            self._written.pop(place, None)
