"""Turns for work that many projects want done at once: at most a few at a time, shared fairly between the projects.

Held by adapters that run programs for repositories of many tenants: renders, scripts, fetches.
`syncline.model.fairness` decides whose turn it is; this waits, and tells it the time. Whoever begins work for a project
says so with `working_for`; adapters that are not told the project ask `worked_for`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextvars import ContextVar

from syncline.model.fairness import FairLimits, FairQueue, Lane, Share, Ticket, Usage, Wait

_WORKING_FOR: ContextVar[Share | None] = ContextVar("working_for", default=None)


@contextlib.contextmanager
def working_for(project: str, *, awaited: bool = True, subject: str = "") -> Iterator[None]:
    """Do what is inside, and all that it starts, for a project."""
    token = _WORKING_FOR.set(Share(project, awaited, subject))
    try:
        yield
    finally:
        _WORKING_FOR.reset(token)


def worked_for() -> Share:
    """Return for whom something is done now."""
    return _WORKING_FOR.get() or Share()


class GaveWay(Exception):
    """Work was ended after a long time, because every place was taken and another project had none."""


class Turn:
    """Work whose turn it is; `cost` are the processor seconds it took, where somebody measured them."""

    def __init__(self) -> None:
        self.cost: float | None = None

    def add(self, seconds: float) -> None:
        """Count processor seconds."""
        self.cost = (self.cost or 0.0) + seconds


class Turns:
    """Hands out turns. Work without a measured cost counts by the clock, and for budgets not at all."""

    def __init__(self, limits: FairLimits, usage: Usage | None = None) -> None:
        self._queue = FairQueue(limits, usage)
        self._granted: dict[Ticket, asyncio.Future[None]] = {}
        self._ending: dict[Ticket, asyncio.Timeout] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._watchers: list[asyncio.Future[None]] = []

    @property
    def usage(self) -> Usage:
        """What projects have used."""
        return self._queue.usage

    def use(self, limits: FairLimits) -> None:
        """Go on under other limits; what runs goes on."""
        self._queue.limits = limits
        if self._granted:
            self._grant()

    def waiting(self) -> Counter[Lane]:
        """Return how much waits, by lane."""
        return self._queue.waiting()

    def running(self) -> int:
        """Return how much runs."""
        return self._queue.running()

    def waits(self) -> tuple[Wait, ...]:
        """Return what waits, the longest first."""
        return self._queue.waits(_now())

    async def until_waiting(self) -> None:
        """Wait until something waits."""
        if not self._granted:
            watcher = asyncio.get_running_loop().create_future()
            self._watchers.append(watcher)
            await watcher

    @contextlib.asynccontextmanager
    async def turn(self, share: Share) -> AsyncIterator[Turn]:
        """Wait for a turn and hold it; raises `GaveWay` where the work inside has to end for the sake of others."""
        ticket = await self._wait(share)
        began = _now()
        turn = Turn()
        try:
            async with asyncio.timeout(None) as ending:
                self._ending[ticket] = ending
                yield turn
        except TimeoutError:
            if not ending.expired():
                raise
            raise GaveWay from None
        finally:
            self._ending.pop(ticket, None)
            now = _now()
            if turn.cost is not None:
                self.usage.spend(share.project, turn.cost, now, self._queue.limits.window)
            self._queue.done(ticket, now - began if turn.cost is None else turn.cost, now)
            self._grant()

    async def _wait(self, share: Share) -> Ticket:
        ticket = self._queue.ask(share, _now())
        granted = self._granted[ticket] = asyncio.get_running_loop().create_future()
        self._grant()
        if not granted.done():
            watchers, self._watchers = self._watchers, []
            for watcher in watchers:
                if not watcher.done():
                    watcher.set_result(None)
        try:
            await granted
        except asyncio.CancelledError:
            if ticket in self._granted:
                del self._granted[ticket]
                self._queue.withdraw(ticket)
            else:
                self._queue.done(ticket, 0.0, _now())
            self._grant()
            raise
        return ticket

    def _grant(self) -> None:
        """Let all begin whose turn it is."""
        now = _now()
        while (ticket := self._queue.start(now)) is not None:
            granted = self._granted.pop(ticket)
            if not granted.done():
                granted.set_result(None)
        if (late := self._queue.must_give_way(now)) is not None and late in self._ending:
            self._ending.pop(late).reschedule(now)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        # Nothing else wakes those who wait when work that runs has become long.
        pause = self._queue.next_change(now)
        if pause is not None:
            self._timer = asyncio.get_running_loop().call_later(max(pause, 0.01), self._grant)


def _now() -> float:
    return asyncio.get_running_loop().time()
