"""The controller: watches feed a queue, passes empty it.

Started by `syncline.wiring` for `up`, `demo` and `controller`. It holds no state that matters: stop it at any moment
and a new one goes on from what the Applications say.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from syncline.apimachinery.keys import Object, key_of
from syncline.controller.clusters.destinations import SECRET, Destinations, Listeners
from syncline.controller.coexistence.observing import Report
from syncline.controller.coexistence.ownership import Mode, is_paused
from syncline.controller.deliver.events import Events
from syncline.controller.deliver.observe import APPLICATION, PROJECT, Observer, application_key
from syncline.controller.deliver.reconcile import Reconciler
from syncline.controller.deliver.report import Reporter
from syncline.controller.installation import CONFIG_MAP, Installation
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.live.scope import Scope
from syncline.controller.runtime.queue import AppKey, WorkQueue
from syncline.controller.runtime.shards import Shards
from syncline.controller.sources.desired import Sources
from syncline.controller.sources.lookout import Lookout
from syncline.controller.world import World
from syncline.core.policy import namespaces
from syncline.model import cluster, names
from syncline.model.application import Destination
from syncline.model.cluster import KnownCluster
from syncline.model.errors import InvalidSpec
from syncline.model.settings.settings import Settings
from syncline.ports.source import Accessible

CLUSTER = "/cluster"
"""Stands for the cluster itself where progress names an Application; others add their name."""
EVENTS = "/events"
"""Stands for the Events we write, in the same place."""
REPOSITORIES = "/repositories"
"""Stands for what is wrong with the Secrets and ConfigMaps that describe repositories."""
_GATHER = 0.1
"""Changes of managed objects within so many seconds are looked at together."""
_WEIGH_EVERY = 10.0
_ALWAYS = frozenset({APPLICATION, PROJECT, SECRET, CONFIG_MAP})
"""Kinds of the home cluster that we live on, whatever settings exclude."""


class _Spec(msgspec.Struct):
    destination: Destination | None = None


class _Delivered(msgspec.Struct):
    """As much of an Application as says where it is delivered to."""

    spec: _Spec | None = None


_DELIVERED = msgspec.json.Decoder(_Delivered)


class Controller:
    """Keeps Applications equal to their sources, on every cluster they are delivered to.

    With an `overlay` the settings follow the installation's ConfigMaps, changed by it; else they stay as they are.
    `readers` are handed the credentials of repositories. In the mode that observes nothing is written, except on behalf
    of Applications that were taken over.
    """

    def __init__(
        self,
        world: World,
        *,
        on_failure: Callable[[AppKey, BaseException], None],
        overlay: Callable[[Settings], Settings] | None = None,
        readers: Sequence[Accessible] = (),
        mode: Mode = Mode.ACT,
        shards: Shards | None = None,
    ) -> None:
        self._world = world
        self._on_failure = on_failure
        width = world.settings.limits.status_processors
        self.queue = WorkQueue(world.clock, lane_of=self._lane_of, width=width)
        self.live = LiveCluster(
            world.home,
            world.settings,
            world.clock,
            on_change=self._changed_at_home,
            on_write=lambda obj: self._written(names.IN_CLUSTER_SERVER, obj),
            on_reach=lambda trouble: self._reached(names.IN_CLUSTER_SERVER, trouble),
            scope=Scope(always=_ALWAYS),
        )
        self._lookout = Lookout(self._lane_of)
        self.sources = Sources(world, self._moved_on)
        interest = Interest()
        listeners = Listeners(self._changed, self._written, self._reached)
        self.destinations = Destinations(world, self.live, interest, listeners)
        self._observer = Observer(world, self.live, self.sources, interest, self.destinations, self._lookout)
        self._reporter = Reporter(world)
        self._events = Events(world, on_dropped=lambda words: self._reporter.trouble(EVENTS, words))
        self._reconciler = Reconciler(world, self.live, self._observer, self._reporter, self._events, mode)
        self._installation = Installation(
            world,
            self.live,
            overlay=overlay,
            readers=readers,
            on_settings=self._use,
            on_access=self._access_changed,
            on_problems=lambda problems: self._reporter.trouble(REPOSITORIES, "; ".join(problems)),
        )
        self._shards = shards
        if shards is not None:
            shards.on_change = self._share_changed
        self._unreadable: dict[str, str] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._passes: dict[AppKey, asyncio.Task[None]] = {}
        self._moved: dict[AppKey, None] = {}
        self.on_moved: Callable[[AppKey], None] = lambda _key: None
        """Told of every app whose source has something new; for those who measure."""
        self._moved_due = asyncio.Event()

    def report(self) -> Report:
        """Return how the verdicts on Applications that are only observed compare with Argo CD's."""
        return self._reconciler.onlooker.report()

    def observed(self) -> bool:
        """Whether every Application was looked at, or is paused."""
        seen = self._reconciler.onlooker.seen()
        objects = list(self.live.index.of_kind(APPLICATION))
        ours = [obj for obj in objects if self._ours(obj["metadata"]["namespace"]) and not is_paused(obj)]
        return all(f"{obj['metadata']['namespace']}/{obj['metadata']['name']}" in seen for obj in ours)

    async def start(self) -> None:
        """Begin to follow the cluster and to work."""
        await self.live.start()
        if self._shards is not None:
            await self._shards.start()
        self._tasks = [
            asyncio.create_task(self._run(), name="controller"),
            asyncio.create_task(self._installation.follow_settings(), name="settings"),
            asyncio.create_task(self._installation.follow_access(), name="credentials"),
            asyncio.create_task(self._events.run(), name="events"),
            asyncio.create_task(self._triage(), name="triage"),
            asyncio.create_task(self._weigh(), name="weigh"),
        ]

    async def stop(self) -> None:
        """Stop; what was begun is in the Applications and is resumed by the next controller."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._end_passes(self._passes)
        if self._shards is not None:
            await self._shards.stop()
        await self.sources.stop()
        await self.destinations.stop()
        await self.live.stop()

    async def _run(self) -> None:
        await self.live.ready()
        await self._installation.begin()
        self._tell_unreadable()
        while True:
            key = await self.queue.take()
            if not self._mine(key):
                self._lookout.begin(key)
                self._lookout.end(key)
                self.queue.done(key)
                continue
            self._passes[key] = asyncio.create_task(self._work(key), name=f"pass {key}")

    async def _work(self, key: AppKey) -> None:
        self._lookout.begin(key)
        try:
            look_again = await self._reconciler.reconcile(key)
        except Exception as error:  # noqa: BLE001 - one app's bug must not stop the others; it is reported and tried again
            self._on_failure(key, error)
            self.queue.add_after(key, 30.0)
        else:
            self.queue.add_when(key, look_again)
        finally:
            self._lookout.end(key, gone=application_key(key) not in self.live.index)
            self._passes.pop(key, None)
            self.queue.done(key)

    async def _end_passes(self, keys: Iterable[AppKey]) -> None:
        tasks = [self._passes[key] for key in list(keys) if key in self._passes]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _mine(self, key: AppKey) -> bool:
        """Whether an Application is of a shard that this controller holds."""
        return self._shards is None or self._shards.owns(self._cluster_of(key), self.destinations.known())

    def _share_changed(self) -> None:
        """Take up what is ours now, and stop in the middle of what no longer is."""
        for key in [key for key in self._passes if not self._mine(key)]:
            self._passes[key].cancel()
        self._enqueue_all()

    async def _weigh(self) -> None:
        """Keep the shards told of how many Applications each cluster has, where clusters are dealt out by that."""
        while self._shards is not None and self._shards.weighed:
            await self._world.clock.sleep(_WEIGH_EVERY)
            counts = Counter(self._lane_of(app) for app in self._apps())
            if self._shards.weigh(counts, self.destinations.known()):
                self._share_changed()

    def _moved_on(self, key: AppKey) -> None:
        """Look at an app whose source has something new; until then nothing that it may desire is pruned."""
        self._lookout.moved_on(key)
        self._moved[key] = None
        self._moved_due.set()
        self.on_moved(key)

    async def _triage(self) -> None:
        """Let the apps that a commit concerns go first: of thousands in one repository it is mostly a few."""
        while True:
            await self._moved_due.wait()
            self._moved_due.clear()
            moved, self._moved = self._moved, {}
            unconcerned = []
            for key in moved:
                if await self.sources.concerns(key):
                    self.queue.add(key)
                else:
                    unconcerned.append(key)
            for key in unconcerned:
                # It desires what it did before, so nobody has to wait for it.
                self._lookout.begin(key)
                self._lookout.end(key)
                self.queue.add_idle(key)

    def _changed_at_home(self, obj: Object) -> None:
        """Enqueue what a change on the home cluster concerns, and notice what the installation is told."""
        key = key_of(obj)
        if key.group_kind == APPLICATION:
            if self._ours(key.namespace):
                app = AppKey(key.namespace, key.name)
                self._lookout.heard_of(app)
                self.queue.add(app)
        elif key.group_kind == PROJECT:
            self._enqueue_all()
        elif key.group_kind in _ALWAYS:
            self._installation.changed(obj)
            if key.namespace == self._world.settings.namespace and cluster.is_cluster_secret(obj):
                self.destinations.secret_changed()
                self._tell_unreadable()
                self._enqueue_all()
        self._changed(names.IN_CLUSTER_SERVER, obj)

    def _tell_unreadable(self) -> None:
        """Say which cluster Secrets cannot be read, and when one can be again."""
        before, self._unreadable = self._unreadable, {one.secret: one.why for one in self.destinations.broken()}
        for secret in sorted({*before, *self._unreadable}):
            self._reporter.trouble(f"{CLUSTER}/{secret}", self._unreadable.get(secret, ""))

    def _changed(self, server: str, obj: Object) -> None:
        """Enqueue every Application a changed object may concern."""
        place = self.destinations.opened(server)
        if place is None:
            return
        for instance in sorted(place.live.index.instances_above(obj)):
            self._enqueue_soon(self._app_of(instance))
        key = key_of(obj)
        for app in sorted(place.interest.apps(key) | self._observer.orphans.watchers(server, key.namespace)):
            self._enqueue_soon(app)

    def _reached(self, server: str, trouble: str) -> None:
        """Say that a cluster is away, or back; its Applications are then looked at again."""
        place = self.destinations.opened(server)
        at_home = server == names.IN_CLUSTER_SERVER
        name = "" if at_home or place is None else f"/{place.known.name}"
        self._reporter.trouble(CLUSTER + name, trouble)
        if at_home and trouble:
            return
        if at_home:
            self._enqueue_all()
        else:
            self._look_at(server)

    def _look_at(self, server: str) -> None:
        """Enqueue every Application that is delivered to a cluster."""
        for app in self._apps():
            if self._lane_of(app) == server:
                self.queue.add(app)

    def _written(self, server: str, obj: Object) -> None:
        """Enqueue the parents of an Application we just wrote to: its watch event will bring nothing new."""
        if key_of(obj).group_kind == APPLICATION and (place := self.destinations.opened(server)):
            for instance in sorted(place.live.index.instances_above(obj)):
                self._enqueue_soon(self._app_of(instance))

    def _use(self, settings: Settings) -> None:
        """Go on under other settings; everything is looked at again."""
        before, self._world.settings = self._world.settings, settings
        self.sources.settings_changed(before)
        for view in self.destinations.views():
            view.use(settings)
        self.destinations.secret_changed()
        self._reconciler.settings_changed()
        self._enqueue_all()

    def _access_changed(self) -> None:
        """Read sources with other credentials and keys; everything is looked at again."""
        self.sources.access_changed()
        self._enqueue_all()

    def _enqueue_soon(self, app: AppKey) -> None:
        if self._ours(app.namespace):
            self.queue.add_after(app, _GATHER)

    def _ours(self, namespace: str) -> bool:
        return namespaces.permitted(namespace, self._world.settings)

    def _app_of(self, instance: str) -> AppKey:
        namespace, underscore, name = instance.partition("_")
        return AppKey(namespace, name) if underscore else AppKey(self._world.settings.namespace, instance)

    def _lane_of(self, key: AppKey) -> str:
        """Return the server an app is delivered to; apps that name none share a lane."""
        found = self._cluster_of(key)
        return found.server if found else ""

    def _cluster_of(self, key: AppKey) -> KnownCluster | None:
        try:
            found = self.live.index.part(application_key(key), _DELIVERED)
            spec = found.spec if found is not None else None
            return self.destinations.choose((spec and spec.destination) or Destination())
        except (InvalidSpec, msgspec.ValidationError):
            return None

    def _apps(self) -> list[AppKey]:
        found = self.live.index.keys(APPLICATION)
        return [AppKey(key.namespace, key.name) for key in found if self._ours(key.namespace)]

    def _enqueue_all(self) -> None:
        for app in self._apps():
            self.queue.add(app)
