"""Follows the objects of one kind: lists them page by page, watches them, lists again when it must.

Started by `syncline.controller.live.cluster`, one for each kind; what comes is handed to
`syncline.controller.live.intake`. A watch that breaks is taken up where it was: only a version that the server no
longer has, or a refusal, leads to another list. The odd fact: a broken stream says nothing about the cluster, only a
list does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from syncline import tasks
from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.controller.live.scope import WatchTarget
from syncline.model.settings.resources import RespectRbac
from syncline.model.settings.settings import Settings
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, ApiResource, ClusterReader, EventType, WatchEvent
from syncline.ports.transport import TransportError

_PAUSE_AFTER_FAILURE = 2.0
_LONGEST_PAUSE = 30.0
_PAUSE_AFTER_CUT = 0.2
_LONGEST_AFTER_CUT = 5.0
_LASTED = 1.0
"""A stream that ends within so many seconds is not worth taking up: something is wrong with it."""
_PASSING = frozenset({429, 500, 502, 503, 504})


class Listing(Protocol):
    """One list that is being taken over."""

    def restart(self) -> None:
        """Start again: the pages so far were of a list that has expired."""

    def take(self, obj: Object) -> None:
        """Take over one item."""

    def finish(self, resource_version: str) -> None:
        """Drop what the list does not have; it is complete, as of a version."""


class Taker(Protocol):
    """Who takes over what lists and watches bring."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    def listing(self, watched: WatchTarget) -> AbstractContextManager[Listing]:
        """Take over a list for as long as the block lasts."""

    def updated(self, obj: Object) -> None:
        """Take over what a watch brought."""

    def deleted(self, obj: Object) -> None:
        """Forget what a watch says is gone."""


@dataclass(frozen=True, slots=True)
class FollowerTools:
    """What every kind of a cluster is followed with.

    `on_reach` is told whether the cluster answers, `on_turn` that a kind can be listed again, or no longer, and
    `on_listed` of every list that came or was refused. `field_selector` has the server leave objects out.
    """

    cluster: ClusterReader
    clock: Clock
    intake: Taker
    on_reach: Callable[[str], None]
    on_turn: Callable[[], None]
    on_listed: Callable[[], None] = lambda: None
    field_selector: str = ""


class KindFollower:
    """One kind, as one version of the API serves it."""

    def __init__(self, means: FollowerTools, watched: WatchTarget, resource: ApiResource) -> None:
        self.resource = resource
        self.loaded = asyncio.Event()
        """Set when the kind was listed, or found to be unlistable."""
        self.trouble = ""
        """Why the kind cannot be listed."""
        self.refused = ""
        """The server's words where we have no right to list the kind."""
        self._means = means
        self._watched = watched
        self._pause = _PAUSE_AFTER_CUT
        self._task: asyncio.Task[None] | None = None

    def start(self, former: KindFollower | None = None) -> None:
        """Begin to follow, perhaps in place of one that followed the kind in another version."""
        if former is not None:
            former.stop()
            self.loaded, self.trouble = former.loaded, former.trouble
        self._task = tasks.watch_over(self._follow(), name=f"live: {self._watched}")

    def stop(self) -> list[asyncio.Task[None]]:
        """Stop; return what has to end."""
        if self._task is None:
            return []
        self._task.cancel()
        return [self._task]

    async def load(self) -> str:
        """Take a kind over page by page; return the version to watch from."""
        version = ""
        with self._means.intake.listing(self._watched) as listing:
            try:
                async for page in self._means.cluster.pages(
                    self.resource, namespace=self._watched.namespace, field_selector=self._means.field_selector
                ):
                    if page.begins:
                        listing.restart()
                    for item in page.items:
                        listing.take(_complete(item, self.resource.gvk))
                    version = page.resource_version
            except (ApiError, TransportError) as error:
                self._note_trouble("" if self._left_out(error) else str(error))
                self.refused = str(error) if _forbidden(error) else ""
                self._means.on_listed()
                raise
            listing.finish(version)
        self._note_trouble("")
        self.refused = ""
        self._means.on_listed()
        return version

    def _left_out(self, error: Exception) -> bool:
        """Whether settings say that a kind which may not be listed does not count."""
        respected = self._means.intake.settings.respect_rbac is not RespectRbac.OFF
        return respected and _forbidden(error)

    def _note_trouble(self, trouble: str) -> None:
        """Remember whether a kind can be listed; when that turns later on, its apps have to be looked at again."""
        before, self.trouble = self.trouble, trouble
        if bool(before) != bool(trouble) and self.loaded.is_set():
            self._means.on_turn()

    async def _follow(self) -> None:
        pause = _PAUSE_AFTER_FAILURE
        while True:
            try:
                version = await self.load()
            except (ApiError, TransportError) as error:
                if isinstance(error, TransportError):
                    self._means.on_reach(str(error))
                self.loaded.set()
                await self._means.clock.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
            else:
                self._means.on_reach("")
                self.loaded.set()
                pause = _PAUSE_AFTER_FAILURE
                await self._watch_until_lost(version)

    async def _watch_until_lost(self, version: str) -> None:
        """Watch from a version on until nobody can say what was missed."""
        means = self._means
        while True:
            began, failure = means.clock.monotonic(), None
            try:
                async for event in means.cluster.watch(
                    self.resource,
                    resource_version=version,
                    namespace=self._watched.namespace,
                    field_selector=means.field_selector,
                ):
                    version = meta.resource_version(event.obj) or version
                    self._take(event)
            except (ApiError, TransportError) as error:
                failure = error
            lasted = means.clock.monotonic() - began >= _LASTED
            await self._rest(lasted=lasted)
            if failure is not None and (not lasted or _refused(failure)):
                return

    async def _rest(self, *, lasted: bool) -> None:
        """Leave a server alone that ends streams at once, longer each time it does so again."""
        if lasted:
            self._pause = _PAUSE_AFTER_CUT
            return
        await self._means.clock.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_AFTER_CUT)

    def _take(self, event: WatchEvent) -> None:
        if event.type is EventType.BOOKMARK:
            return
        obj = _complete(event.obj, self.resource.gvk)
        if event.type is EventType.DELETED:
            self._means.intake.deleted(obj)
        else:
            self._means.intake.updated(obj)


def _forbidden(error: Exception) -> bool:
    """Whether we have no right to what was asked for."""
    return isinstance(error, ApiError) and error.code in (401, 403)


def _refused(error: Exception) -> bool:
    """Whether asking for the same again is of no use."""
    return isinstance(error, ApiError) and error.code not in _PASSING


def _complete(obj: Object, gvk: GroupVersionKind) -> Object:
    """Return a list item with the kind and version that lists leave out."""
    if obj.get("kind") and obj.get("apiVersion"):
        return obj
    return {"apiVersion": gvk.api_version, "kind": gvk.kind, **obj}
