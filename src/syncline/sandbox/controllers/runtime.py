"""Runs the simulated controllers: one queue and one task each, woken by changes in the store.

Built by `syncline.sandbox.server`. Nothing polls: a controller works when a change it watches arrives or a delay it
asked for is over. A place that waits in a queue twice is looked at once, because controllers read everything again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Protocol

from syncline import tasks
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import StatusError
from syncline.sandbox.hooks import Awaiting
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_RETRY_SECONDS = 1.0
_SHORTEST = 1e-6
_BATCH = 10
"""Places looked at before others get a turn: whoever counts many objects then counts once per batch."""


class SimulatedController(Protocol):
    """One simulated controller."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def buckets(self) -> tuple[Bucket, ...] | None:
        """The buckets whose changes matter; None for all."""
        ...

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Return what must be looked at again because of a change."""
        ...

    def reconcile(self, place: RowKey) -> float | None:
        """Bring one object closer; returns after how many seconds to look again, or None."""
        ...


class ControllerWorker:
    """One controller with its queue."""

    def __init__(self, controller: SimulatedController, backend: Backend) -> None:
        self.controller = controller
        self._backend = backend
        self._queue: dict[RowKey, None] = {}
        self._due: dict[RowKey, float] = {}
        self._woken = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.asking: dict[RowKey, asyncio.Task[None]] = {}
        """Places that wait for a webhook to answer."""
        self.failure: Exception | None = None

    def add(self, place: RowKey) -> None:
        """Have a place looked at soon."""
        self._queue[place] = None
        self._idle.clear()
        self._woken.set()

    def add_later(self, place: RowKey, seconds: float) -> None:
        """Have a place looked at after a delay, unless an earlier look is already planned."""
        due = self._backend.clock.monotonic() + seconds
        planned = self._due.get(place)
        if planned is not None and planned <= due:
            return
        self._due[place] = due
        self._backend.timers.call_later(seconds, lambda: self._ring(place, due))

    def _ring(self, place: RowKey, due: float) -> None:
        if self._due.get(place) == due:
            del self._due[place]
            self.add(place)

    async def run(self) -> None:
        """Work for ever."""
        while True:
            while self._queue:
                for place in tuple(self._queue)[:_BATCH]:
                    self._queue.pop(place, None)
                    self._reconcile(place)
                await asyncio.sleep(0)
            self._idle.set()
            self._woken.clear()
            await self._woken.wait()

    def _reconcile(self, place: RowKey) -> None:
        try:
            seconds = self.controller.reconcile(place)
        except Awaiting as awaiting:
            self.asking[place] = tasks.watch_over(self._ask(place, awaiting), name="webhook")
            return
        except StatusError:
            seconds = _RETRY_SECONDS
        except Exception as error:  # noqa: BLE001 - told at stop; one broken object must not stop the cluster
            self.failure = self.failure or error
            return
        if seconds is not None:
            # A moment that is missed by a rounding error would be waited for without end: no clock is that fine.
            self.add_later(place, max(seconds, _SHORTEST) if seconds else 0.0)

    async def _ask(self, place: RowKey, awaiting: Awaiting) -> None:
        """Fetch what a write waits for, and look at its object again."""
        await self._backend.hooks.fetch(awaiting.call)
        self.asking.pop(place, None)
        self.add(place)

    async def wait_idle(self) -> None:
        """Return once nothing is queued."""
        await self._idle.wait()

    @property
    def idle(self) -> bool:
        """Whether nothing is queued."""
        return self._idle.is_set()


class ControllerRuntime:
    """All controllers of one sandbox."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._workers: list[ControllerWorker] = []
        self._by_bucket: dict[Bucket, list[ControllerWorker]] = {}
        self._everywhere: list[ControllerWorker] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._unsubscribe: Callable[[], None] | None = None

    def start(self) -> None:
        """Start every controller and show it what is there already."""
        from syncline.sandbox.controllers import catalog

        for controller in catalog.controllers(self._backend):
            worker = ControllerWorker(controller, self._backend)
            self._workers.append(worker)
            if controller.buckets is None:
                self._everywhere.append(worker)
            for bucket in controller.buckets or ():
                self._by_bucket.setdefault(bucket, []).append(worker)
        self._unsubscribe = self._backend.store.subscribe(self._on_event)
        self.look_again(*self._backend.store.buckets())
        self._tasks = [tasks.watch_over(worker.run(), name=worker.controller.name) for worker in self._workers]

    def look_again(self, *buckets: Bucket) -> None:
        """Show the controllers all objects of some buckets as if they were new."""
        for bucket in buckets:
            for row in self._backend.store.rows(bucket):
                self._on_event(StoreEvent("ADDED", row, None))

    async def stop(self) -> None:
        """Stop every controller; raises the first error one of them ran into, because that is a bug here."""
        if self._unsubscribe is not None:
            self._unsubscribe()
            self._unsubscribe = None
        running = [*self._tasks, *(task for worker in self._workers for task in worker.asking.values())]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        self._tasks = []
        failures = [worker.failure for worker in self._workers if worker.failure is not None]
        self._workers = []
        if failures:
            raise failures[0]

    async def settled(self) -> None:
        """Wait until every queue is empty at once."""
        while not all(worker.idle for worker in self._workers):
            for worker in self._workers:
                await worker.wait_idle()

    def _on_event(self, event: StoreEvent) -> None:
        for worker in (*self._by_bucket.get(event.row.place.bucket, ()), *self._everywhere):
            for place in worker.controller.places(event):
                worker.add(place)
