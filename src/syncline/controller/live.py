"""Keeps the live objects of one cluster at hand: lists every kind once, then follows its changes.

Started by `syncline.controller.controller` for the home cluster and by `syncline.controller.destinations` for others; a
change is put into the index and reported to `on_change`. A kind that cannot be listed is named in `failures` and makes
what depends on it Unknown, not the whole cluster. `load` reads everything once without following it, for the command
line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, key_of
from syncline.controller.index import LiveIndex, version_of
from syncline.controller.scope import Scope, Watched
from syncline.controller.updates import matters
from syncline.core.settings import filters
from syncline.model.settings import Settings
from syncline.model.settings_resources import RespectRbac
from syncline.model.snapshot import KindFact
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, Discovery, EventType, Reader
from syncline.ports.transport import TransportError

CRD_KIND = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_PAUSE_AFTER_FAILURE = 2.0
_LONGEST_PAUSE = 30.0
_PAUSE_AFTER_CUT = 0.2
_ANSWER_WITHIN = 30.0
"""A cluster that has not said in so many seconds which kinds it serves is unreachable."""

_PROBE_WITHIN = 10.0
_NAMESPACES = ApiResource(gvk=GroupVersionKind("", "v1", "Namespace"), plural="namespaces", namespaced=False)


class LiveCluster:
    """The live view of one cluster."""

    def __init__(
        self,
        cluster: Reader,
        settings: Settings,
        clock: Clock,
        *,
        on_change: Callable[[Object], None],
        on_write: Callable[[Object], None] = lambda _obj: None,
        on_reach: Callable[[str], None] = lambda _trouble: None,
        scope: Scope | None = None,
    ) -> None:
        self._scope = scope or Scope()
        self.index = LiveIndex(settings, self._scope.server)
        self.failures: dict[GroupKind, str] = {}
        self.discovery = Discovery(())
        self.unreachable = ""
        self.listeners: list[Callable[[Object], None]] = []
        """Told of every change and every write of our own; for streams that come and go."""
        self._facts: tuple[KindFact, ...] = ()
        self._facts_of: Discovery | None = None
        self._cluster = cluster
        self._settings = settings
        self._clock = clock
        self._on_change = on_change
        self._on_write = on_write
        self._on_reach = on_reach
        self._watches: dict[Watched, asyncio.Task[None]] = {}
        self._loaded: dict[Watched, asyncio.Event] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._rediscover = asyncio.Event()

    async def load(self) -> None:
        """Read everything once; a kind that may not be read is named in `failures`, the rest goes on."""
        self.discovery = await self._cluster.discover()
        wanted = [(watched, resource) for watched, resource in self._wanted().items()]
        done = await asyncio.gather(*(self._load(*item) for item in wanted), return_exceptions=True)
        for outcome in done:
            if isinstance(outcome, BaseException) and not isinstance(outcome, ApiError):
                raise outcome

    async def start(self, *, probe: float = 0.0) -> None:
        """Begin to follow the cluster; returns at once. Every `probe` seconds it is asked whether it still answers."""
        self._rediscover.set()
        self._tasks = [asyncio.create_task(self._follow_discovery(), name="live: discovery")]
        if probe:
            self._tasks.append(asyncio.create_task(self._probe(probe), name="live: probe"))

    async def ready(self) -> None:
        """Wait until discovery answered and every kind was listed or found unlistable."""
        while not self.discovery.resources:
            await self._clock.sleep(0.05)
        for event in list(self._loaded.values()):
            await event.wait()

    async def settled(self, patience: float) -> str:
        """Wait until the cluster was read, or is known not to answer; return what is missing after `patience`."""
        deadline = self._clock.monotonic() + patience
        while not self.unreachable:
            unread = [watched.kind for watched, event in self._loaded.items() if not event.is_set()]
            if self.discovery.resources and not unread:
                return ""
            if self._clock.monotonic() >= deadline:
                return f"the cluster has not been read yet: {_some(unread) or 'which kinds it serves'}"
            await self._clock.sleep(0.05)
        return ""

    async def stop(self) -> None:
        """Stop following."""
        tasks = [*self._watches.values(), *self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watches.clear()

    def use(self, settings: Settings) -> None:
        """Go on under other settings: kinds that are seen now are followed, others dropped, marks are read anew."""
        self._settings = settings
        self.index.use(settings)
        if self.discovery.resources:
            self._start_watches()

    def resource(self, kind: GroupKind, version: str = "") -> ApiResource | None:
        """Return how a kind is served."""
        return self.discovery.find(kind, version)

    def kinds(self) -> tuple[KindFact, ...]:
        """Return what is known about kinds."""
        if self._facts_of is not self.discovery:
            found: dict[GroupKind, KindFact] = {}
            for resource in self.discovery.resources:
                kind = resource.gvk.group_kind
                found.setdefault(kind, KindFact(kind, resource.namespaced, resource.gvk.version))
            self._facts = tuple(found[kind] for kind in sorted(found))
            self._facts_of = self.discovery
        return self._facts

    def definitions(self, kinds: Iterable[GroupKind]) -> tuple[Object, ...]:
        """Return the CRDs of custom kinds."""
        wanted = set(kinds)
        found = []
        for crd in self.index.of_kind(CRD_KIND):
            spec = crd.get("spec") or {}
            if GroupKind(str(spec.get("group")), str((spec.get("names") or {}).get("kind"))) in wanted:
                found.append(crd)
        return tuple(found)

    def note_write(self, obj: Object) -> None:
        """Take over an object the API server just answered with, so that the next look is not older than our write."""
        if version_of(obj) and self._seen(_kind_of(obj)) and self.index.put(obj):
            self._on_write(obj)
            self._tell(obj)

    async def rediscover(self) -> None:
        """Ask the cluster again which kinds it serves, now."""
        self.discovery = await self._cluster.discover()
        self._start_watches()

    def unlisted(self, kind: GroupKind) -> bool:
        """Whether objects of a kind may be there unseen: the kind could not be listed, or its group not asked."""
        return kind in self.failures or kind.group in self.discovery.failed

    def _seen(self, kind: GroupKind) -> bool:
        return kind in self._scope.always or not filters.excluded(kind, self._settings, self._scope.server)

    def _wanted(self) -> dict[Watched, ApiResource]:
        wanted: dict[Watched, ApiResource] = {}
        for resource in self.discovery.resources:
            if self._seen(resource.gvk.group_kind):
                for watched in self._scope.watches(resource):
                    wanted.setdefault(watched, resource)
        return wanted

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

    async def _probe(self, every: float) -> None:
        """Notice a cluster that went silent: a quiet watch looks the same as a dead one."""
        while True:
            await self._clock.sleep(every)
            try:
                async with asyncio.timeout(_PROBE_WITHIN):
                    await self._cluster.get(_NAMESPACES, "", "default")
            except TimeoutError:
                self._reach(f"the cluster did not answer within {_PROBE_WITHIN:g} s")
            except TransportError as error:
                self._reach(str(error))
            except ApiError as error:
                self._reach(error.message if error.code == 401 else "")
            else:
                self._reach("")

    def _start_watches(self) -> None:
        wanted = self._wanted()
        failed = self.discovery.failed
        for watched in [one for one in self._watches if one not in wanted and one.kind.group not in failed]:
            self._watches.pop(watched).cancel()
            self._loaded.pop(watched, None)
            self.failures.pop(watched.kind, None)
            for obj in self.index.replace_kind(watched.kind, (), watched.namespace):
                self._changed(obj)
        for watched, resource in wanted.items():
            if watched not in self._watches:
                self._loaded[watched] = asyncio.Event()
                self._watches[watched] = asyncio.create_task(self._follow(watched, resource), name=f"live: {watched}")

    async def _load(self, watched: Watched, resource: ApiResource) -> str:
        try:
            listed = await self._cluster.list(resource, namespace=watched.namespace)
        except (ApiError, TransportError) as error:
            if self._settings.respect_rbac is RespectRbac.OFF or not _forbidden(error):
                self.failures[watched.kind] = str(error)
            raise
        self.failures.pop(watched.kind, None)
        items = (_complete(item, resource.gvk) for item in listed.items)
        for obj in self.index.replace_kind(watched.kind, items, watched.namespace):
            self._changed(obj)
        return listed.resource_version

    async def _follow(self, watched: Watched, resource: ApiResource) -> None:
        """List, then watch; what a cut watch missed is in the next list."""
        pause = _PAUSE_AFTER_FAILURE
        while True:
            try:
                version = await self._load(watched, resource)
            except ApiError:
                pause = await self._rest(watched, pause)
            except TransportError as error:
                self._reach(str(error))
                pause = await self._rest(watched, pause)
            else:
                self._reach("")
                self._loaded[watched].set()
                pause = _PAUSE_AFTER_FAILURE
                await self._watch_until_cut(watched, resource, version)

    async def _watch_until_cut(self, watched: Watched, resource: ApiResource, version: str) -> None:
        """Follow one kind; a stream that breaks says nothing about the cluster, only the next list does."""
        try:
            await self._watch(watched, resource, version)
        except ApiError as error:
            if error.code != 410:
                await self._clock.sleep(_PAUSE_AFTER_CUT)
        except TransportError:
            await self._clock.sleep(_PAUSE_AFTER_CUT)

    async def _rest(self, watched: Watched, pause: float) -> float:
        if event := self._loaded.get(watched):
            event.set()
        await self._clock.sleep(pause)
        return min(pause * 2, _LONGEST_PAUSE)

    def _reach(self, trouble: str) -> None:
        """Note whether the cluster answers; told on, once, when that changes."""
        before, self.unreachable = self.unreachable, trouble
        if bool(trouble) != bool(before):
            self._on_reach(trouble)

    async def _watch(self, watched: Watched, resource: ApiResource, version: str) -> None:
        """Follow one kind from a version on; the server ends a stream now and then, and we go on where it stopped."""
        while True:
            async for event in self._cluster.watch(resource, resource_version=version, namespace=watched.namespace):
                version = str((event.obj.get("metadata") or {}).get("resourceVersion") or version)
                if event.type is EventType.BOOKMARK:
                    continue
                obj = _complete(event.obj, resource.gvk)
                if event.type is EventType.DELETED:
                    self.index.remove(obj)
                    self._changed(obj)
                else:
                    self._put(obj)

    def _put(self, obj: Object) -> None:
        """Take over what a watch brought; an update of nothing that counts wakes nobody."""
        before = self.index.get(key_of(obj))
        if not self.index.put(obj):
            return
        if before is None or matters(before, obj, self._settings):
            self._changed(obj)
        else:
            self._tell(obj)

    def _changed(self, obj: Object) -> None:
        if obj.get("kind") == CRD_KIND.kind:
            self._rediscover.set()
        self._on_change(obj)
        self._tell(obj)

    def _tell(self, obj: Object) -> None:
        for listener in self.listeners:
            listener(obj)


def _forbidden(error: Exception) -> bool:
    return isinstance(error, ApiError) and error.code in (401, 403)


def _some(kinds: list[GroupKind]) -> str:
    more = f" and {len(kinds) - 3} more" if len(kinds) > 3 else ""
    return ", ".join(str(kind) for kind in sorted(kinds)[:3]) + more


def _kind_of(obj: Object) -> GroupKind:
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    return GroupKind(group, str(obj.get("kind") or ""))


def _complete(obj: Object, gvk: GroupVersionKind) -> Object:
    """Return a list item with the kind and version that lists leave out."""
    if obj.get("kind") and obj.get("apiVersion"):
        return obj
    return {"apiVersion": gvk.api_version, "kind": gvk.kind, **obj}
