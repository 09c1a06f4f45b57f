"""The stream of changes to Applications, one JSON line each, for any number of listeners.

Fed by the controller's live view; a listener that does not read fast enough gets the newest state of each app instead
of every step.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import orjson

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.controller.app_key import APPLICATION
from syncline.controller.live.cluster import LiveCluster
from syncline.model.logins import without_logins


class Feed:
    """Hands changes to everybody who listens."""

    def __init__(self, live: LiveCluster) -> None:
        self._live = live
        self._closed = False
        self._wakes: set[asyncio.Event] = set()

    def close(self) -> None:
        """End all streams, so that the server has nothing left to wait for."""
        self._closed = True
        for wake in self._wakes:
            wake.set()

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield `{"result": {"type": …, "application": …}}` lines: what is there first, then what changes."""
        waiting: dict[ObjectKey, Object] = {}
        wake = asyncio.Event()

        def changed(obj: Object) -> None:
            key = key_of(obj)
            if key.group_kind == APPLICATION:
                waiting[key] = obj
                wake.set()

        # Listening begins before the first line is sent: a slow reader must not miss what changes meanwhile.
        self._live.listeners.append(changed)
        self._wakes.add(wake)
        try:
            for obj in list(self._live.index.of_kind(APPLICATION)):
                yield _line("ADDED", obj)
            while not self._closed:
                await wake.wait()
                wake.clear()
                batch, waiting = waiting, {}
                for key, obj in batch.items():
                    yield _line("MODIFIED" if self._live.index.get(key) is not None else "DELETED", obj)
        finally:
            self._live.listeners.remove(changed)
            self._wakes.remove(wake)


def _line(kind: str, obj: Object) -> bytes:
    return shown({"result": {"type": kind, "application": obj}}) + b"\n"


def shown(value: Object) -> bytes:
    """Return a value as JSON without logins in addresses: the page is there for everybody on this machine."""
    encoded = orjson.dumps(value)
    return without_logins(encoded.decode()).encode() if b"@" in encoded else encoded
