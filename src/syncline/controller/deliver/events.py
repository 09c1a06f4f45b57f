"""Tells the cluster what became of Applications: Kubernetes Events, when there is nothing better to do.

`syncline.controller.deliver.record` hands in an Application before and after a patch that went through; what
`syncline.controller.deliver.notes` finds between the two becomes Events. They wait a moment, so that those about one
Application can be joined, and as long as keys wait to be worked on: an Event is never in front of objects and status,
unless it is old already. A refusal loses an Event and nothing else. When Events about more Applications wait than fit,
the newest are dropped, counted, and told of once they are written again.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from datetime import datetime
from typing import Any

import msgspec

from syncline.apimachinery import globs
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.times import format_time
from syncline.controller.deliver.notes import Note, joined, notes
from syncline.controller.world import World
from syncline.model import names
from syncline.model.logins import without_logins
from syncline.model.settings.settings import Compat, Settings
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError

EVENTS = ApiResource(gvk=GroupVersionKind("", "v1", "Event"), plural="events", namespaced=True)
WAITING = 20_000
"""Events about so many Applications may wait."""
_EACH = 20
"""So many notes about one Application may wait; they are joined before they are written."""
_GATHER = 1.0
"""Seconds in which what happens to an Application becomes one Event, or two."""
_MOMENT = 0.01
_LOOK_AGAIN = 0.25
_OLD = 60.0
"""Seconds after which an Event is written although keys wait; one at a time, so that it costs them next to nothing."""
_AT_ONCE = 4
_PARTING = 2.0
"""Seconds for what still waits when the controller stops."""


class _Waiting(msgspec.Struct):
    """What is to be told of one Application, as small as it can wait: since when, as of which version."""

    namespace: str
    name: str
    uid: str
    resource_version: str
    labels: dict[str, str]
    since: datetime
    until: datetime
    began: float
    notes: list[Note]


class Events:
    """Writes Events in the order in which there was first something to tell of an Application."""

    def __init__(
        self,
        world: World,
        *,
        on_dropped: Callable[[str], None] = lambda _words: None,
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self._world = world
        self._on_dropped = on_dropped
        self._is_busy = is_busy
        self._waiting: dict[tuple[str, str, str], _Waiting] = {}
        self._some = asyncio.Event()
        self._count = 0
        self.dropped = 0
        """How many Events were lost since all were written for the last time."""

    def tell(self, before: Object, after: Object) -> None:
        """Write what changed, soon."""
        for note in notes(before, after):
            self._add(after["metadata"], note)

    def _add(self, metadata: dict[str, Any], note: Note) -> None:
        key = (str(metadata["namespace"]), str(metadata["name"]), str(metadata.get("uid") or ""))
        found = self._waiting.get(key)
        now = self._world.clock.now()
        if found is None:
            if len(self._waiting) >= WAITING:
                self._drop()
                return
            kept = labels(metadata.get("labels") or {}, self._world.settings)
            found = self._waiting[key] = _Waiting(
                *key,
                resource_version="",
                labels=kept,
                since=now,
                until=now,
                began=self._world.clock.monotonic(),
                notes=[],
            )
            self._some.set()
        found.resource_version, found.until = str(metadata.get("resourceVersion") or ""), now
        found.notes = [*(found.notes if len(found.notes) < _EACH else self._fewer(found.notes)), note]

    def _fewer(self, waiting: list[Note]) -> list[Note]:
        """Return what is left of too many notes: joined, and the oldest of those dropped."""
        left = list(joined(waiting))[-_EACH // 2 :]
        self.dropped += len(joined(waiting)) - len(left)
        return left

    def _drop(self) -> None:
        if not self.dropped:
            words = f"Events cannot be written fast enough: {WAITING:,} are queued, newer ones are dropped"
            self._on_dropped(words)
        self.dropped += 1

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            await self._some.wait()
            if pause := self._pause():
                await self._world.clock.sleep(pause)
                continue
            await self._write_some(1 if self._is_busy() else _AT_ONCE)
            if not self._waiting:
                self._some.clear()
                self._tell_dropped()

    async def part(self) -> None:
        """Write what still waits, before the end; what takes too long is lost."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PARTING):
                while self._waiting:
                    await self._write_some(_AT_ONCE)

    def _pause(self) -> float:
        """Return how long the oldest of all still waits."""
        age = self._world.clock.monotonic() - next(iter(self._waiting.values())).began
        if age < _GATHER:
            # Never next to nothing: a clock need not move on in so little time.
            return max(_GATHER - age, _MOMENT)
        return _LOOK_AGAIN if age < _OLD and self._is_busy() else 0.0

    async def _write_some(self, most: int) -> None:
        oldest = [key for key, _ in zip(self._waiting, range(most), strict=False)]
        await asyncio.gather(*(self._write(self._waiting.pop(key)) for key in oldest))

    async def _write(self, about: _Waiting) -> None:
        each = self._world.settings.compat is Compat.ARGOCD
        for note in about.notes if each else joined(about.notes):
            with contextlib.suppress(ApiError, TransportError):
                # An Event is a courtesy; the status says the same.
                await self._world.home.create(EVENTS, self._event(about, note), manager=names.STATUS_MANAGER)

    def _tell_dropped(self) -> None:
        if self.dropped:
            self._on_dropped(f"{self.dropped:,} Events were dropped; the queued ones are written")
            self._on_dropped("")
            self.dropped = 0

    def _event(self, about: _Waiting, note: Note) -> Object:
        self._count += 1
        stamp = f"{int(about.until.timestamp() * 1_000_000) * 1_000 + self._count % 1_000:x}"
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": f"{about.name}.{stamp}",
                "namespace": about.namespace,
                "labels": about.labels,
            },
            "involvedObject": {
                "apiVersion": names.API_VERSION,
                "kind": "Application",
                "name": about.name,
                "namespace": about.namespace,
                "uid": about.uid,
                "resourceVersion": about.resource_version,
            },
            "reason": note.reason,
            "message": without_logins(note.message),
            "type": "Warning" if note.warning else "Normal",
            "source": {"component": names.STATUS_MANAGER},
            "firstTimestamp": format_time(about.since),
            "lastTimestamp": format_time(about.until),
            "count": 1,
        }


def labels(found: dict[str, str], settings: Settings) -> dict[str, str]:
    """Return the labels of an Application that its Events carry too."""
    kept = {}
    for name, value in found.items():
        wanted = any(globs.matches(name, pattern) for pattern in settings.event_labels)
        if wanted and not any(globs.matches(name, pattern) for pattern in settings.event_labels_excluded):
            kept[name] = value
    return kept
