"""Plays a story in virtual time: an embedded Kubernetes, a repository and a controller, step by step.

Called by `syncline scenario test`. What is waited for is that nothing changes any more, so an hour of waiting pods
takes seconds; renders and git are real.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from syncline import wiring
from syncline.cli.run.install import create, missing
from syncline.cli.run.settling import Statuses, settled, status_of
from syncline.cli.scenario.deeds import carry_out
from syncline.cli.scenario.repository import StoryRepository
from syncline.controller.app_key import APPLICATION
from syncline.model import names
from syncline.model.fleet import FleetSnapshot
from syncline.model.settings.settings import Compat, Settings

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.controller.controller import Controller
    from syncline.model.diagnosis import Diagnosis
    from syncline.ports.clock import Clock
    from syncline.ports.kube import Cluster
    from syncline.scenarios.story import Step, Story


class Stage:
    """A story that is being played: the cluster, its repository and the controller that delivers."""

    def __init__(
        self, story: Story, cluster: Cluster, repository: StoryRepository, controller: Controller, clock: Clock
    ) -> None:
        self.cluster = cluster
        self._story = story
        self._repository = repository
        self._controller = controller
        self._clock = clock

    async def come_to_the_incident(self, tell: Callable[[str], None]) -> None:
        """Play the history of the repository, each commit until nothing changes any more."""
        first, *later = self._story.history
        await create(self.cluster, [self._told_root()])
        await self.settle()
        tell(first.message)
        for commit in later:
            await self._repository.add(commit)
            await self.settle()
            tell(commit.message)

    async def repair(self, step: Step) -> None:
        """Carry out one step, and wait for what comes of it."""
        for commit in step.commits:
            await self._repository.add(commit)
        for deed in step.deeds:
            await carry_out(self.cluster, deed)
        await self.settle()

    async def settle(self) -> None:
        """Wait until the statuses of all apps have stayed the same for long enough."""
        await settled(self.statuses, self._clock)

    def apps(self) -> list[Object]:
        """Return all Applications."""
        return list(self._controller.live.index.of_kind(APPLICATION))

    async def diagnosed(self) -> Diagnosis:
        """Return what `diagnose` says now."""
        from syncline.core.diagnose.graph.diagnose import diagnose
        from syncline.verbs.fleet.reading import Wish, read_cluster

        read = await read_cluster(self.cluster, Wish(name=self._story.name, server=names.IN_CLUSTER_SERVER))
        as_of = self._clock.now().isoformat()
        return diagnose(FleetSnapshot(as_of=as_of, origin=f"the story {self._story.name}", clusters=(read.snapshot,)))

    def statuses(self) -> Statuses:
        """Return how many apps have which sync status and health."""
        return Counter(status_of(app) for app in self.apps())

    def _told_root(self) -> Object:
        from syncline.apimachinery import yaml

        told: Object = yaml.load(self._repository.told(yaml.dump(self._story.root)).encode())
        return told


@asynccontextmanager
async def staged(story: Story, *, compat: Compat) -> AsyncIterator[Stage]:
    """Set the stage of a story, on the loop in virtual time, with its first commit made and nothing applied yet."""
    clock = wiring.virtual_clock()
    sandbox = wiring.told_sandbox(story.cluster, f"the story {story.name}", clock)
    settings = Settings(refresh_interval=180.0, refresh_jitter=0.0, compat=compat)
    with tempfile.TemporaryDirectory(prefix="syncline-story-") as folder:
        repository = StoryRepository(Path(folder) / "repo")
        await repository.begin()
        await repository.add(story.history[0])
        await sandbox.start()
        cluster = wiring.client(sandbox.transport(user="syncline"))
        await create(cluster, await missing(cluster, settings.namespace))
        ports = wiring.world(cluster, settings, _Silent(), [folder], time=clock)
        controller = wiring.controller(ports)
        await controller.start()
        try:
            yield Stage(story, cluster, repository, controller, clock)
        finally:
            await controller.stop()
            await ports.evaluator.close()
            await sandbox.stop()


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing."""
