"""Tells the cluster what became of Applications: Kubernetes Events with Argo CD's reasons and words.

`syncline.controller.deliver.record` hands in an Application before and after a patch that went through; what changed
between the two becomes Events. They are written behind the back of the passes; a refusal loses an Event and nothing
else. When more wait than fit, the newest are dropped, counted, and told of once they are written again. The first look
at an Application is no change and makes none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from syncline.apimachinery import globs
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.times import format_time
from syncline.controller.world import World
from syncline.model import names
from syncline.model.condition import ConditionType
from syncline.model.logins import without_logins
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiError, ApiResource
from syncline.ports.transport import TransportError

EVENTS = ApiResource(gvk=GroupVersionKind("", "v1", "Event"), plural="events", namespaced=True)
WAITING = 20_000
"""So many may wait: four for each of 5,000 Applications that are delivered at once."""
_ENDED = ("Succeeded", "Failed", "Error")


class Note(msgspec.Struct, frozen=True):
    """One Event: its reason, its words, and whether something went wrong."""

    reason: str
    message: str
    warning: bool = False


class _About(NamedTuple):
    """The Application an Event is about, as small as it can wait; and when that was."""

    namespace: str
    name: str
    uid: str
    resource_version: str
    labels: dict[str, str]
    now: datetime


def notes(before: Object, after: Object) -> tuple[Note, ...]:
    """Return what changed between two versions of an Application that people want to hear of."""
    old, new = before.get("status") or {}, after.get("status") or {}
    found = [*_operation(old.get("operationState") or {}, new.get("operationState") or {})]
    undeleted = _deletion_errors(new) - _deletion_errors(old)
    found += [
        Note("StatusRefreshed", f"Unable to delete application resources: {words}", warning=True)
        for words in sorted(undeleted)
    ]
    for part in ("sync", "health"):
        was, now = ((status.get(part) or {}).get("status") or "" for status in (old, new))
        if was and now and was != now:
            cause = str((new.get(part) or {}).get("message") or "") if part == "health" else ""
            words = f"Updated {part} status: {was} -> {now}"
            found.append(Note("ResourceUpdated", f"{words} ({cause})" if cause.startswith("Caused by") else words))
    return tuple(found)


def _deletion_errors(status: dict[str, Any]) -> set[str]:
    conditions = status.get("conditions") or ()
    return {str(item.get("message")) for item in conditions if item.get("type") == ConditionType.DELETION_ERROR}


def _operation(old: dict[str, Any], new: dict[str, Any]) -> Iterable[Note]:
    phase = str(new.get("phase") or "")
    fresh = new.get("startedAt") != old.get("startedAt") or old.get("phase") in _ENDED
    operation = new.get("operation") or {}
    revision = _revision(new)
    if phase and fresh and new != old and phase not in _ENDED:
        automated = bool((operation.get("initiatedBy") or {}).get("automated"))
        yield Note("OperationStarted", f"Initiated {'automated ' if automated else ''}sync to '{revision}'")
    if phase in _ENDED and (old.get("phase") not in _ENDED or fresh) and old.get("finishedAt") != new.get("finishedAt"):
        partial = bool((operation.get("sync") or {}).get("resources"))
        words = f"{'Partial sync' if partial else 'Sync'} operation to {revision}"
        if phase == "Succeeded":
            yield Note("OperationCompleted", f"{words} succeeded")
        else:
            yield Note("OperationCompleted", f"{words} failed: {new.get('message') or ''}", warning=True)


def _revision(state: dict[str, Any]) -> str:
    result = state.get("syncResult") or {}
    revisions = result.get("revisions") or ()
    return ", ".join(revisions) if revisions else str(result.get("revision") or "")


class Events:
    """Writes Events in the order they were handed in."""

    def __init__(self, world: World, *, on_dropped: Callable[[str], None] = lambda _words: None) -> None:
        self._world = world
        self._on_dropped = on_dropped
        self._waiting: asyncio.Queue[tuple[_About, Note]] = asyncio.Queue(WAITING)
        self._count = 0
        self.dropped = 0
        """How many Events were lost since all were written for the last time."""

    def tell(self, before: Object, after: Object) -> None:
        """Write what changed, soon."""
        for note in notes(before, after):
            if self._waiting.full():
                self._drop()
            else:
                self._waiting.put_nowait((self._about(after["metadata"]), note))

    def _drop(self) -> None:
        if not self.dropped:
            self._on_dropped(f"Events cannot be written fast enough: {WAITING:,} are queued, newer ones are dropped")
        self.dropped += 1

    async def run(self) -> None:
        """Write until cancelled."""
        while True:
            about, note = await self._waiting.get()
            try:
                await self._world.home.create(EVENTS, self._event(about, note), manager=names.STATUS_MANAGER)
            except (ApiError, TransportError):
                # An Event is a courtesy; the status says the same.
                continue
            if self.dropped and self._waiting.empty():
                self._on_dropped(f"{self.dropped:,} Events were dropped; the queued ones are written")
                self._on_dropped("")
                self.dropped = 0

    def _about(self, metadata: dict[str, Any]) -> _About:
        return _About(
            str(metadata["namespace"]),
            str(metadata["name"]),
            str(metadata.get("uid") or ""),
            str(metadata.get("resourceVersion") or ""),
            labels(metadata.get("labels") or {}, self._world.settings),
            self._world.clock.now(),
        )

    def _event(self, about: _About, note: Note) -> Object:
        now = about.now
        self._count += 1
        stamp = f"{int(now.timestamp() * 1_000_000) * 1_000 + self._count % 1_000:x}"
        at = format_time(now)
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
            "firstTimestamp": at,
            "lastTimestamp": at,
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
