"""Reads what controllers ask of pods: active, ready, available, which revision, and writes conditions."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

import orjson

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.apimachinery.names import SUFFIX_ALPHABET


def is_active(pod: Object) -> bool:
    """Tell whether a pod still runs or will."""
    return phase(pod) not in ("Succeeded", "Failed") and "deletionTimestamp" not in pod["metadata"]


def phase(pod: Object) -> str:
    """Return the phase of a pod."""
    return str((pod.get("status") or {}).get("phase") or "Pending")


def condition(obj: Object, kind: str) -> Object | None:
    """Return one condition of an object, or None."""
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one.get("type") == kind), None)


def is_ready(pod: Object) -> bool:
    """Tell whether a pod is ready."""
    return (condition(pod, "Ready") or {}).get("status") == "True"


def available_in(pod: Object, minimum: int, now: datetime) -> float | None:
    """Return in how many seconds a ready pod counts as available (0: now), None when it is not ready."""
    ready = condition(pod, "Ready")
    since = ready["lastTransitionTime"] if ready is not None and ready.get("status") == "True" else None
    return available_after(since, minimum, now)


def available_after(since: str | None, minimum: int, now: datetime) -> float | None:
    """Return in how many seconds a pod that is ready since a time counts as available (0: now), None when unready."""
    if since is None:
        return None
    if not minimum:
        return 0.0
    return max(0.0, minimum - (now - times.parse(since)).total_seconds())


def template_hash(template: Any, collisions: int = 0) -> str:
    """Return the name ending that stands for a pod template, in the letters Kubernetes uses."""
    encoded = orjson.dumps([template, collisions], option=orjson.OPT_SORT_KEYS)
    number = int.from_bytes(hashlib.sha256(encoded).digest()[:4], "big")
    return "".join(SUFFIX_ALPHABET[ord(digit) % len(SUFFIX_ALPHABET)] for digit in str(number))


def with_condition(conditions: list[Object], new: Object) -> list[Object]:
    """Return the conditions with one replaced; an unchanged status keeps its transition time."""
    kept: list[Object] = []
    found = False
    for one in conditions:
        if one.get("type") != new["type"]:
            kept.append(one)
            continue
        found = True
        if one.get("status") == new["status"]:
            new = {**new, "lastTransitionTime": one.get("lastTransitionTime", new.get("lastTransitionTime"))}
        kept.append(new)
    return kept if found else [*kept, new]


def without_zeros(status: Object, *always: str) -> Object:
    """Drop numbers that are 0 and lists that are empty, as Go's omitempty does; `always` are kept."""
    return {key: value for key, value in status.items() if key in always or value not in (0, None, [])}
