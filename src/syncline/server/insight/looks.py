"""Looks at single Applications for many who ask at once: one look serves everybody who asks within a moment.

A page about one Application asks for its tree, its differences and its explanation together; each rests on the same
look. Only a few looks of one project run at the same time, so that a page that asks for everything leaves room for
others, and sources that take long hold up their own project alone.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict

from syncline import tasks
from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.ports.clock import Clock
from syncline.server.lists.shelf import project_of
from syncline.verbs.look import ClusterView, Seen

_MOMENT = 1.0
_AT_ONCE = 4
_KEPT = 32
_PATIENCE = 60.0


class Looks:
    """Recent looks, by Application and its version."""

    def __init__(self, view: ClusterView, clock: Clock) -> None:
        self._view = view
        self._clock = clock
        self._turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(_AT_ONCE))
        self._recent: dict[tuple[str, str], tuple[float, asyncio.Task[Seen]]] = {}

    async def see(self, app: Object) -> Seen:
        """Return an Application as it is now, with the cluster it is delivered to."""
        key = (meta.uid(app), meta.resource_version(app))
        found = self._recent.get(key)
        if found is None or (found[1].done() and (self._clock.monotonic() - found[0] > _MOMENT or _failed(found[1]))):
            self._forget()
            found = (self._clock.monotonic(), tasks.start(self._look(app), name="a look at an Application"))
            self._recent[key] = found
        # Somebody who goes away must not end the look of the others.
        return await asyncio.shield(found[1])

    async def _look(self, app: Object) -> Seen:
        async with self._turns[project_of(app)], asyncio.timeout(_PATIENCE):
            return await self._view.see(app)

    def _forget(self) -> None:
        now = self._clock.monotonic()
        kept = {key: one for key, one in self._recent.items() if not one[1].done() or now - one[0] <= _MOMENT}
        self._recent = dict(list(kept.items())[-_KEPT:])

    async def stop(self) -> None:
        """End the looks that run."""
        running = [task for _, task in self._recent.values()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _failed(task: asyncio.Task[Seen]) -> bool:
    return task.cancelled() or task.exception() is not None
