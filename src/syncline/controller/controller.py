"""The controller: watches feed a queue, workers empty it.

Started by `syncline.wiring` for `up`, `demo` and `controller`. It holds no state that matters: stop it at any moment
and a new one goes on from what the Applications say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from syncline.apimachinery.keys import Object, key_of
from syncline.controller.interest import Interest
from syncline.controller.live import LiveCluster
from syncline.controller.observe import APPLICATION, PROJECT, Observer
from syncline.controller.queue import AppKey, WorkQueue
from syncline.controller.reconcile import Reconciler
from syncline.controller.report import Reporter
from syncline.controller.sources import Sources
from syncline.controller.world import World

_WORKERS = 10
CLUSTER = "/cluster"
"""Stands for the cluster itself where progress names an Application."""
_GATHER = 0.1
"""Changes of managed objects within so many seconds are looked at together."""


class Controller:
    """Keeps the Applications of one cluster equal to their sources."""

    def __init__(self, world: World, *, on_failure: Callable[[AppKey, BaseException], None]) -> None:
        self._world = world
        self._on_failure = on_failure
        self.queue = WorkQueue(world.clock)
        self.live = LiveCluster(
            world.home,
            world.settings,
            world.clock,
            on_change=self._changed,
            on_write=self._written,
            on_reach=self._reached,
        )
        self.sources = Sources(world, self.queue.add)
        self._interest = Interest()
        observer = Observer(world, self.live, self.sources, self._interest)
        self._reporter = Reporter(world)
        self._reconciler = Reconciler(world, self.live, observer, self._reporter)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begin to follow the cluster and to work."""
        await self.live.start()
        self._tasks = [asyncio.create_task(self._run(), name="controller")]

    async def stop(self) -> None:
        """Stop; what was begun is in the Applications and is resumed by the next controller."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.sources.stop()
        await self.live.stop()

    async def _run(self) -> None:
        await self.live.ready()
        workers = [asyncio.create_task(self._work(), name=f"worker {number}") for number in range(_WORKERS)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()

    async def _work(self) -> None:
        while True:
            key = await self.queue.take()
            try:
                requeue = await self._reconciler.reconcile(key)
            except Exception as error:  # noqa: BLE001 - one app's bug must not stop the others; it is reported and tried again
                self._on_failure(key, error)
                self.queue.add_after(key, 30.0)
            else:
                if requeue.after == 0.0:
                    self.queue.add(key)
                elif requeue.after is not None:
                    self.queue.add_after(key, requeue.after)
            finally:
                self.queue.done(key)

    def _changed(self, obj: Object) -> None:
        """Enqueue every Application a changed object may concern."""
        key = key_of(obj)
        if key.group_kind == APPLICATION:
            if key.namespace == self._world.settings.namespace:
                self.queue.add(AppKey(key.namespace, key.name))
        elif key.group_kind == PROJECT:
            self._enqueue_all()
        for instance in self.live.index.instances_above(obj):
            self.queue.add_after(self._app_of(instance), _GATHER)
        for app in sorted(self._interest.apps(key)):
            self.queue.add_after(app, _GATHER)

    def _reached(self, trouble: str) -> None:
        """Say that the cluster is away, or back; every Application is then looked at again."""
        self._reporter.trouble(CLUSTER, trouble)
        if not trouble:
            self._enqueue_all()

    def _written(self, obj: Object) -> None:
        """Enqueue the parents of an Application we just wrote to: its watch event will bring nothing new."""
        if key_of(obj).group_kind == APPLICATION:
            for instance in self.live.index.instances_above(obj):
                self.queue.add_after(self._app_of(instance), _GATHER)

    def _app_of(self, instance: str) -> AppKey:
        namespace, underscore, name = instance.partition("_")
        return AppKey(namespace, name) if underscore else AppKey(self._world.settings.namespace, instance)

    def _enqueue_all(self) -> None:
        for obj in self.live.index.of_kind(APPLICATION):
            metadata = obj["metadata"]
            if metadata["namespace"] == self._world.settings.namespace:
                self.queue.add(AppKey(metadata["namespace"], metadata["name"]))
