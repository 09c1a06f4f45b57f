"""Counts a Deployment's pods and says how its rollout goes, in a real cluster's words.

Called by `syncline.sandbox.controllers.workloads.deployments` at the end of every round.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.workloads import readiness

_NO_DEADLINE = 2**31 - 1


def update(client: Client, obj: Object, sets: list[Object], new: Object | None, *, created: bool) -> float | None:
    """Write the status; returns in how many seconds the progress deadline must be looked at, or None."""
    now = client.backend.clock.now()
    status = _counts(obj, sets, new)
    conditions = list((obj.get("status") or {}).get("conditions") or ())
    conditions = _available(obj, status, conditions, now)
    conditions = _progressing(obj, status, new, conditions, now, created=created)
    conditions = _failing(sets, conditions, now)
    if conditions:
        status["conditions"] = conditions
    client.set_status(obj, status)
    return _deadline(obj, status, conditions, now)


def is_complete(obj: Object, counted: Object) -> bool:
    """Tell whether a rollout is over: all pods new, none old, all available."""
    status = counted.get("status") or {}
    replicas = int(obj["spec"].get("replicas", 1))
    numbers = [int(status.get(key) or 0) for key in ("updatedReplicas", "replicas", "availableReplicas")]
    observed = int(status.get("observedGeneration") or 0)
    return numbers == [replicas] * 3 and observed >= int(obj["metadata"].get("generation") or 0)


def _counts(obj: Object, sets: list[Object], new: Object | None) -> Object:
    def total(key: str) -> int:
        return sum(int((one.get("status") or {}).get(key) or 0) for one in sets)

    available = total("availableReplicas")
    wanted = sum(int(one["spec"].get("replicas", 1)) for one in sets)
    return readiness.without_zeros(
        {
            "observedGeneration": obj["metadata"].get("generation", 0),
            "replicas": total("replicas"),
            "updatedReplicas": int(((new or {}).get("status") or {}).get("replicas") or 0),
            "readyReplicas": total("readyReplicas"),
            "availableReplicas": available,
            "unavailableReplicas": max(0, wanted - available),
            "terminatingReplicas": total("terminatingReplicas"),
            "collisionCount": (obj.get("status") or {}).get("collisionCount"),
        },
        "terminatingReplicas",
    )


def _condition(kind: str, status: str, reason: str, message: str, now: datetime) -> Object:
    stamp = times.format_time(now)
    return {
        "type": kind,
        "status": status,
        "lastUpdateTime": stamp,
        "lastTransitionTime": stamp,
        "reason": reason,
        "message": message,
    }


def _put(conditions: list[Object], new: Object) -> list[Object]:
    """Replace a condition; one with equal status and reason stays as it is."""
    known = next((one for one in conditions if one["type"] == new["type"]), None)
    if known is not None and (known["status"], known["reason"]) == (new["status"], new["reason"]):
        return conditions
    if known is not None and known["status"] == new["status"]:
        new = {**new, "lastTransitionTime": known["lastTransitionTime"]}
    return [*(one for one in conditions if one["type"] != new["type"]), new]


def _progressing(
    obj: Object,
    status: Object,
    new: Object | None,
    conditions: list[Object],
    now: datetime,
    *,
    created: bool,
) -> list[Object]:
    if not _has_deadline(obj):
        return [one for one in conditions if one["type"] != "Progressing"]
    known = next((one for one in conditions if one["type"] == "Progressing"), None)
    if obj["spec"].get("paused"):
        return _put(conditions, _condition("Progressing", "Unknown", "DeploymentPaused", "Deployment is paused", now))
    if known is not None and known["reason"] == "DeploymentPaused":
        return _put(conditions, _condition("Progressing", "Unknown", "DeploymentResumed", "Deployment is resumed", now))
    name = new["metadata"]["name"] if new is not None else ""
    if created and new is not None:
        text = f'Created new replica set "{name}"'
        return _put(conditions, _condition("Progressing", "True", "NewReplicaSetCreated", text, now))
    if new is not None and known is None:
        text = f'Found new replica set "{name}"'
        return _put(conditions, _condition("Progressing", "True", "FoundNewReplicaSet", text, now))
    told = f'ReplicaSet "{name}"' if new is not None else f'Deployment "{obj["metadata"]["name"]}"'
    if is_complete(obj, {"status": status}):
        text = f"{told} has successfully progressed."
        return _put(conditions, _condition("Progressing", "True", "NewReplicaSetAvailable", text, now))
    settled = status.get("replicas") == status.get("updatedReplicas")
    if known is not None and known["reason"] == "NewReplicaSetAvailable" and settled:
        return conditions
    if _moved(obj, status):
        text = f"{told} is progressing."
        fresh = _condition("Progressing", "True", "ReplicaSetUpdated", text, now)
        if known is not None and known["status"] == "True":
            fresh["lastTransitionTime"] = known["lastTransitionTime"]
        return [*(one for one in conditions if one["type"] != "Progressing"), fresh]
    if known is not None and _timed_out(obj, known, now):
        text = f"{told} has timed out progressing."
        return _put(conditions, _condition("Progressing", "False", "ProgressDeadlineExceeded", text, now))
    return conditions


def _moved(obj: Object, status: Object) -> bool:
    before = obj.get("status") or {}

    def old(key: str) -> int:
        return int(before.get(key) or 0)

    def new(key: str) -> int:
        return int(status.get(key) or 0)

    shrunk = new("replicas") - new("updatedReplicas") < old("replicas") - old("updatedReplicas")
    return shrunk or any(new(key) > old(key) for key in ("updatedReplicas", "readyReplicas", "availableReplicas"))


def _timed_out(obj: Object, known: Object, now: datetime) -> bool:
    since = times.parse(known["lastUpdateTime"])
    return now >= since + timedelta(seconds=int(obj["spec"].get("progressDeadlineSeconds") or 600))


def _available(obj: Object, status: Object, conditions: list[Object], now: datetime) -> list[Object]:
    from syncline.sandbox.controllers.workloads import deployments

    _, unavailable = deployments.limits(obj)
    least = int(obj["spec"].get("replicas", 1)) - unavailable
    if int(status.get("availableReplicas") or 0) >= least:
        text = "Deployment has minimum availability."
        return _put(conditions, _condition("Available", "True", "MinimumReplicasAvailable", text, now))
    text = "Deployment does not have minimum availability."
    return _put(conditions, _condition("Available", "False", "MinimumReplicasUnavailable", text, now))


def _failing(sets: list[Object], conditions: list[Object], now: datetime) -> list[Object]:
    for one in sets:
        failure = readiness.condition(one, "ReplicaFailure")
        if failure is not None:
            new = _condition("ReplicaFailure", "True", failure["reason"], failure["message"], now)
            return _put(conditions, new)
    return [one for one in conditions if one["type"] != "ReplicaFailure"]


def _has_deadline(obj: Object) -> bool:
    seconds: Any = obj["spec"].get("progressDeadlineSeconds")
    return seconds is not None and seconds != _NO_DEADLINE


def _deadline(obj: Object, status: Object, conditions: list[Object], now: datetime) -> float | None:
    if not _has_deadline(obj) or is_complete(obj, {"status": status}) or obj["spec"].get("paused"):
        return None
    known = next((one for one in conditions if one["type"] == "Progressing"), None)
    if known is None or known["reason"] in ("ProgressDeadlineExceeded", "NewReplicaSetAvailable"):
        return None
    since = times.parse(known["lastUpdateTime"])
    left = int(obj["spec"]["progressDeadlineSeconds"]) - (now - since).total_seconds()
    return max(left, 0.0) + 1.0
