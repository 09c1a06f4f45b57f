"""Plays a story in virtual time: an embedded Kubernetes, a repository and a controller, step by step.

Called by `syncline scenario test` and `syncline demo`. What is waited for is that nothing changes any more, so an hour
of waiting pods takes seconds; renders and git are real.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from syncline import wiring
from syncline.apimachinery import meta
from syncline.cli.run.install import create, missing
from syncline.cli.run.settling import Statuses, settled, status_of
from syncline.cli.scenario import comparing
from syncline.cli.scenario.deeds import carry_out, find_resource
from syncline.cli.scenario.repository import StoryRepository
from syncline.controller.app_key import APPLICATION
from syncline.controller.settings import read_settings
from syncline.model import names
from syncline.model.fleet import FleetSnapshot
from syncline.model.settings.settings import Compat, Settings
from syncline.scenarios.story import Rules

if TYPE_CHECKING:
    from syncline.api.check import Checked
    from syncline.apimachinery.keys import Object
    from syncline.controller.controller import Controller
    from syncline.controller.world import World
    from syncline.model.diagnosis import Diagnosis
    from syncline.ports.clock import Clock
    from syncline.scenarios.story import Seen, Step, Story

_LOOK = 15.0
_LONGEST = 3600.0
_LOOKS = 20
REFRESH = 180.0


class Stage:
    """A story that is being played: the cluster, its repository and the controller that delivers."""

    def __init__(
        self,
        story: Story,
        ports: World,
        repository: StoryRepository,
        controller: Controller,
        compat: Compat,
    ) -> None:
        self.ports = ports
        self.cluster = ports.home
        self.lost: list[str] = []
        """What should have been taken over and was recreated or changed."""
        self.repository = repository
        self.controller = controller
        self._story = story
        self._clock = ports.clock
        self._rules = Rules(compat)

    async def come_to_the_incident(self, tell: Callable[[str], None]) -> None:
        """Play the history of the repository, each commit until nothing changes any more."""
        first, *later = self._story.history
        kept = await self._identities()
        await create(self.cluster, [self._told_root()])
        await self.settle()
        tell(first.message)
        for commit in later:
            await self.repository.add(commit)
            await self.settle()
            tell(commit.message)
        self.lost = [what for what, identity in (await self._identities()).items() if kept[what] != identity]

    async def hurry_to(self, expected: Seen, tell: Callable[[], None]) -> None:
        """Play the history fast: the first commit until every app was synced, the rest until a table holds.

        `tell` is called all the while, for whoever waits.
        """
        await create(self.cluster, [self._told_root()])
        await self._until(self._all_synced, tell)
        for commit in self._story.history[1:]:
            await self.repository.add(commit)
        await self.refresh()
        await self._until(lambda: self._counts_as(expected), tell)

    async def refresh(self) -> None:
        """Have every app look at its repository now, as a webhook would."""
        resource = await find_resource(self.cluster, "applications.argoproj.io")
        patch = {"metadata": {"annotations": {names.REFRESH: "normal"}}}
        for app in self.apps():
            await self.cluster.patch(resource, meta.namespace(app), meta.name(app), patch, manager="syncline-story")

    def _all_synced(self) -> bool:
        total = self._story.ours.good + sum(self._story.ours.others.values())
        return self.statuses().total() >= total and all((app.get("status") or {}).get("sync") for app in self.apps())

    def _counts_as(self, expected: Seen) -> bool:
        return next(comparing.statuses(expected, self.statuses()), None) is None

    async def _until(self, is_so: Callable[[], bool], tell: Callable[[], None]) -> None:
        begun = self._clock.monotonic()
        while not is_so() and self._clock.monotonic() - begun < _LONGEST:
            tell()
            await self._clock.sleep(1.0)

    async def _identities(self) -> dict[str, tuple[str, int]]:
        """Return which object each of those is that should be taken over, and how often its spec was changed."""
        found = {}
        for one in self._story.keeps:
            resource = await find_resource(self.cluster, one.resource)
            metadata = meta.metadata(await self.cluster.get(resource, one.namespace, one.name) or {})
            found[f"{one.resource} {one.name}"] = (str(metadata.get("uid")), int(metadata.get("generation") or 0))
        return found

    async def held(self, keys: Iterable[str]) -> dict[str, str]:
        """Return what ConfigMaps hold: each `namespace/name key` with its text."""
        resource = await find_resource(self.cluster, "configmaps")
        found = {}
        for text in keys:
            place, _, key = text.partition(" ")
            namespace, _, name = place.partition("/")
            obj = await self.cluster.get(resource, namespace, name) or {}
            found[text] = str((obj.get("data") or {}).get(key, ""))
        return found

    async def repair(self, step: Step) -> None:
        """Carry out one step, and wait for what comes of it."""
        for commit in step.commits:
            await self.repository.add(commit)
        for deed in step.deeds:
            if deed.by in (None, self._rules):
                await carry_out(self.cluster, deed, self._clock)
        await self.settle()

    async def settle(self) -> None:
        """Wait until the statuses of all apps have stayed the same for long enough."""
        await settled(self.statuses, self._clock, still=self._story.still)

    def apps(self) -> list[Object]:
        """Return all Applications."""
        return list(self.controller.live.index.of_kind(APPLICATION))

    async def diagnosed(self) -> Diagnosis:
        """Return what `diagnose` says once nothing has only just begun, such as another attempt of a sync."""
        found = await self._diagnosed()
        for _ in range(_LOOKS):
            if not found.starting:
                break
            await self._clock.sleep(_LOOK)
            found = await self._diagnosed()
        return found

    async def _diagnosed(self) -> Diagnosis:
        """Return what it says now: with files and lines, because the repository is on this machine."""
        from syncline.core.diagnose.graph.diagnose import diagnose
        from syncline.verbs.fleet import rendering
        from syncline.verbs.fleet.reading import Wish, read_cluster

        read = await read_cluster(self.cluster, Wish(name=self._story.name, server=names.IN_CLUSTER_SERVER))
        as_of = self._clock.now().isoformat()
        fleet = FleetSnapshot(as_of=as_of, origin=f"the story {self._story.name}", clusters=(read.snapshot,))
        world = wiring.rendering_ports(rendering.settings(fleet, self._story.namespace), {})
        is_here = rendering.here({}, by_path=True)
        # Nothing in a story is fetched, so whatever the controller rendered is right here too.
        return diagnose(await rendering.with_rendered(fleet, world, is_here, within=_LONGEST, fetching=True))

    async def checked(self) -> Checked:
        """Return what `check` says of the repository as it is."""
        from syncline.api.applications import RenderFlags
        from syncline.api.check import checked

        return await checked(self.repository.folder, RenderFlags(local=True))

    def statuses(self) -> Statuses:
        """Return how many apps have which sync status and health."""
        return Counter(status_of(app) for app in self.apps())

    def rows(self) -> dict[str, str]:
        """Return what each app shows: sync status, health and the types of its conditions in one text."""
        return {meta.name(app): " ".join((*status_of(app), *condition_types(app))) for app in self.apps()}

    def conditions(self) -> set[str]:
        """Return the conditions that apps have: each name with a type."""
        return {
            f"{meta.name(app)} {one.get('type')}"
            for app in self.apps()
            for one in (app.get("status") or {}).get("conditions") or ()
        }

    def _told_root(self) -> Object:
        from syncline.apimachinery import yaml

        told: Object = yaml.load(self.repository.told(yaml.dump(self._story.root)).encode())
        return told


def condition_types(app: Object) -> list[str]:
    """Return the types of the conditions of an Application, each once."""
    return sorted({str(one.get("type")) for one in (app.get("status") or {}).get("conditions") or ()})


@asynccontextmanager
async def staged(story: Story, *, compat: Compat) -> AsyncIterator[Stage]:
    """Set the stage of a story, on the loop in virtual time, with its first commit made and nothing applied yet."""
    clock = wiring.virtual_clock()
    sandbox = wiring.told_sandbox(story.cluster, f"the story {story.name}", clock)
    with tempfile.TemporaryDirectory(prefix="syncline-story-") as folder:
        await sandbox.start()
        try:
            async with on_stage(story, sandbox, Path(folder) / "repo", clock, compat=compat) as stage:
                yield stage
        finally:
            await sandbox.stop()


class Pace:
    """How often repositories are asked for new commits: seldom while time jumps, soon while somebody watches."""

    def __init__(self) -> None:
        self.seconds = REFRESH


@asynccontextmanager
async def on_stage(
    story: Story, sandbox: Any, folder: Path, clock: Clock, *, compat: Compat, pace: Pace | None = None
) -> AsyncIterator[Stage]:
    """Make the repository of a story, and start a controller on a sandbox that runs."""
    every = pace or Pace()

    def overlay(settings: Settings) -> Settings:
        return msgspec.structs.replace(settings, refresh_interval=every.seconds, refresh_jitter=0.0, compat=compat)

    repository = StoryRepository(folder)
    await repository.begin()
    await repository.add(story.history[0])
    cluster = wiring.client(sandbox.transport(user="syncline"))
    await create(cluster, await missing(cluster, story.namespace))
    settings = overlay((await read_settings(cluster, story.namespace)).settings)
    ports = wiring.world(cluster, settings, _Silent(), [str(folder.parent)], time=clock)
    # Stories ask for a diagnosis where they need one: nobody reads what would be published in between.
    controller = wiring.controller(ports, overlay=overlay, publish=False)
    await controller.start()
    try:
        yield Stage(story, ports, repository, controller, compat)
    finally:
        await controller.stop()
        await ports.evaluator.close()


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing."""
