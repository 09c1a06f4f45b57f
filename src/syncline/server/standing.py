"""The live view of a server that runs without a controller: it follows the home cluster, its settings and credentials.

Used by `syncline.cli.run.server`. A server beside a controller shares that one's view instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from syncline import tasks
from syncline.apimachinery.keys import GroupKind, Object
from syncline.controller.app_key import APPLICATION
from syncline.controller.appsets.keys import APPLICATION_SET
from syncline.controller.clusters.home import home_scope
from syncline.controller.installation import CONFIG_MAP, SECRET, Installation
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.model import names
from syncline.model.published import KIND as DIAGNOSIS
from syncline.model.settings.settings import Settings
from syncline.ports.source import Accessible
from syncline.tasks import OnFailure

_PROJECT = GroupKind(names.GROUP, "AppProject")
_PROBE = 30.0


@asynccontextmanager
async def followed(
    world: World, readers: Sequence[Accessible], on_failure: OnFailure, overlay: Callable[[Settings], Settings]
) -> AsyncIterator[LiveCluster]:
    """Follow the home cluster until the block is left; `readers` are handed the credentials of repositories."""
    told: list[Installation] = []

    def changed(obj: Object) -> None:
        for one in told:
            one.changed(obj)

    always = (CONFIG_MAP, SECRET, APPLICATION, APPLICATION_SET, _PROJECT, DIAGNOSIS)
    scope = home_scope(world.home_limits, world.settings, always)
    live = LiveCluster(world.home, world.settings, world.clock, on_change=changed, scope=scope)

    def use(settings: Settings) -> None:
        world.settings = settings
        live.use(settings)

    installation = Installation(world, live, overlay=overlay, readers=readers, on_settings=use)
    told.append(installation)
    await live.start(probe=_PROBE)
    running = [
        tasks.watch_over(_begin(live, installation), name="begin", on_failure=on_failure),
        tasks.watch_over(installation.follow_settings(), name="settings", on_failure=on_failure),
        tasks.watch_over(installation.follow_access(), name="credentials", on_failure=on_failure),
    ]
    try:
        yield live
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await live.stop()


async def _begin(live: LiveCluster, installation: Installation) -> None:
    await live.ready()
    await installation.begin()
