"""Which Application is looked at next: a queue of keys, coalesced and fair.

Fed by watches, timers and the source poller; emptied by the workers of `syncline.controller.controller`. A key that is
already waiting is not added twice, and one that is being worked on is taken up again afterwards.
"""

from __future__ import annotations

import asyncio
import heapq
from typing import NamedTuple

from syncline.ports.clock import Clock


class AppKey(NamedTuple):
    """Namespace and name of an Application."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


class WorkQueue:
    """Keys to work on, now or later."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ready: dict[AppKey, None] = {}
        self._busy: set[AppKey] = set()
        self._again: set[AppKey] = set()
        self._later: list[tuple[float, AppKey]] = []
        self._due: dict[AppKey, float] = {}
        self._wake = asyncio.Event()

    def add(self, key: AppKey) -> None:
        """Work on a key as soon as possible."""
        if key in self._busy:
            self._again.add(key)
            return
        self._ready[key] = None
        self._wake.set()

    def add_after(self, key: AppKey, seconds: float) -> None:
        """Work on a key later, unless that is already due earlier."""
        due = self._clock.monotonic() + seconds
        if self._due.get(key, float("inf")) <= due:
            return
        self._due[key] = due
        heapq.heappush(self._later, (due, key))
        self._wake.set()

    def idle(self) -> bool:
        """Whether nothing waits to be worked on now and nothing is being worked on."""
        return not self._ready and not self._busy

    async def take(self) -> AppKey:
        """Return the key that waits longest; the caller says `done` afterwards."""
        while True:
            self._promote()
            if self._ready:
                key = next(iter(self._ready))
                del self._ready[key]
                self._busy.add(key)
                return key
            await self._sleep()

    def done(self, key: AppKey) -> None:
        """Say that a taken key was worked on."""
        self._busy.discard(key)
        if key in self._again:
            self._again.discard(key)
            self.add(key)

    def _promote(self) -> None:
        now = self._clock.monotonic()
        while self._later and self._later[0][0] <= now:
            due, key = heapq.heappop(self._later)
            if self._due.get(key) == due:
                del self._due[key]
                self.add(key)

    async def _sleep(self) -> None:
        self._wake.clear()
        if not self._later:
            await self._wake.wait()
            return
        pause = max(0.0, self._later[0][0] - self._clock.monotonic())
        woken = asyncio.ensure_future(self._wake.wait())
        slept = asyncio.ensure_future(self._clock.sleep(pause))
        try:
            await asyncio.wait({woken, slept}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (woken, slept):
                task.cancel()
