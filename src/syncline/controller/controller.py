"""The controller: live views tell the runtime of changes, the runtime works on its subjects.

Started by `syncline.wiring` for `up`, `demo` and `controller`. It holds no state that matters: stop it at any moment
and a new one goes on from what the Applications say. Here is only what is started, in which order, and who tells whom;
a further subject is made and registered beside `Applications`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from syncline import tasks
from syncline.apimachinery.keys import Object, key_of
from syncline.controller.appsets import applicationsets
from syncline.controller.appsets.applicationsets import ApplicationSets
from syncline.controller.clusters.dealing import Dealing
from syncline.controller.clusters.destinations import SECRET, Destinations, Listeners
from syncline.controller.clusters.home import HomeLimits, home_scope
from syncline.controller.clusters.troubles import ClusterTroubles
from syncline.controller.coexistence.observing import Report
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.controller.deliver import changes
from syncline.controller.deliver.applications import Applications
from syncline.controller.deliver.events import Events
from syncline.controller.deliver.report import Reporter
from syncline.controller.diagnosis.publisher import Publisher, Think
from syncline.controller.installation import CONFIG_MAP, Installation
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.notify.applications import ApplicationNotifications
from syncline.controller.notify.causes import CauseNotifications
from syncline.controller.notify.configuration import DEPLOYMENT, Configuration
from syncline.controller.notify.outbox import Outbox, Tally
from syncline.controller.runtime.loop import OnFailure
from syncline.controller.runtime.runtime import Runtime
from syncline.controller.runtime.shards import Shards
from syncline.controller.world import World
from syncline.model import cluster, names
from syncline.model.cluster import KnownCluster
from syncline.model.fairness import TurnFigures
from syncline.model.published import KIND as DIAGNOSIS
from syncline.model.settings.settings import Settings
from syncline.ports.notify import Messenger
from syncline.ports.render import SharedRenderer
from syncline.ports.source import Accessible

_EVENTS = "/events"
"""Stands for the Events we write where progress names an Application."""
_REPOSITORIES = "/repositories"
"""Stands for what is wrong with the Secrets and ConfigMaps that describe repositories, in the same place."""
_SEEN = "/home"
"""Stands for how much of the home cluster is seen, in the same place."""
_INSTALLATION = frozenset({SECRET, CONFIG_MAP})
_OWN_KINDS = _INSTALLATION | changes.KINDS | applicationsets.KINDS | {DIAGNOSIS}
_HOME = names.IN_CLUSTER_SERVER


class Controller:
    """Keeps Applications equal to their sources, on every cluster they are delivered to.

    With an `overlay` the settings follow the installation's ConfigMaps, changed by it; else they stay as they are.
    `readers` are handed the credentials of repositories. In the mode that observes nothing is written, except on behalf
    of Applications that were taken over. With `think` it publishes a diagnosis, reasoned by that.
    """

    def __init__(
        self,
        world: World,
        *,
        on_failure: OnFailure,
        overlay: Callable[[Settings], Settings] | None = None,
        readers: Sequence[Accessible] = (),
        mode: OwnershipMode = OwnershipMode.ACT,
        shards: Shards | None = None,
        think: Think | None = None,
    ) -> None:
        self._world = world
        self._on_failure = on_failure
        self.runtime = Runtime(world.clock, on_failure=on_failure)
        self.live = LiveCluster(
            world.home,
            world.settings,
            world.clock,
            on_change=self._changed_at_home,
            on_write=partial(self.runtime.written, _HOME),
            on_reach=partial(self._reached, _HOME),
            on_event=partial(self.runtime.warned, _HOME),
            on_events_refused=partial(self._events_refused, _HOME),
            scope=home_scope(world.home_limits, world.settings, _OWN_KINDS, beside=(DEPLOYMENT,)),
        )
        interest = Interest()
        listeners = Listeners(
            self.runtime.changed,
            self.runtime.written,
            self._reached,
            self.runtime.warned,
            self._events_refused,
            self._closed,
        )
        self._destinations = Destinations(world, self.live, interest, listeners)
        reporter = self._reporter = Reporter(world)
        self._troubles = ClusterTroubles(self._destinations, reporter.trouble)
        self._events = Events(world, on_dropped=partial(reporter.trouble, _EVENTS), is_busy=self.runtime.is_busy)
        self._installation = Installation(
            world,
            self.live,
            overlay=overlay,
            readers=readers,
            on_settings=self._use,
            on_access=self._access_changed,
            on_problems=lambda problems: reporter.trouble(_REPOSITORIES, "; ".join(problems)),
        )
        self._shards = shards
        self.applications = Applications(
            world,
            self.live,
            self._destinations,
            interest,
            reporter=reporter,
            events=self._events,
            mode=mode,
            dealing=Dealing(shards, world.settings.sharding.algorithm) if shards is not None else None,
        )
        self.runtime.register(self.applications)
        self._sets = ApplicationSets(world, self.live, self._destinations, reporter=reporter, shards=shards)
        if mode is OwnershipMode.ACT:
            # Beside Argo CD sets are its own: it has no way to leave one of them to us.
            self.runtime.register(self._sets)
        if think is not None and mode is OwnershipMode.ACT:
            sources = self.applications.sources
            publisher = Publisher(
                world,
                self.live,
                self._destinations,
                sources,
                reporter=reporter,
                is_busy=self.runtime.is_busy,
                think=think,
                shards=shards,
            )
            self.runtime.register(publisher)
        self.notified: Tally | None = None
        if world.messenger is not None and mode is OwnershipMode.ACT:
            self.notified = self._register_notifications(world.messenger, reporter, shards)
        self._tasks: list[asyncio.Task[None]] = []

    def _register_notifications(self, messenger: Messenger, reporter: Reporter, shards: Shards | None) -> Tally:
        """Tell people of Applications and causes; return the count of what was told."""
        world, outbox = self._world, Outbox(self._world, messenger, reporter)
        told = Configuration(world, self.live, reporter)
        roster = self.applications.roster
        self.runtime.register(ApplicationNotifications(world, self.live, roster, told, outbox, shards))
        self.runtime.register(CauseNotifications(world, self.live, told, outbox, shards))
        return outbox.tally

    def clusters(self) -> list[tuple[KnownCluster, LiveCluster | None]]:
        """Return every cluster there is, with the view of those that are open."""
        known = self._destinations.known()
        return [(one, place.live if (place := self._destinations.opened(one.server)) else None) for one in known]

    def render_figures(self) -> TurnFigures:
        """Return what waits to be rendered, what is, and what projects have used of the processor."""
        renderer = self._world.renderer
        return renderer.figures() if isinstance(renderer, SharedRenderer) else TurnFigures()

    def report(self) -> Report:
        """Return how the verdicts on Applications that are only observed compare with Argo CD's."""
        return self.applications.report()

    def observed(self) -> bool:
        """Whether every Application was looked at, or is paused."""
        return self.applications.observed()

    async def start(self) -> None:
        """Begin to follow the cluster and to work."""
        await self.live.start()
        if self._shards is not None:
            self._shards.on_change = self.runtime.share_changed
            await self._shards.start()
        self._tasks = [
            tasks.watch_over(self._begin(), name="begin", on_failure=self._on_failure),
            tasks.watch_over(self._installation.follow_settings(), name="settings", on_failure=self._on_failure),
            tasks.watch_over(self._installation.follow_access(), name="credentials", on_failure=self._on_failure),
            tasks.watch_over(self._events.run(), name="events", on_failure=self._on_failure),
        ]

    async def stop(self) -> None:
        """Stop; what was begun is in the Applications and is resumed by the next controller."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.runtime.stop()
        await self._events.part()
        if self._shards is not None:
            await self._shards.stop()
        await self.applications.sources.stop()
        await self._destinations.stop()
        await self.live.stop()

    async def _begin(self) -> None:
        """Let the runtime work once the home cluster is read and sources can be."""
        await self.live.ready()
        await self._installation.begin()
        self._troubles.secrets_changed()
        self.runtime.start()

    def _changed_at_home(self, obj: Object) -> None:
        """Notice what the installation is told, then tell the subjects."""
        key = key_of(obj)
        if key.group_kind in _INSTALLATION:
            self._installation.changed(obj)
            if key.namespace == self._world.settings.namespace and cluster.is_cluster_secret(obj):
                self._destinations.secret_changed()
                self._troubles.secrets_changed()
                self._compare_limits()
        self.runtime.changed(_HOME, obj)

    def _compare_limits(self) -> None:
        """Say so where the home cluster is to be seen in other namespaces: what is followed stays until a restart."""
        followed = self._world.home_limits
        known = [one for one in self._destinations.known() if one.server == _HOME]
        if followed is not None and known:
            now = HomeLimits(namespaces=known[0].namespaces, cluster_resources=known[0].cluster_resources)
            words = "other namespaces of the home cluster are named now: restart the controller to follow them"
            self._reporter.trouble(_SEEN, "" if now == followed else words)

    def _reached(self, server: str, trouble: str) -> None:
        """Say that a cluster is away, or back; what it concerns is then looked at again."""
        self._troubles.reached(server, trouble)
        # Nothing can be read or written while the home cluster is away.
        if not trouble or server != _HOME:
            self.runtime.reached(server)

    def _events_refused(self, server: str, words: str) -> None:
        """Say that Events of a cluster may not be read, or may be again; nothing else depends on them."""
        self._troubles.events_refused(server, words)

    def _closed(self, server: str) -> None:
        """Let go of a cluster that is no longer described as it was."""
        self.applications.cluster_closed(server)

    def _use(self, settings: Settings) -> None:
        """Go on under other settings; everything is looked at again."""
        before, self._world.settings = self._world.settings, settings
        for view in self._destinations.views():
            view.use(settings)
        self._destinations.secret_changed()
        self.applications.settings_changed(before)
        self.runtime.look_at_all()

    def _access_changed(self) -> None:
        """Read sources with other credentials and keys; everything is looked at again."""
        self.applications.sources.access_changed()
        self._sets.access_changed()
        self.runtime.look_at_all()
