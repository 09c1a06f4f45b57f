"""Where renders are kept: in memory while the process lives, and as bytes in a store that outlives it.

Used by `syncline.controller.sources.renders` alone, which decides what is kept, under which key, and whether it is
still right. These only keep: the newest entry of a key comes first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import msgspec

from syncline.controller.sources.capabilities import Capabilities
from syncline.model.desired import Desired
from syncline.model.errors import Place
from syncline.ports.store import Store

_MAX_KEYS = 10_000
_MAX_BYTES = 20_000_000


class KeptFailure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why files make no objects, as the error said it."""

    what: str
    place: Place | None = None
    hint: str = ""
    missing: str = ""


class KeptRender(msgspec.Struct, frozen=True, omit_defaults=True):
    """A render, the cluster it was made for, and the digest of the paths that alone count, where any are named.

    Of a failure, `desired` has no objects and says what the failure depends on.
    """

    capabilities: Capabilities
    desired: Desired
    watched: str = ""
    failure: KeptFailure | None = None


class RenderStore(Protocol):
    """Keeps a few renders under each key; may forget any of them at any time."""

    async def get(self, key: str) -> Sequence[KeptRender]:
        """Return what is kept under a key."""
        ...

    async def put(self, key: str, entries: Sequence[KeptRender]) -> None:
        """Keep these under a key, instead of what was there."""
        ...


class MemoryRenders:
    """Keeps renders as they are; what was not asked for the longest time goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Sequence[KeptRender]] = OrderedDict()

    async def get(self, key: str) -> Sequence[KeptRender]:
        """Return what is kept under a key."""
        if key not in self._kept:
            return ()
        self._kept.move_to_end(key)
        return self._kept[key]

    async def put(self, key: str, entries: Sequence[KeptRender]) -> None:
        """Keep these under a key, instead of what was there."""
        self._kept[key] = entries
        self._kept.move_to_end(key)
        if len(self._kept) > _MAX_KEYS:
            self._kept.popitem(last=False)


class StoredRenders:
    """Keeps renders as bytes in a store that may be shared by processes; what cannot be read is not there."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, key: str) -> Sequence[KeptRender]:
        """Return what is kept under a key."""
        found = await self._store.get(key)
        if found is None:
            return ()
        try:
            return msgspec.json.decode(found, type=list[KeptRender])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return ()

    async def put(self, key: str, entries: Sequence[KeptRender]) -> None:
        """Keep these under a key, unless they are very large."""
        content = msgspec.json.encode(entries)
        if len(content) > _MAX_BYTES:
            return
        try:
            await self._store.put(key, content)
        except OSError:
            # A full or missing disk costs time, nothing else.
            return
