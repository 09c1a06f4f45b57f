"""Calls functions later, on the clock port, with one sleeping task for all of them.

Used by watches (timeouts) and by the simulated controllers (delays). Nothing wakes while nothing is due, so an idle
sandbox costs nothing; due calls run in the order in which they were asked for.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
from collections.abc import Callable

from syncline import tasks
from syncline.ports.clock import Clock


class Timer:
    """A call that was asked for; `cancel` takes it back."""

    __slots__ = ("call",)

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Forget the call; one that has run already is fine."""
        self.call = None


class Timers:
    """All pending calls of one sandbox."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Timer]] = []
        self._count = 0
        self._sleeper: asyncio.Task[None] | None = None
        self._wakes_at = 0.0
        self._closed = False

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Run `call` after so many seconds."""
        timer = Timer(call)
        if self._closed:
            timer.cancel()
            return timer
        due = self._clock.monotonic() + max(seconds, 0.0)
        self._count += 1
        heapq.heappush(self._heap, (due, self._count, timer))
        self._sleep_until_next()
        return timer

    async def close(self) -> None:
        """Drop every pending call."""
        self._closed = True
        self._heap.clear()
        sleeper, self._sleeper = self._sleeper, None
        if sleeper is not None:
            sleeper.cancel()
            await asyncio.gather(sleeper, return_exceptions=True)

    def _sleep_until_next(self) -> None:
        while self._heap and self._heap[0][2].call is None:
            heapq.heappop(self._heap)
        if not self._heap:
            return
        due = self._heap[0][0]
        if self._sleeper is not None:
            if self._wakes_at <= due:
                return
            self._sleeper.cancel()
        self._wakes_at = due
        # In a context of its own: it serves everybody, and must not end with whoever happened to ask first.
        self._sleeper = contextvars.Context().run(tasks.watch_over, self._sleep(due), name="sandbox timers")

    async def _sleep(self, due: float) -> None:
        await self._clock.sleep(max(due - self._clock.monotonic(), 0.0))
        self._sleeper = None
        now = max(self._clock.monotonic(), due)
        ready: list[Timer] = []
        while self._heap and self._heap[0][0] <= now:
            ready.append(heapq.heappop(self._heap)[2])
        for timer in ready:
            call, timer.call = timer.call, None
            if call is not None:
                _run(call)
        self._sleep_until_next()


def _run(call: Callable[[], None]) -> None:
    """Run a call; a bug in one must not take the others with it."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - told to the loop, which tells it on
        tasks.tell_loop("sandbox timers", error)
