"""Applications as a subject of the runtime: what wakes one, which lane it is in, and one pass.

Registered by `syncline.controller.controller`. What wakes them besides clusters is here too: a source that has
something new (`syncline.controller.deliver.triage`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.clusters.dealing import Dealing
from syncline.controller.clusters.destinations import Destinations
from syncline.controller.coexistence.observing import Report
from syncline.controller.coexistence.ownership import OwnershipMode, is_paused
from syncline.controller.deliver.attention import Attention
from syncline.controller.deliver.causes import KnownCauses
from syncline.controller.deliver.changes import Changes
from syncline.controller.deliver.claims import Claims
from syncline.controller.deliver.courtesy import Courtesy
from syncline.controller.deliver.events import Events
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.deliver.observe import Observer
from syncline.controller.deliver.reconcile import Reconciler
from syncline.controller.deliver.report import Reporter
from syncline.controller.deliver.roster import Roster
from syncline.controller.deliver.triage import Triage
from syncline.controller.deliver.waits import tell_of_waits
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.runtime.queue import WorkQueue
from syncline.controller.runtime.subject import Subject, Watch
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.world import World
from syncline.model import names
from syncline.model.look_again import LookAgain
from syncline.model.settings.settings import Settings
from syncline.model.shadow import Record

_WEIGH_EVERY = 10.0


class Applications(Subject[AppKey]):
    """Keeps Applications equal to their sources. `live` is the view of the cluster that holds them."""

    name = "Application"

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        destinations: Destinations,
        interest: Interest,
        *,
        reporter: Reporter,
        events: Events,
        mode: OwnershipMode = OwnershipMode.ACT,
        dealing: Dealing | None = None,
    ) -> None:
        self.width = world.settings.limits.status_processors
        self._world = world
        self._mode = mode
        self._live = live
        self._destinations = destinations
        self._dealing = dealing
        self.roster = Roster(world, live.index, destinations)
        self._lookout = Lookout(self.roster.lane_of)
        self._attention = Attention()
        self.triage = Triage(self._lookout, self._attention, self.roster.project_of)
        self.sources = DesiredSources(world, self.triage.moved_on)
        self._claims = Claims(live.index, self.roster, self._lookout)
        courtesy = Courtesy(world.clock)
        observer = Observer(
            world,
            live,
            self.sources,
            interest,
            destinations,
            self._lookout,
            self._claims,
            self._attention.is_on,
            courtesy,
        )
        causes = KnownCauses(world, live.index)
        self._changes = Changes(
            world, self.roster, destinations, self._lookout, observer.orphans, self._attention, causes
        )
        self._reconciler = Reconciler(world, live, observer, reporter, events, mode, self._attention, causes, courtesy)

    def report(self) -> Report:
        """Return how the verdicts on Applications that are only observed compare with Argo CD's."""
        return self._reconciler.observations.report()

    def record_to(self, on_record: Callable[[Record], None]) -> None:
        """Tell somebody of each change of a verdict or decision on Applications that are only observed."""
        self._reconciler.observations.on_record = on_record

    def observed(self) -> bool:
        """Whether every Application was looked at, or is paused."""
        seen = self._reconciler.observations.seen()
        objects = list(self._live.index.of_kind(APPLICATION))
        ours = [obj for obj in objects if self.roster.permits(obj["metadata"]["namespace"]) and not is_paused(obj)]
        return all(f"{obj['metadata']['namespace']}/{obj['metadata']['name']}" in seen for obj in ours)

    def settings_changed(self, before: Settings) -> None:
        """Go on under the settings the world has now."""
        self.sources.settings_changed(before)
        self._reconciler.settings_changed()

    def cluster_closed(self, server: str) -> None:
        """Let go of a cluster that is no longer described as it was."""
        self._reconciler.cluster_closed(server)

    def watches(self) -> Sequence[Watch[AppKey]]:
        """Return what wakes Applications."""
        return self._changes.watches()

    def keys(self) -> list[AppKey]:
        """Return every Application that we look after."""
        return self.roster.all()

    def keys_at(self, server: str) -> Iterable[AppKey]:
        """Return those that are delivered to a cluster; all of them are concerned by the home cluster."""
        apps = self.roster.all()
        return apps if server == names.IN_CLUSTER_SERVER else [app for app in apps if self.lane_of(app) == server]

    def lane_of(self, key: AppKey) -> str:
        """Return the server an Application is delivered to: a cluster that hangs holds up its own apps only."""
        return self.roster.lane_of(key)

    def tenant_of(self, key: AppKey) -> str:
        """Return the project of an Application: passes of one project hold up those of no other."""
        return self.roster.project_of(key)

    def is_ours(self, key: AppKey) -> bool:
        """Whether an Application is delivered to a cluster of a shard that this process holds."""
        return self._dealing is None or self._dealing.owns(self.roster.cluster_of(key), self._destinations.known())

    def is_awaited(self, key: AppKey) -> bool:
        """Whether somebody waits for an Application."""
        return self._attention.is_on(key)

    def pass_over(self, key: AppKey) -> None:
        """Let nobody wait for an Application that another process looks after."""
        self._lookout.pass_over(key)
        self._attention.looked_at(key, None)

    async def reconcile(self, key: AppKey) -> LookAgain:
        """Bring an Application one step closer to its source."""
        self._lookout.begin(key)
        try:
            return await self._reconciler.reconcile(key)
        finally:
            self._lookout.end(key, gone=not self.roster.exists(key))
            if self._attention.is_on(key):
                self._attention.looked_at(key, self._live.index.get(application_key(key)))
            for other in self._claims.stirred(key):
                self.triage.nudge(other)

    def beside(self, queue: WorkQueue[AppKey]) -> Sequence[Callable[[], Awaitable[None]]]:
        """Return what sorts apps whose source moved on, what tells of renders that wait, and what weighs clusters."""
        waits = partial(tell_of_waits, self._world, self._live, self._mode)
        return (partial(self.triage.run, queue, self.sources.concerns), waits, self._weigh)

    async def _weigh(self) -> None:
        """Keep the shards told of how many Applications each cluster has, where clusters are dealt out by that."""
        while self._dealing is not None and self._dealing.weighed:
            await self._world.clock.sleep(_WEIGH_EVERY)
            counts = Counter(self.lane_of(app) for app in self.roster.all())
            self._dealing.weigh(counts, self._destinations.known())
