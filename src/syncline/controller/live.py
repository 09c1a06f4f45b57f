"""Keeps the live objects of one cluster at hand: lists every kind once, then follows its changes.

Started by `syncline.controller.controller`; a change is put into the index and reported to `on_change`. A kind that
cannot be listed is named in `failures` and makes what depends on it Unknown, not the whole cluster. `load` reads
everything once without following it, for the command line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object
from syncline.controller.index import LiveIndex, version_of
from syncline.core.compare.prepare import excluded
from syncline.model.settings import Settings
from syncline.model.snapshot import KindFact
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, Discovery, EventType, Reader
from syncline.ports.transport import TransportError

CRD_KIND = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_NEEDED_VERBS = frozenset({"list", "watch"})
_PAUSE_AFTER_FAILURE = 2.0
_LONGEST_PAUSE = 30.0
_PAUSE_AFTER_CUT = 0.2


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
    ) -> None:
        self.index = LiveIndex(settings)
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
        self._watches: dict[GroupKind, asyncio.Task[None]] = {}
        self._loaded: dict[GroupKind, asyncio.Event] = {}
        self._starter: asyncio.Task[None] | None = None
        self._rediscover = asyncio.Event()

    async def load(self) -> None:
        """Read everything once; a kind that may not be read is named in `failures`, the rest goes on."""
        self.discovery = await self._cluster.discover()
        resources = list(self._wanted())
        done = await asyncio.gather(*(self._load(resource) for resource in resources), return_exceptions=True)
        for outcome in done:
            if isinstance(outcome, BaseException) and not isinstance(outcome, ApiError):
                raise outcome

    async def start(self) -> None:
        """Begin to follow the cluster; returns at once."""
        self._rediscover.set()
        self._starter = asyncio.create_task(self._follow_discovery(), name="live: discovery")

    async def ready(self) -> None:
        """Wait until discovery answered and every kind was listed or found unlistable."""
        while not self.discovery.resources:
            await self._clock.sleep(0.05)
        for event in list(self._loaded.values()):
            await event.wait()

    async def stop(self) -> None:
        """Stop following."""
        tasks = [*self._watches.values(), *([self._starter] if self._starter else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watches.clear()

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
        if version_of(obj) and not excluded(_kind_of(obj), self._settings) and self.index.put(obj):
            self._on_write(obj)
            self._tell(obj)

    async def rediscover(self) -> None:
        """Ask the cluster again which kinds it serves, now."""
        self.discovery = await self._cluster.discover()
        self._start_watches()

    def _wanted(self) -> Iterable[ApiResource]:
        seen: set[GroupKind] = set()
        for resource in self.discovery.resources:
            kind = resource.gvk.group_kind
            if kind not in seen and resource.verbs >= _NEEDED_VERBS and not excluded(kind, self._settings):
                seen.add(kind)
                yield resource

    async def _follow_discovery(self) -> None:
        pause = _PAUSE_AFTER_FAILURE
        while True:
            await self._rediscover.wait()
            self._rediscover.clear()
            try:
                await self.rediscover()
            except (ApiError, TransportError) as error:
                self._reach(str(error))
                await self._clock.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
                self._rediscover.set()
            else:
                self._reach("")
                pause = _PAUSE_AFTER_FAILURE

    def _start_watches(self) -> None:
        wanted = {resource.gvk.group_kind: resource for resource in self._wanted()}
        for kind in [kind for kind in self._watches if kind not in wanted and kind.group not in self.discovery.failed]:
            self._watches.pop(kind).cancel()
            self._loaded.pop(kind, None)
            for obj in self.index.replace_kind(kind, ()):
                self._changed(obj)
        for kind, resource in wanted.items():
            if kind not in self._watches:
                self._loaded[kind] = asyncio.Event()
                self._watches[kind] = asyncio.create_task(self._follow(resource), name=f"live: {kind}")

    async def _load(self, resource: ApiResource) -> str:
        kind = resource.gvk.group_kind
        try:
            listed = await self._cluster.list(resource)
        except (ApiError, TransportError) as error:
            self.failures[kind] = str(error)
            raise
        self.failures.pop(kind, None)
        for obj in self.index.replace_kind(kind, (_complete(item, resource.gvk) for item in listed.items)):
            self._changed(obj)
        return listed.resource_version

    async def _follow(self, resource: ApiResource) -> None:
        """List, then watch; what a cut watch missed is in the next list."""
        kind = resource.gvk.group_kind
        pause = _PAUSE_AFTER_FAILURE
        while True:
            try:
                version = await self._load(resource)
            except ApiError:
                pause = await self._rest(kind, pause)
            except TransportError as error:
                self._reach(str(error))
                pause = await self._rest(kind, pause)
            else:
                self._reach("")
                self._loaded[kind].set()
                pause = _PAUSE_AFTER_FAILURE
                await self._watch_until_cut(resource, version)

    async def _watch_until_cut(self, resource: ApiResource, version: str) -> None:
        """Follow one kind; a stream that breaks says nothing about the cluster, only the next list does."""
        try:
            await self._watch(resource, version)
        except ApiError as error:
            if error.code != 410:
                await self._clock.sleep(_PAUSE_AFTER_CUT)
        except TransportError:
            await self._clock.sleep(_PAUSE_AFTER_CUT)

    async def _rest(self, kind: GroupKind, pause: float) -> float:
        if event := self._loaded.get(kind):
            event.set()
        await self._clock.sleep(pause)
        return min(pause * 2, _LONGEST_PAUSE)

    def _reach(self, trouble: str) -> None:
        """Note whether the cluster answers; told on, once, when that changes."""
        if bool(trouble) != bool(self.unreachable):
            self._on_reach(trouble)
        self.unreachable = trouble

    async def _watch(self, resource: ApiResource, version: str) -> None:
        """Follow one kind from a version on; the server ends a stream now and then, and we go on where it stopped."""
        while True:
            async for event in self._cluster.watch(resource, resource_version=version):
                version = str((event.obj.get("metadata") or {}).get("resourceVersion") or version)
                if event.type is EventType.BOOKMARK:
                    continue
                obj = _complete(event.obj, resource.gvk)
                if event.type is EventType.DELETED:
                    self.index.remove(obj)
                    self._changed(obj)
                elif self.index.put(obj):
                    self._changed(obj)

    def _changed(self, obj: Object) -> None:
        if obj.get("kind") == CRD_KIND.kind:
            self._rediscover.set()
        self._on_change(obj)
        self._tell(obj)

    def _tell(self, obj: Object) -> None:
        for listener in self.listeners:
            listener(obj)


def _kind_of(obj: Object) -> GroupKind:
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    return GroupKind(group, str(obj.get("kind") or ""))


def _complete(obj: Object, gvk: GroupVersionKind) -> Object:
    """Return a list item with the kind and version that lists leave out."""
    if obj.get("kind") and obj.get("apiVersion"):
        return obj
    return {"apiVersion": gvk.api_version, "kind": gvk.kind, **obj}
