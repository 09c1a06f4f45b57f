"""Changes of Applications and ApplicationSets, as they come, for any number of listeners.

Fed by the live view of the home cluster; a listener that does not read fast enough gets the newest state of each object
instead of every step. What is told is always the state that the right was asked for: an object that moved to where its
reader may not look goes as DELETED with its name alone. When policies or projects change, every stream is looked over
again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Final

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.index import version_of
from syncline.model import names

_KEPT = 64
FROM_NOW: Final = 2**63
"""A version that no object has: nothing that is there is told."""


Wanted = Callable[[ObjectKey], bool]
"""Whether a listener wants, and may see, an object as the live view has it now."""
Visible = Callable[[Object], bool]
"""Whether a listener may see an object in this very state; asked of those that are gone."""
_POLICIES: Final = GroupKind("", "ConfigMap")
_PROJECTS: Final = GroupKind(names.GROUP, "AppProject")


class FeedEvent(msgspec.Struct, frozen=True):
    """One change: ADDED, MODIFIED or DELETED, and the object as it is, or was; not `whole` is its name alone."""

    type: str
    obj: Object
    whole: bool = True


class _Listener:
    """What has changed for somebody and was not told yet."""

    __slots__ = ("kind", "recheck", "waiting", "wake")

    def __init__(self, kind: GroupKind) -> None:
        self.kind = kind
        self.waiting: dict[ObjectKey, Object] = {}
        self.recheck = False
        self.wake = asyncio.Event()


class Feed:
    """Hands changes to everybody who listens."""

    def __init__(self, live: LiveCluster) -> None:
        self._live = live
        self._closed = False
        self._listeners: set[_Listener] = set()
        self._encoded: dict[tuple[str, ObjectKey, int, bool], bytes] = {}
        live.listeners.append(self._changed)

    def __len__(self) -> int:
        return len(self._listeners)

    def close(self) -> None:
        """End all streams, so that the server has nothing left to wait for."""
        if not self._closed:
            self._live.listeners.remove(self._changed)
        self._closed = True
        for listener in self._listeners:
            listener.wake.set()

    def text_of(self, event: FeedEvent, encode: Callable[[], bytes]) -> bytes:
        """Return the JSON of an event, made once for all who hear of it."""
        name = (event.type, key_of(event.obj), version_of(event.obj), event.whole)
        found = self._encoded.get(name)
        if found is None:
            if len(self._encoded) >= _KEPT:
                self._encoded.clear()
            found = self._encoded[name] = encode()
        return found

    async def changes(
        self, kind: GroupKind, wanted: Wanted, visible: Visible, *, since: int = 0
    ) -> AsyncGenerator[FeedEvent, None]:
        """Yield what is there first, then what changes, of the objects whose keys are wanted.

        One that is no longer wanted is told as deleted: whoever listens has it and should not keep it; what it is now
        goes along only where it is `visible`. Who has a list
        already, and names its version, is told only what is newer; nobody remembers what was deleted meanwhile.
        """
        listener = _Listener(kind)
        known: set[ObjectKey] = set()
        # Listening begins before the first is told: a slow reader must not miss what changes meanwhile.
        self._listeners.add(listener)
        try:
            for key in filter(wanted, self._live.index.keys(kind)):
                known.add(key)
                newer = not since or self._live.index.version(key) > since
                if newer and (obj := self._live.index.get(key)) is not None:
                    yield FeedEvent("MODIFIED" if since else "ADDED", obj)
            while not self._closed:
                await listener.wake.wait()
                listener.wake.clear()
                batch: dict[ObjectKey, Object | None] = {}
                if listener.recheck:
                    listener.recheck = False
                    batch = dict.fromkeys((*known, *self._live.index.keys(kind)))
                batch |= listener.waiting
                listener.waiting = {}
                for key, obj in batch.items():
                    if event := self._event(key, obj, known, wanted, visible):
                        yield event
        finally:
            self._listeners.discard(listener)

    def _event(
        self, key: ObjectKey, obj: Object | None, known: set[ObjectKey], wanted: Wanted, visible: Visible
    ) -> FeedEvent | None:
        """Return what a change is to a listener; without `obj` nothing changed but perhaps what it may see."""
        # What waited may be older than what the right is asked for: only the newest state is told.
        version = self._live.index.version(key)
        newest = obj if obj is not None and version_of(obj) == version else self._live.index.get(key)
        if newest is None or not wanted(key):
            if key not in known:
                return None
            known.discard(key)
            gone = newest if newest is not None else obj
            whole = gone is not None and visible(gone)
            return FeedEvent("DELETED", gone if gone is not None and whole else _named(key, gone), whole)
        if key in known:
            return FeedEvent("MODIFIED", newest) if obj is not None else None
        known.add(key)
        return FeedEvent("ADDED", newest)

    def _changed(self, obj: Object) -> None:
        if not self._listeners:
            return
        key = key_of(obj)
        rights = key.group_kind == _PROJECTS or (key.group_kind == _POLICIES and key.name == "argocd-rbac-cm")
        for listener in self._listeners:
            if listener.kind == key.group_kind:
                listener.waiting[key] = obj
                listener.wake.set()
            elif rights:
                listener.recheck = True
                listener.wake.set()


def _named(key: ObjectKey, obj: Object | None) -> Object:
    """Return an object of which nothing is told but which one it is."""
    metadata = {"name": key.name, "namespace": key.namespace}
    if obj is not None and (uid := meta.uid(obj)):
        metadata["uid"] = uid
    return {"apiVersion": names.API_VERSION, "kind": key.kind, "metadata": metadata}
