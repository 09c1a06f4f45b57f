"""Since when something is waited for, and when that is too long: a label with a grace for each cause.

Called by `syncline.core.sync.waiting` for every wait. Times come from the object, its health and the operation, never
from a clock. The label fails nothing: a slow image pull is a slow image pull, but people should see that it is one.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import Object
from syncline.model.decision import Wait
from syncline.model.health import Health
from syncline.model.reason import Reason

GRACES: dict[Reason, float] = {
    Reason.WAITING_FOR_HEALTH: 300.0,
    Reason.WAITING_FOR_HOOK: 900.0,
    Reason.WAITING_FOR_DELETION: 120.0,
    Reason.WAITING_FOR_KIND: 60.0,
    Reason.WAITING_FOR_OTHERS: 120.0,
}
"""Seconds by what is waited for; what is not in here waits for people or for a clock and is never stuck."""

GRACES_BY_CAUSE: dict[str, float] = {
    "ErrImagePull": 60.0,
    "ImagePullBackOff": 60.0,
    "InvalidImageName": 0.0,
    "CreateContainerConfigError": 30.0,
    "CrashLoopBackOff": 60.0,
    "Unschedulable": 120.0,
    "NotObserved": 60.0,
    "Pending": 120.0,
    "NoAddress": 180.0,
    "NotEstablished": 60.0,
    "Suspended": 600.0,
}
"""Seconds by the word the object's health gives, where that is known better."""


def labelled(wait: Wait, live: Object | None, health: Health | None, *, started_at: str, as_of: str) -> Wait:
    """Return the wait with its cause, since when it lasts and whether that is too long."""
    since = _since(wait, live, health, started_at)
    cause = health.reason if health is not None else ""
    if not as_of or not since:
        return msgspec.structs.replace(wait, cause=cause)
    found = msgspec.structs.replace(wait, cause=cause, since=since)
    grace = grace_of(found)
    if grace is None:
        return found
    return msgspec.structs.replace(found, stuck=age(since, as_of) >= grace)


def grace_of(wait: Wait) -> float | None:
    """Return after how many seconds a wait counts as stuck; None for never."""
    grace = GRACES.get(wait.reason)
    return None if grace is None else GRACES_BY_CAUSE.get(wait.cause, grace)


def due(waits: Sequence[Wait], as_of: str) -> float:
    """Return in how many seconds the next label falls due; 0 when none does."""
    left = [
        grace - age(wait.since, as_of)
        for wait in waits
        if as_of and wait.since and not wait.stuck and (grace := grace_of(wait)) is not None
    ]
    return max(0.0, min(left, default=0.0))


def _since(wait: Wait, live: Object | None, health: Health | None, started_at: str) -> str:
    """Return the latest of the times before which the wait cannot have begun."""
    metadata = meta.metadata(live)
    if wait.reason is Reason.WAITING_FOR_DELETION:
        return str(metadata.get("deletionTimestamp") or started_at)
    written = [str(metadata.get("creationTimestamp") or ""), written_at(live)]
    found = [started_at, *written, health.since if health is not None else ""]
    known = [time for time in found if _readable(time)]
    return max(known, key=lambda time: times.parse(time).timestamp(), default="")


def written_at(live: Object | None) -> str:
    """Return when somebody last changed more than the status of an object, as far as managedFields tell."""
    entries = meta.managed_fields(live)
    found = [str(entry.get("time") or "") for entry in entries if not entry.get("subresource")]
    return max((time for time in found if _readable(time)), default="")


def age(since: str, as_of: str) -> float:
    """Return the seconds between two times."""
    return times.parse(as_of).timestamp() - times.parse(since).timestamp()


def _readable(time: str) -> bool:
    try:
        times.parse(time)
    except times.InvalidTime:
        return False
    return True
