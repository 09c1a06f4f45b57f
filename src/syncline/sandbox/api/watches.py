"""Streams changes to watchers.

`syncline.sandbox.api.requests` opens a watch; the store's listener here hands every change to the watchers of its
bucket, encoded once for all that ask for the same shape. Nothing polls: bookmarks ride on other people's writes, and a
timeout is one entry in `syncline.sandbox.timers`. A selector turns a change into ADDED or DELETED when an object starts
or stops being selected.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Final

import orjson

from syncline.sandbox import errors
from syncline.sandbox.api.options import ReadOptions
from syncline.sandbox.api.selection import RowSelector
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, EventType, Row, StoreEvent

Encode = Callable[[Row], bytes]
_BOOKMARK_SECONDS: Final = 60.0
_MAX_WAITING: Final = 50_000
INITIAL_END: Final = "k8s.io/initial-events-end"


class WatchStream:
    """One watcher: what is waiting for it, and when it ends."""

    def __init__(self, resource: Resource, namespace: str, selection: RowSelector, encode: Encode, shape: str) -> None:
        self.resource = resource
        self.bucket: Bucket = resource.bucket
        self._namespace = namespace
        self._selection = selection
        self._encode = encode
        self._cache_key = (resource.gvk, shape)
        self._waiting: deque[bytes] = deque()
        self._woken = asyncio.Event()
        self._ended = False
        self._tabular, self._headed = shape == "table", False

    def offer(self, event: StoreEvent) -> None:
        """Take a change, if it is for this watcher."""
        if self._namespace and event.row.place.namespace != self._namespace:
            return
        kind = self._seen_as(event)
        if kind is None:
            return
        if kind == "DELETED" and event.type != "DELETED" and event.previous is not None:
            # Whoever no longer selects an object hears of it as it was, at the version of the change.
            self.push(_line(kind, self._encode(Row(event.row.place, event.previous.decode(), event.version))))
            return
        key = (*self._cache_key, kind)
        encoded = event.encoded.get(key)
        if encoded is None:
            encoded = event.encoded[key] = _line(kind, self._encode(event.row))
        self.push(encoded)

    def _seen_as(self, event: StoreEvent) -> EventType | None:
        if self._selection.everything:
            return event.type
        now = event.type != "DELETED" and self._selection.picks(event.row)
        before = event.previous is not None and self._selection.picks(event.previous)
        if now:
            return "MODIFIED" if before else "ADDED"
        return "DELETED" if before else None

    def push(self, line: bytes) -> None:
        """Queue bytes; a watcher that reads nothing for too long is cut off."""
        self._waiting.append(self._with_one_head(line))
        if len(self._waiting) > _MAX_WAITING:
            self._waiting.clear()
            self._ended = True
        self._woken.set()

    def _with_one_head(self, line: bytes) -> bytes:
        """Name the columns of a table with the first event only, as the real server does."""
        if not self._tabular:
            return line
        if not self._headed:
            self._headed = True
            return line
        event = orjson.loads(line)
        if event["object"].get("kind") != "Table":
            return line
        event["object"]["columnDefinitions"] = None
        return orjson.dumps(event) + b"\n"

    def initial(self, row: Row) -> None:
        """Report an object that was there before the watch."""
        if self._selection.picks(row):
            self.push(_line("ADDED", self._encode(row)))

    def bookmark(self, version: int, *, initial_end: bool = False) -> None:
        """Tell how far the watcher has seen everything."""
        metadata: dict[str, object] = {"resourceVersion": str(version)}
        if initial_end:
            metadata["annotations"] = {INITIAL_END: "true"}
        obj = {
            "kind": self.resource.kind,
            "apiVersion": self.resource.gvk.api_version,
            "metadata": metadata,
        }
        self.push(_line("BOOKMARK", orjson.dumps(obj)))

    def end(self) -> None:
        """Finish the stream after what is waiting."""
        self._ended = True
        self._woken.set()

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield what arrives, joined where several changes wait."""
        while True:
            if self._waiting:
                chunk = b"".join(self._waiting)
                self._waiting.clear()
                yield chunk
            elif self._ended:
                return
            else:
                self._woken.clear()
                await self._woken.wait()


class Watches:
    """All open watches of one sandbox."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._by_bucket: dict[Bucket, dict[WatchStream, None]] = {}
        self._bookmarked: dict[WatchStream, float] = {}
        self._next_bookmark = float("inf")
        self._unsubscribe = backend.store.subscribe(self._on_event)

    def open(self, resource: Resource, namespace: str, options: ReadOptions, encode: Encode) -> WatchStream:
        """Start a watch; raises Expired when its start is compacted away."""
        backend = self._backend
        selection = RowSelector(resource, options.label_selector, options.field_selector)
        watch = WatchStream(resource, namespace, selection, encode, options.shape)
        start = int(options.resource_version or 0)
        if options.send_initial_events or start == 0:
            for row in backend.store.rows(resource.bucket, namespace):
                watch.initial(row)
            if options.send_initial_events and options.bookmarks:
                watch.bookmark(backend.store.version, initial_end=True)
        else:
            if start > backend.store.version:
                raise _too_large(start, backend.store.version)
            for event in backend.store.since(start, resource.bucket):
                watch.offer(event)
        self._by_bucket.setdefault(resource.bucket, {})[watch] = None
        if options.bookmarks:
            self._bookmarked[watch] = backend.clock.monotonic()
            self._next_bookmark = min(self._next_bookmark, self._bookmarked[watch] + _BOOKMARK_SECONDS)
        return watch

    async def stream(self, watch: WatchStream, options: ReadOptions) -> AsyncGenerator[bytes]:
        """Yield the lines of a watch until it times out or its reader goes away."""
        seconds = options.timeout_seconds or self._backend.settings.watch_seconds
        timer = self._backend.timers.call_later(seconds, watch.end)
        try:
            async for chunk in watch.lines():
                yield chunk
        finally:
            timer.cancel()
            self.close(watch)

    def close(self, watch: WatchStream) -> None:
        """Forget a watch."""
        watch.end()
        self._by_bucket.get(watch.bucket, {}).pop(watch, None)
        self._bookmarked.pop(watch, None)

    def cut(self, bucket: Bucket | None = None) -> None:
        """End all watches (of one bucket), as a restarting server does."""
        for found, watches in self._by_bucket.items():
            if bucket in (None, found):
                for watch in tuple(watches):
                    watch.end()

    def count(self) -> int:
        """Return how many watches are open."""
        return sum(map(len, self._by_bucket.values()))

    def close_all(self) -> None:
        """End every watch and stop listening."""
        self._unsubscribe()
        self.cut()

    def _on_event(self, event: StoreEvent) -> None:
        for watch in tuple(self._by_bucket.get(event.row.place.bucket, ())):
            watch.offer(event)
        if self._bookmarked and self._backend.clock.monotonic() >= self._next_bookmark:
            self._send_bookmarks(event.version)

    def _send_bookmarks(self, version: int) -> None:
        now = self._backend.clock.monotonic()
        for watch, sent in tuple(self._bookmarked.items()):
            if now - sent >= _BOOKMARK_SECONDS:
                watch.bookmark(version)
                self._bookmarked[watch] = now
        self._next_bookmark = min(self._bookmarked.values()) + _BOOKMARK_SECONDS


def _line(kind: str, body: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (kind.encode(), body)


def _too_large(wanted: int, version: int) -> errors.StatusError:
    message = f"Timeout: Too large resource version: {wanted}, current: {version}"
    details = {"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}]}
    return errors.StatusError(504, "Timeout", message, {**details, "retryAfterSeconds": 1}, retry_after=1)
