"""The stream of changes to Applications, one JSON line each, for any number of listeners.

Fed by the controller's live view; a listener that does not read fast enough gets the newest state of each app instead
of every step.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import orjson

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.controller.live import LiveCluster
from syncline.controller.observe import APPLICATION


class Feed:
    """Hands changes to everybody who listens."""

    def __init__(self, live: LiveCluster) -> None:
        self._live = live

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield `{"result": {"type": …, "application": …}}` lines: what is there first, then what changes."""
        waiting: dict[ObjectKey, Object] = {}
        wake = asyncio.Event()

        def changed(obj: Object) -> None:
            key = key_of(obj)
            if key.group_kind == APPLICATION:
                waiting[key] = obj
                wake.set()

        for obj in self._live.index.of_kind(APPLICATION):
            yield _line("ADDED", obj)
        self._live.listeners.append(changed)
        try:
            while True:
                await wake.wait()
                wake.clear()
                batch, waiting = waiting, {}
                for key, obj in batch.items():
                    yield _line("MODIFIED" if self._live.index.get(key) is not None else "DELETED", obj)
        finally:
            self._live.listeners.remove(changed)


def _line(kind: str, obj: Object) -> bytes:
    return orjson.dumps({"result": {"type": kind, "application": obj}}) + b"\n"
