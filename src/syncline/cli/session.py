"""A controller and a web page running together, for `demo` and `up`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from syncline import wiring
from syncline.cli.running import until_stopped
from syncline.cli.story import Story
from syncline.controller.observe import APPLICATION
from syncline.model.settings import Settings
from syncline.ports.kube import Cluster


class Session:
    """Runs until it is stopped."""

    def __init__(self, cluster: Cluster, settings: Settings, local_folders: Sequence[str]) -> None:
        self._ports = wiring.world(cluster, settings, Story(), local_folders)
        self._controller = wiring.controller(self._ports)

    @asynccontextmanager
    async def running(self, port: int) -> AsyncIterator[str]:
        """Start controller and web page; yields the page's address."""
        from syncline.server.app import serve

        await self._controller.start()
        try:
            async with serve(self._controller.live, port=port) as address:
                yield address
        finally:
            await self._controller.stop()
            await self._ports.evaluator.close()

    async def follow(self, *, once: bool) -> int:
        """Wait for the user to stop, or with `once` for everything to be Synced and Healthy."""
        if not once:
            await until_stopped()
            return 130
        stopped = asyncio.ensure_future(until_stopped())
        done = asyncio.ensure_future(self._all_good())
        await asyncio.wait({stopped, done}, return_when=asyncio.FIRST_COMPLETED)
        finished = done.done()
        for task in (stopped, done):
            task.cancel()
        return 0 if finished else 130

    async def _all_good(self) -> None:
        changed = asyncio.Event()
        self._controller.live.listeners.append(lambda _obj: changed.set())
        while not self._good():
            await changed.wait()
            changed.clear()

    def _good(self) -> bool:
        apps = list(self._controller.live.index.of_kind(APPLICATION))
        statuses = [item.get("status") or {} for item in apps]
        return bool(apps) and all(
            (status.get("sync") or {}).get("status") == "Synced"
            and (status.get("health") or {}).get("status") == "Healthy"
            and (status.get("operationState") or {}).get("phase") == "Succeeded"
            for status in statuses
        )
