"""Writes Events: what happened to which object, in the words of a real cluster.

Called by `syncline.sandbox.controllers.client`. The same message about the same object counts up instead of filling the
list; `syncline.sandbox.store.expiry` deletes old ones. Events skip the general write path, because nobody watches
their fields' owners and there are many of them.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.store.store import Bucket, RowKey

BUCKET: Final = Bucket("", "events")
_KNOWN: Final = 4096


def record(
    backend: Backend,
    about: Object,
    *,
    kind: str,
    reason: str,
    message: str,
    component: str,
    field: str = "",
) -> None:
    """Record one event."""
    metadata = about["metadata"]
    namespace = metadata.get("namespace") or "default"
    same = (metadata.get("uid", ""), kind, reason, message, component, field)
    now = backend.timestamp()
    known = backend.recorded.get(same)
    row = backend.store.at(known) if known is not None else None
    if row is not None:
        event = row.decode()
        event["count"] = event.get("count", 1) + 1
        event["lastTimestamp"] = now
        backend.store.put(row.place, event, expected=row)
        return
    home = backend.store.get(Bucket("", "namespaces"), "", namespace)
    if home is None or home.deleting:
        return
    place = RowKey(BUCKET, namespace, f"{metadata['name']}.{_ending(backend)}")
    _remember(backend, same, place)
    event = _event(backend, place, about, field)
    event |= {
        "reason": reason,
        "message": message,
        "source": {"component": component},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
        "type": kind,
        "eventTime": None,
        "reportingComponent": component,
        "reportingInstance": "",
    }
    backend.store.put(place, event, expected=None)


def _event(backend: Backend, place: RowKey, about: Object, field: str) -> dict[str, Any]:
    metadata = about["metadata"]
    involved = {
        "kind": about["kind"],
        "namespace": metadata.get("namespace", ""),
        "name": metadata["name"],
        "uid": metadata.get("uid", ""),
        "apiVersion": about["apiVersion"],
        "resourceVersion": metadata.get("resourceVersion", ""),
        "fieldPath": field,
    }
    return {
        "metadata": {
            "name": place.name,
            "namespace": place.namespace,
            "uid": backend.ids.uid(),
            "creationTimestamp": backend.timestamp(),
        },
        "involvedObject": {key: value for key, value in involved.items() if value},
    }


def _ending(backend: Backend) -> str:
    """Return a name ending that sorts by time, as the nanoseconds in real names do."""
    nanoseconds = int(backend.clock.now().timestamp() * 1_000_000) * 1000
    return f"{nanoseconds + backend.store.version % 1_000_000:x}"


def _remember(backend: Backend, same: tuple[str, ...], place: RowKey) -> None:
    """Note where an Event is kept; as in client-go's recorder only the newest are known, older ones start over."""
    backend.recorded.pop(same, None)
    backend.recorded[same] = place
    if len(backend.recorded) > _KNOWN:
        del backend.recorded[next(iter(backend.recorded))]
