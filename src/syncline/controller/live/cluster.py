"""Keeps the live objects of one cluster at hand: lists every kind once, then follows its changes.

Started by `syncline.controller.controller` for the home cluster and by `syncline.controller.clusters.destinations` for
others. Here is which kinds there are and whether the cluster answers; `syncline.controller.live.following` follows one
kind, and `syncline.controller.live.intake` puts what comes into the index and reports it to `on_change`. A kind that
cannot be listed is named in `failures` and makes what depends on it Unknown, not the whole cluster. `load` reads
everything once without following it, for the command line.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Mapping

from syncline import tasks
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, gvk_of
from syncline.controller.live.events import EVENT, WARNINGS, ObjectEvents
from syncline.controller.live.following import FollowerTools, KindFollower
from syncline.controller.live.index import CRD_KIND, LiveIndex
from syncline.controller.live.intake import Intake
from syncline.controller.live.scope import ViewScope, WatchTarget
from syncline.core.settings import filters
from syncline.model import names
from syncline.model.settings.resources import RespectRbac
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import KindFact
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, ClusterReader, Discovery
from syncline.ports.transport import TransportError

__all__ = ["CRD_KIND", "LiveCluster"]

_PAUSE_AFTER_FAILURE = 2.0
_LONGEST_PAUSE = 30.0
_ASK_AGAIN = 30.0
"""How long an API group that could not be asked for its kinds is left alone."""
_ANSWER_WITHIN = 30.0
"""A cluster that has not said in so many seconds which kinds it serves is unreachable."""
_EVENTS_WITHIN = 5.0
"""So long the first look at apps waits for Events: without them it is right too, but says less."""
_PROBE_WITHIN = 10.0
_CONFIG_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
_NAMESPACES = ApiResource(gvk=GroupVersionKind("", "v1", "Namespace"), plural="namespaces", namespaced=False)


class LiveCluster:
    """The live view of one cluster."""

    def __init__(
        self,
        cluster: ClusterReader,
        settings: Settings,
        clock: Clock,
        *,
        on_change: Callable[[Object], None],
        on_write: Callable[[Object], None] = lambda _obj: None,
        on_reach: Callable[[str], None] = lambda _trouble: None,
        on_event: Callable[[Object], None] = lambda _obj: None,
        on_events_refused: Callable[[str], None] = lambda _words: None,
        scope: ViewScope | None = None,
    ) -> None:
        self._scope = scope or ViewScope()
        self.index = LiveIndex(settings, self._scope.server)
        self.discovery = Discovery(())
        self.unreachable = ""
        self._rediscover = asyncio.Event()
        self._intake = Intake(
            self.index, settings, on_change=on_change, on_write=on_write, on_definition=self._rediscover.set
        )
        self.listeners = self._intake.listeners
        """Told of every change and every write of our own; for streams that come and go."""
        self._failures: Mapping[GroupKind, str] | None = None
        self._resources: tuple[Discovery, dict[tuple[GroupKind, str], ApiResource | None]] = (self.discovery, {})
        self._facts: tuple[KindFact, ...] = ()
        self._facts_of: Discovery | None = None
        self._cluster = cluster
        self._settings = settings
        self._clock = clock
        self._on_reach = on_reach
        self._means = FollowerTools(cluster, clock, self._intake, self._reach, self._turned, self._forget_failures)
        self.events = ObjectEvents(self.index, settings, on_event)
        self.events_refused = ""
        """The server's words where we have no right to read Events: health then does without."""
        self._on_events_refused = on_events_refused
        # Whether Events can be read says nothing about the cluster, and nothing waits for it to turn.
        self._event_means = FollowerTools(
            cluster, clock, self.events, _unheard, lambda: None, self._note_events, field_selector=WARNINGS
        )
        self._followed: dict[WatchTarget, KindFollower] = {}
        self._followed_events: dict[WatchTarget, KindFollower] = {}
        self._events_listed = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._asking_again: list[asyncio.Task[None]] = []

    @property
    def failures(self) -> Mapping[GroupKind, str]:
        """The kinds that cannot be listed, somewhere or at all, and why."""
        # Asked several times in every pass, about some seventy kinds: worked out when a list came or was refused.
        if self._failures is None:
            self._failures = {watched.kind: one.trouble for watched, one in self._followed.items() if one.trouble}
        return self._failures

    def _forget_failures(self) -> None:
        self._failures = None

    def _turned(self) -> None:
        """Look again at what a kind concerns that can be listed now, or no longer."""
        self._forget_failures()
        self._on_reach(self.unreachable)

    async def load(self) -> None:
        """Read everything once; a kind that may not be read is named in `failures`, the rest goes on."""
        self.discovery = await self._cluster.discover()
        wanted = self._wanted()
        self._followed = {watched: KindFollower(self._means, watched, wanted[watched]) for watched in wanted}
        self._forget_failures()
        done = await asyncio.gather(*(one.load() for one in self._followed.values()), return_exceptions=True)
        for outcome in done:
            if isinstance(outcome, BaseException) and not isinstance(outcome, ApiError):
                raise outcome
        await self._load_events()

    async def _load_events(self) -> None:
        """Read Events once, after the objects they are about; without a right to them there are none."""
        wanted = self._wanted_events()
        self._followed_events = {
            watched: KindFollower(self._event_means, watched, wanted[watched]) for watched in wanted
        }
        for one in self._followed_events.values():
            with contextlib.suppress(ApiError, TransportError):
                await one.load()

    async def start(self, *, probe: float = 0.0) -> None:
        """Begin to follow the cluster; returns at once. Every `probe` seconds it is asked whether it still answers."""
        self._rediscover.set()
        self._tasks = [
            tasks.watch_over(self._follow_discovery(), name="live: discovery"),
            tasks.watch_over(self._follow_events(), name="live: events"),
        ]
        if probe:
            self._tasks.append(tasks.watch_over(self._probe(probe), name="live: probe"))

    async def ready(self) -> None:
        """Wait until discovery answered and every kind was listed or found unlistable; for Events only a while."""
        await self._objects_read()
        await self._events_read()

    def is_ready(self) -> bool:
        """Whether discovery answered and every kind was listed or found unlistable."""
        return bool(self.discovery.resources) and all(one.loaded.is_set() for one in self._followed.values())

    async def _objects_read(self) -> None:
        while not self.discovery.resources:
            await self._clock.sleep(0.05)
        for one in list(self._followed.values()):
            await one.loaded.wait()

    async def _events_read(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_EVENTS_WITHIN):
                await self._events_listed.wait()

    async def settled(self, patience: float) -> str:
        """Wait until the cluster was read, or is known not to answer; return what is missing after `patience`."""
        deadline = self._clock.monotonic() + patience
        while not self.unreachable:
            unread = [watched.kind for watched, one in self._followed.items() if not one.loaded.is_set()]
            if self.discovery.resources and not unread:
                await self._events_read()
                return ""
            if self._clock.monotonic() >= deadline:
                return f"the cluster has not been read yet: {_some(unread) or 'which kinds it serves'}"
            await self._clock.sleep(0.05)
        return ""

    async def stop(self) -> None:
        """Stop following."""
        following = [*self._followed.values(), *self._followed_events.values()]
        ending = [task for one in following for task in one.stop()]
        for task in (*self._tasks, *self._asking_again):
            task.cancel()
            ending.append(task)
        await asyncio.gather(*ending, return_exceptions=True)
        self._followed.clear()
        self._followed_events.clear()
        self._forget_failures()

    def use(self, settings: Settings) -> None:
        """Go on under other settings: kinds that are seen now are followed, others dropped, marks are read again."""
        self._settings = self._intake.settings = self.events.settings = settings
        self.index.use(settings)
        if self.discovery.resources:
            self._start_watches()

    def resource(self, kind: GroupKind, version: str = "") -> ApiResource | None:
        """Return how a kind is served; sought among all of them once for each discovery."""
        of, known = self._resources
        if of is not self.discovery:
            known = {}
            self._resources = (self.discovery, known)
        asked = (kind, version)
        if asked not in known:
            known[asked] = self.discovery.find(kind, version)
        return known[asked]

    def kinds(self) -> tuple[KindFact, ...]:
        """Return what is known about kinds."""
        if self._facts_of is not self.discovery:
            found: dict[GroupKind, KindFact] = {}
            for resource in self.discovery.resources:
                kind = resource.gvk.group_kind
                before = found[kind].versions if kind in found else ()
                found[kind] = KindFact(kind, resource.namespaced, (*before, resource.gvk.version))
            facts = tuple(found[kind] for kind in sorted(found))
            # What is worked out from kinds is remembered by their identity: equal ones stay the same ones.
            self._facts = self._facts if facts == self._facts else facts
            self._facts_of = self.discovery
        return self._facts

    def definitions(self, kinds: Iterable[GroupKind]) -> tuple[Object, ...]:
        """Return the CRDs of custom kinds."""
        found = (self.index.definition(kind) for kind in sorted(set(kinds)))
        return tuple(crd for crd in found if crd is not None)

    def note_write(self, obj: Object) -> None:
        """Take over an object the API server just answered with, so that the next look is not older than our write."""
        if self._seen(gvk_of(obj).group_kind):
            self._intake.written(obj)

    def note_change(self, obj: Object) -> None:
        """Take over an object that a sync wrote as if its watch had brought it, which then changes nothing."""
        if self._seen(gvk_of(obj).group_kind):
            self._intake.written_meanwhile(obj)

    async def rediscover(self) -> None:
        """Ask the cluster again which kinds it serves, now."""
        before, self.discovery = self.discovery, await self._cluster.discover()
        self._start_watches()
        if before.resources and set(before.failed) != set(self.discovery.failed):
            self._on_reach(self.unreachable)

    def unlisted(self, kind: GroupKind) -> bool:
        """Whether objects of a kind may be there unseen: the kind could not be listed, or its group not asked."""
        return kind in self.failures or kind.group in self.discovery.failed

    def _seen(self, kind: GroupKind) -> bool:
        return kind in self._scope.always or not filters.excluded(kind, self._settings, self._scope.server)

    def _wanted(self) -> dict[WatchTarget, ApiResource]:
        wanted: dict[WatchTarget, ApiResource] = {}
        for resource in self.discovery.resources:
            if self._seen(resource.gvk.group_kind):
                for watched in self._scope.watches(resource):
                    wanted.setdefault(watched, resource)
        return wanted

    def _wanted_events(self) -> dict[WatchTarget, ApiResource]:
        resource = self.discovery.find(EVENT)
        return dict.fromkeys(self._scope.watches(resource), resource) if resource is not None else {}

    async def _follow_events(self) -> None:
        """Follow Events, once the objects are known that they may be about."""
        await self._objects_read()
        for watched, resource in self._wanted_events().items():
            self._followed_events[watched] = KindFollower(self._event_means, watched, resource)
            self._followed_events[watched].start()
        for one in list(self._followed_events.values()):
            await one.loaded.wait()
        self._events_listed.set()

    async def _follow_discovery(self) -> None:
        pause = _PAUSE_AFTER_FAILURE
        while True:
            await self._rediscover.wait()
            self._rediscover.clear()
            try:
                async with asyncio.timeout(_ANSWER_WITHIN):
                    await self.rediscover()
            except (ApiError, TransportError, TimeoutError) as error:
                self._reach(str(error) or f"the cluster did not answer within {_ANSWER_WITHIN:g} s")
                await self._clock.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
                self._rediscover.set()
            else:
                self._reach("")
                pause = _PAUSE_AFTER_FAILURE
                for task in self._asking_again:
                    task.cancel()
                if self.discovery.failed:
                    self._asking_again = [tasks.watch_over(self._ask_again(), name="live: discovery again")]

    async def _ask_again(self) -> None:
        """Ask once more after a while: a group that does not answer now is down more often than gone."""
        await self._clock.sleep(_ASK_AGAIN)
        self._rediscover.set()

    async def _probe(self, every: float) -> None:
        """Notice a cluster that went silent: a quiet watch looks the same as a dead one."""
        while True:
            await self._clock.sleep(every)
            try:
                async with asyncio.timeout(_PROBE_WITHIN):
                    await self._ask_anything()
            except TimeoutError:
                self._reach(f"the cluster did not answer within {_PROBE_WITHIN:g} s")
            except TransportError as error:
                self._reach(str(error))
            except ApiError as error:
                self._reach(error.message if error.code == 401 else "")
            else:
                self._reach("")

    async def _ask_anything(self) -> None:
        """Ask for an object: at home for one that we have a right to, elsewhere for one that every cluster has."""
        if self._scope.server == names.IN_CLUSTER_SERVER:
            await self._cluster.get(_CONFIG_MAPS, self._settings.namespace, "argocd-cm")
        else:
            await self._cluster.get(_NAMESPACES, "", "default")

    def _start_watches(self) -> None:
        wanted = self._wanted()
        failed = self.discovery.failed
        for watched in [one for one in self._followed if one not in wanted and one.kind.group not in failed]:
            self._followed.pop(watched).stop()
            for obj in self.index.drop_unseen(watched.kind, namespace=watched.namespace):
                self._intake.changed(obj)
        for watched, resource in wanted.items():
            former = self._followed.get(watched)
            # Served in another version now: what is known stays until the new list brings it in that version.
            if former is None or former.resource.path() != resource.path():
                self._followed[watched] = KindFollower(self._means, watched, resource)
                self._followed[watched].start(former)
        self._forget_failures()

    def _note_events(self) -> None:
        """Note whether we may read Events; told on, once, when that changes."""
        respected = self._settings.respect_rbac is not RespectRbac.OFF
        refused = next((one.refused for one in self._followed_events.values() if one.refused), "")
        before, self.events_refused = self.events_refused, "" if respected else refused
        if bool(before) != bool(self.events_refused):
            self._on_events_refused(self.events_refused)

    def _reach(self, trouble: str) -> None:
        """Note whether the cluster answers; told on, once, when that changes."""
        before, self.unreachable = self.unreachable, trouble
        if bool(trouble) != bool(before):
            self._on_reach(trouble)


def _unheard(_words: str) -> None:
    """Nobody wants to know."""


def _some(kinds: list[GroupKind]) -> str:
    more = f" and {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return ", ".join(str(kind) for kind in sorted(kinds)[:3]) + more
