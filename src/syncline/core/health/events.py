"""Reads Kubernetes Events: which object one is about, when it was last seen, what of it is worth keeping.

Used by `syncline.controller.live.events`, which keeps Events in this short form, and by `syncline.core.health.claims`,
which reads short ones of a snapshot and whole ones of files. Both APIs name things differently: `involvedObject` and
`message` of core/v1 are `regarding` and `note` of events.k8s.io/v1.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, split_api_version

KINDS = (GroupKind("", "Event"), GroupKind("events.k8s.io", "Event"))
_LONGEST = 1024
"""As many characters of a message are kept; Kubernetes' own components write no more."""


class Brief(msgspec.Struct, frozen=True, gc=False):
    """As much of an Event as health needs."""

    namespace: str
    name: str
    reason: str
    message: str
    time: str
    count: int
    api_version: str
    uid: str
    """Of the object that the Event is about, as is `api_version`."""


def subject(event: Object) -> ObjectKey | None:
    """Return the object an Event is about; None where it names none."""
    about = _about(event)
    if not about.get("kind") or not about.get("name"):
        return None
    group, _ = split_api_version(str(about.get("apiVersion") or ""))
    return ObjectKey(group, str(about["kind"]), str(about.get("namespace") or ""), str(about["name"]))


def subject_uid(event: Object) -> str:
    """Return the uid of the object an Event is about; empty where it names none."""
    return str(_about(event).get("uid") or "")


def message(event: Object) -> str:
    """Return what an Event says."""
    return str(event.get("message") or event.get("note") or "")


def time(event: Object) -> str:
    """Return when an Event was last seen; empty where it does not tell."""
    series = event.get("series")
    last = series.get("lastObservedTime") if isinstance(series, dict) else None
    times = (last, event.get("lastTimestamp"), event.get("deprecatedLastTimestamp"), event.get("eventTime"))
    return next((str(time) for time in times if time), "")


def brief(event: Object) -> Brief:
    """Return the short form of an Event."""
    metadata, about = meta.metadata(event), _about(event)
    count = event.get("count")
    return Brief(
        namespace=str(metadata.get("namespace") or ""),
        name=str(metadata.get("name") or ""),
        reason=str(event.get("reason") or "")[:_LONGEST],
        message=message(event)[:_LONGEST],
        time=time(event),
        count=count if isinstance(count, int) else 1,
        api_version=str(about.get("apiVersion") or ""),
        uid=str(about.get("uid") or ""),
    )


def whole(short: Brief, about: ObjectKey) -> Object:
    """Return a short Event as an object, for a snapshot."""
    involved = {
        "apiVersion": short.api_version,
        "kind": about.kind,
        "namespace": about.namespace,
        "name": about.name,
        "uid": short.uid,
    }
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": short.namespace, "name": short.name},
        "involvedObject": {name: value for name, value in involved.items() if value},
        "type": "Warning",
        "reason": short.reason,
        "message": short.message,
        "lastTimestamp": short.time,
        "count": short.count,
    }


def _about(event: Object) -> dict[str, Any]:
    found = event.get("involvedObject") or event.get("regarding")
    return found if isinstance(found, dict) else {}
