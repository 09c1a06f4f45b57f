"""Changes of Applications and ApplicationSets, as they come, for any number of listeners.

Fed by the live view of the home cluster; a listener that does not read fast enough gets the newest state of each object
instead of every step.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Final

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.index import version_of

_KEPT = 64
FROM_NOW: Final = 2**63
"""A version that no object has: nothing that is there is told."""


class FeedEvent(msgspec.Struct, frozen=True):
    """One change: ADDED, MODIFIED or DELETED, and the object as it is, or was."""

    type: str
    obj: Object


class _Listener:
    """What has changed for somebody and was not told yet."""

    __slots__ = ("kind", "waiting", "wake")

    def __init__(self, kind: GroupKind) -> None:
        self.kind = kind
        self.waiting: dict[ObjectKey, Object] = {}
        self.wake = asyncio.Event()


class Feed:
    """Hands changes to everybody who listens."""

    def __init__(self, live: LiveCluster) -> None:
        self._live = live
        self._closed = False
        self._listeners: set[_Listener] = set()
        self._encoded: dict[tuple[str, ObjectKey, int], bytes] = {}
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
        name = (event.type, key_of(event.obj), version_of(event.obj))
        found = self._encoded.get(name)
        if found is None:
            if len(self._encoded) >= _KEPT:
                self._encoded.clear()
            found = self._encoded[name] = encode()
        return found

    async def changes(
        self, kind: GroupKind, wanted: Callable[[ObjectKey], bool], *, since: int = 0
    ) -> AsyncGenerator[FeedEvent, None]:
        """Yield what is there first, then what changes, of the objects whose keys are wanted.

        One that is no longer wanted is told as deleted: whoever listens has it and should not keep it. Who has a list
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
                batch, listener.waiting = listener.waiting, {}
                for key, obj in batch.items():
                    if event := self._event(key, obj, known, wanted):
                        yield event
        finally:
            self._listeners.discard(listener)

    def _event(
        self, key: ObjectKey, obj: Object, known: set[ObjectKey], wanted: Callable[[ObjectKey], bool]
    ) -> FeedEvent | None:
        is_there = key in self._live.index and wanted(key)
        if not is_there:
            if key not in known:
                return None
            known.discard(key)
            return FeedEvent("DELETED", obj)
        kind = "MODIFIED" if key in known else "ADDED"
        known.add(key)
        return FeedEvent(kind, obj)

    def _changed(self, obj: Object) -> None:
        if not self._listeners:
            return
        key = key_of(obj)
        for listener in self._listeners:
            if listener.kind == key.group_kind:
                listener.waiting[key] = obj
                listener.wake.set()
