"""The loop of one subject: changes become keys in its queue, workers empty it.

Made by `syncline.controller.runtime.runtime`, one per subject, so that no subject waits for another. Nothing that a
subject raises leaves it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Generic

from syncline import tasks
from syncline.apimachinery.keys import GroupKind
from syncline.controller.runtime.keys import K
from syncline.controller.runtime.queue import WorkQueue
from syncline.controller.runtime.subject import LiveChange, News, Subject, Watch, Where
from syncline.controller.runtime.timing import Timing
from syncline.ports.clock import Clock

PAUSE_AFTER_BUG = 30.0
"""Seconds after which what raised is tried again."""

OnFailure = Callable[[str, BaseException], None]
"""Told what failed, and how. Only a bug fails."""


class Loop(Generic[K]):
    """A subject with its queue and the passes under way."""

    def __init__(self, subject: Subject[K], clock: Clock, on_failure: OnFailure) -> None:
        self._subject = subject
        self._clock = clock
        self._on_failure = on_failure
        self._queue = WorkQueue(
            clock,
            lane_of=subject.lane_of,
            tenant_of=subject.tenant_of,
            is_awaited=subject.is_awaited,
            width=subject.width,
        )
        self._watches = tuple(subject.watches())
        self._hearing: dict[tuple[GroupKind, News], tuple[Watch[K], ...]] = {}
        self._passes: dict[K, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.name = subject.name
        self.timing = Timing()

    def waiting(self) -> int:
        """Return how many keys wait."""
        return self._queue.waiting()

    def hear(self, change: LiveChange, news: News) -> None:
        """Enqueue the keys that a change concerns."""
        for watch in self._watches_of(change.key.group_kind, news):
            if watch.where is Where.ANYWHERE or change.at_home:
                try:
                    self._enqueue(watch.keys(change), watch.gather)
                except Exception as error:  # noqa: BLE001 - as in `_telling`, which would cost too much here
                    self._on_failure(f"a change of {change.key}, for {self._subject.name}", error)

    def look_at_all(self) -> None:
        """Enqueue every key."""
        with self._telling("a pass over all keys"):
            self._enqueue(self._subject.keys())

    def look_at_cluster(self, server: str) -> None:
        """Enqueue the keys that a cluster concerns which is away or back."""
        with self._telling(f"a change of the cluster {server}"):
            self._enqueue(self._subject.keys_at(server))

    def share_changed(self) -> None:
        """Take up what is ours now, and stop in the middle of what no longer is."""
        with self._telling("a change of shards"):
            for key in [key for key in self._passes if not self._subject.is_ours(key)]:
                self._passes[key].cancel()
        self.look_at_all()

    def is_busy(self) -> bool:
        """Whether keys wait that have found no room yet, or somebody waits for one that is being worked on."""
        return not self._subject.waits_for_strangers and (self._queue.waiting() > 0 or self._queue.is_attending())

    def start(self) -> None:
        """Begin to work; what was enqueued before is taken up."""
        running = (self._run, *self._subject.beside(self._queue))
        self._tasks = [tasks.watch_over(self._keep(run), name=self._subject.name) for run in running]

    async def stop(self) -> None:
        """End every pass where it is."""
        await _end(self._tasks)
        await _end(self._passes.values())

    async def _run(self) -> None:
        while True:
            self._begin(await self._queue.take())

    def _begin(self, key: K) -> None:
        """Start the pass of a key, unless it is not ours."""
        try:
            if self._subject.is_ours(key):
                self._passes[key] = tasks.watch_over(self._work(key), name=f"pass {key}")
                return
            self._subject.pass_over(key)
        except Exception as error:  # noqa: BLE001 - as below
            self._failed(key, error)
        self._queue.done(key)

    async def _work(self, key: K) -> None:
        begun = self._clock.monotonic()
        try:
            self._queue.add_when(key, await self._subject.reconcile(key))
        except Exception as error:  # noqa: BLE001 - a bug with one key must not stop the others; it is told and retried
            self._failed(key, error)
        finally:
            self._passes.pop(key, None)
            self._queue.done(key)
            lane = (key.namespace, self._subject.lane_of(key))
            self.timing.took(lane, self._clock.monotonic() - begun)

    def _failed(self, key: K, error: Exception) -> None:
        self._on_failure(f"{self._subject.name} {key}, retried in {PAUSE_AFTER_BUG:g} s", error)
        self._queue.add_after(key, PAUSE_AFTER_BUG)

    async def _keep(self, run: Callable[[], Awaitable[None]]) -> None:
        """Run something for as long as it wants to, again after a bug."""
        while True:
            try:
                return await run()
            except Exception as error:  # noqa: BLE001 - it is told, and the loop has to go on
                self._on_failure(f"the loop of {self._subject.name}, retried in {PAUSE_AFTER_BUG:g} s", error)
            await self._clock.sleep(PAUSE_AFTER_BUG)

    def _enqueue(self, keys: Iterable[K], gather: float = 0.0) -> None:
        for key in keys:
            if gather:
                self._queue.add_after(key, gather)
            else:
                self._queue.add(key)

    @contextmanager
    def _telling(self, occasion: str) -> Iterator[None]:
        """Tell of a bug, and go on: other subjects, and whoever brings a change, have nothing to do with it."""
        try:
            yield
        except Exception as error:  # noqa: BLE001
            self._on_failure(f"{occasion}, for {self._subject.name}", error)

    def _watches_of(self, kind: GroupKind, news: News) -> tuple[Watch[K], ...]:
        """Return the watches that hear of a kind; remembered, because every change of a cluster comes by here."""
        found = self._hearing.get((kind, news))
        if found is None:
            found = tuple(watch for watch in self._watches if watch.hears(kind, news))
            self._hearing[(kind, news)] = found
        return found


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)
