"""A cluster whose lists and watches a test writes down, and which remembers what it was asked."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.scope import ViewScope
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError, ApiResource, Discovery, EventType, Page, WatchEvent
from syncline.ports.transport import TransportError
from tests.support.clocks import LoopClock
from tests.support.objects import SETTINGS

VERBS = frozenset({"list", "watch"})
MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True, verbs=VERBS)
PODS = ApiResource(gvk=GroupVersionKind("", "v1", "Pod"), plural="pods", namespaced=True, verbs=VERBS)
BROKEN = TransportError("the stream broke")
EXPIRED = ApiError(410, "Expired", "too old resource version")
FORBIDDEN = ApiError(403, "Forbidden", "pods is forbidden")

Step = WatchEvent | Exception | float
Listing = Iterable[Page | Exception | Callable[[], None]]


def widgets(version: str) -> ApiResource:
    return ApiResource(
        gvk=GroupVersionKind("example.io", version, "Widget"), plural="widgets", namespaced=True, verbs=VERBS
    )


def event(kind: EventType, obj: Object) -> WatchEvent:
    return WatchEvent(kind, obj)


def bookmark(version: int) -> WatchEvent:
    return WatchEvent(EventType.BOOKMARK, {"metadata": {"resourceVersion": str(version)}})


class Served:
    """What a test lets a cluster say. A list is used up, except for the last; a watch without steps says nothing."""

    def __init__(self, *resources: ApiResource) -> None:
        self.discovery = Discovery(resources)
        self.lists: dict[str, list[Listing]] = defaultdict(list)
        self.watches: dict[str, list[list[Step]]] = defaultdict(list)
        self.asked: list[str] = []
        self.discoveries = 0

    async def discover(self) -> Discovery:
        self.discoveries += 1
        return self.discovery

    async def pages(
        self,
        resource: ApiResource,
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        metadata_only: bool = False,
    ) -> AsyncIterator[Page]:
        path = resource.path(namespace)
        self.asked.append(f"list {path}")
        waiting = self.lists[path]
        for step in (waiting.pop(0) if len(waiting) > 1 else waiting[0]) if waiting else [Page((), "1", begins=True)]:
            if isinstance(step, Exception):
                raise step
            if isinstance(step, Page):
                yield step
            else:
                step()

    async def watch(
        self, resource: ApiResource, *, resource_version: str, namespace: str = "", field_selector: str = ""
    ) -> AsyncIterator[WatchEvent]:
        path = resource.path(namespace)
        self.asked.append(f"watch {path} from {resource_version}")
        if not self.watches[path]:
            await asyncio.Event().wait()
        for step in self.watches[path].pop(0):
            if isinstance(step, Exception):
                raise step
            if isinstance(step, float):
                await asyncio.sleep(step)
            else:
                yield step


class View:
    """A live view of such a cluster, and what it told."""

    def __init__(self, cluster: Served, settings: Settings = SETTINGS, scope: ViewScope | None = None) -> None:
        self.changed: list[str] = []
        self.reached: list[str] = []
        reader: Any = cluster
        self.live = LiveCluster(
            reader,
            settings,
            LoopClock(),
            on_change=lambda obj: self.changed.append(obj["metadata"]["name"]),
            on_reach=self.reached.append,
            scope=scope,
        )

    async def follow(self, seconds: float) -> None:
        """Begin to follow, and go on for a while."""
        await self.live.start()
        await self.live.ready()
        await asyncio.sleep(seconds)

    def names(self, resource: ApiResource) -> list[str]:
        return [key.name for key in self.live.index.keys(resource.gvk.group_kind)]
