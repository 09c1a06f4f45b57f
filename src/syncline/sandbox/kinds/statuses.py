"""Rules for the status of built-in kinds: counts that fit one another, times that are shown though nobody sent them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause

_NEGATIVE: Final = "must be greater than or equal to 0"
_DAEMON_SET: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
)


def _counts(status: Object, names: Iterable[str]) -> list[FieldCause]:
    return [
        errors.invalid_value(f"status.{name}", str(status[name]), _NEGATIVE)
        for name in names
        if isinstance(status.get(name), int) and status[name] < 0
    ]


def _within(status: Object, names: Iterable[str]) -> list[FieldCause]:
    limit = status.get("replicas") or 0
    return [
        errors.invalid_value(f"status.{name}", str(status.get(name) or 0), "cannot be greater than status.replicas")
        for name in names
        if (status.get(name) or 0) > limit
    ]


def check_deployment(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    """Hold a Deployment's counts to its replicas."""
    status, parts = obj.get("status") or {}, ("updatedReplicas", "readyReplicas", "availableReplicas")
    causes = _counts(status, ("observedGeneration", "replicas", *parts, "unavailableReplicas"))
    return causes + _within(status, parts) + _ready(status)


def check_replica_set(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    """Hold a ReplicaSet's counts to its replicas."""
    status, parts = obj.get("status") or {}, ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    return _counts(status, ("replicas", *parts, "observedGeneration")) + _within(status, parts) + _ready(status)


def check_stateful_set(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    """Hold a StatefulSet's counts to its replicas."""
    status, parts = obj.get("status") or {}, ("readyReplicas", "currentReplicas", "updatedReplicas")
    causes = _counts(status, ("replicas", *parts, "availableReplicas", "observedGeneration", "collisionCount"))
    return causes + _within(status, (*parts, "availableReplicas")) + _ready(status, "status.readyReplicas")


def _ready(status: Object, whole: str = "readyReplicas") -> list[FieldCause]:
    available = status.get("availableReplicas") or 0
    if available <= (status.get("readyReplicas") or 0):
        return []
    return [errors.invalid_value("status.availableReplicas", str(available), f"cannot be greater than {whole}")]


def check_daemon_set(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    """Refuse negative counts of a DaemonSet."""
    return _counts(obj.get("status") or {}, _DAEMON_SET)


def check_job(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    """Refuse negative counts of a Job, and pods that had succeeded and no longer did."""
    status, old = obj.get("status") or {}, (live or {}).get("status") or {}
    causes = _counts(status, ("active", "succeeded", "failed", "ready", "terminating"))
    for name in ("succeeded", "failed"):
        if (status.get(name) or 0) < (old.get(name) or 0):
            text = f"cannot decrease the {name} counter"
            causes.append(errors.invalid_value(f"status.{name}", str(status.get(name) or 0), text))
    return causes


def check_budget(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    """Refuse negative counts of a PodDisruptionBudget."""
    names = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    return _counts(obj.get("status") or {}, names)


def check_service(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    """Refuse addresses of a load balancer for a Service that has none."""
    kind = (obj.get("spec") or {}).get("type") or "ClusterIP"
    if kind == "LoadBalancer" or not ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress"):
        return []
    text = "may only be used when `spec.type` is 'LoadBalancer'"
    return [errors.forbidden_field("status.loadBalancer.ingress", text)]


def fill_pod(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    """Show the times of a pod's conditions as null where nobody sent them, as a real server does."""
    conditions: list[Any] = (obj.get("status") or {}).get("conditions") or []
    if all("lastProbeTime" in one and "lastTransitionTime" in one for one in conditions):
        return obj
    filled = [{"lastProbeTime": None, "lastTransitionTime": None, **one} for one in conditions]
    return {**obj, "status": {**obj["status"], "conditions": filled}}


def fill_node(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    """Let pods have all of a node that says nothing else."""
    status = obj.get("status") or {}
    if not status.get("capacity") or status.get("allocatable"):
        return obj
    return {**obj, "status": {**status, "allocatable": status["capacity"]}}
