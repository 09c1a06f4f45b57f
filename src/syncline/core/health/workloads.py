"""Health of Deployments, StatefulSets, DaemonSets and ReplicaSets, by Argo CD's rules.

Called through the table in `syncline.core.health.assess`. Only Deployments tell since when they are available; the
others publish numbers without times.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.health import evidence
from syncline.core.health.evidence import by_condition, by_field
from syncline.model.health import Health, HealthCode

_HEALTHY, _PROGRESSING, _DEGRADED = HealthCode.HEALTHY, HealthCode.PROGRESSING, HealthCode.DEGRADED
_OBSERVED = "status.observedGeneration"
_STRATEGY = "spec.updateStrategy.type"


def _status(obj: Object) -> dict[str, Any]:
    return obj.get("status") or {}


def _behind(obj: Object) -> bool:
    generation = meta.generation(obj)
    return generation > int(_status(obj).get("observedGeneration") or 0)


def _number(value: Any) -> int:
    return int(value or 0)


def _not_observed(obj: Object, message: str) -> Health:
    observed = _number(_status(obj).get("observedGeneration"))
    return by_field(_PROGRESSING, message, "NotObserved", _OBSERVED, observed, evidence.first_seen(obj))


def deployment(obj: Object) -> Health:
    """Assess a Deployment."""
    if (obj.get("spec") or {}).get("paused"):
        since = _since(obj, "Progressing", "Unknown")
        return by_field(HealthCode.SUSPENDED, "Deployment is paused", "Paused", "spec.paused", "true", since)
    if _behind(obj):
        return _not_observed(
            obj, "Waiting for rollout to finish: observed deployment generation less than desired generation"
        )
    progress = evidence.condition(obj, "Progressing")
    if progress and progress[1].get("reason") == "ProgressDeadlineExceeded":
        name = meta.metadata(obj).get("name")
        message = f'Deployment "{name}" exceeded its progress deadline'
        return by_condition(_DEGRADED, message, "ProgressDeadlineExceeded", progress)
    return _replicas(obj)


def _replicas(obj: Object) -> Health:
    """Assess how far a Deployment's replicas are."""
    wanted, status = (obj.get("spec") or {}).get("replicas"), _status(obj)
    updated, total = _number(status.get("updatedReplicas")), _number(status.get("replicas"))
    available = _number(status.get("availableReplicas"))
    start, unavailable = "Waiting for rollout to finish:", _since(obj, "Available", "False")
    if wanted is not None and updated < wanted:
        message = f"{start} {updated} out of {wanted} new replicas have been updated..."
        return by_field(_PROGRESSING, message, "Updating", "status.updatedReplicas", updated, unavailable)
    if total > updated:
        message = f"{start} {total - updated} old replicas are pending termination..."
        return by_field(_PROGRESSING, message, "Terminating", "status.replicas", total, unavailable)
    if available < updated:
        message = f"{start} {available} of {updated} updated replicas are available..."
        return by_field(_PROGRESSING, message, "NotAvailable", "status.availableReplicas", available, unavailable)
    since = _since(obj, "Available", "True")
    return by_field(_HEALTHY, "", "Available", "status.availableReplicas", available, since)


def _since(obj: Object, name: str, status: str) -> str:
    return evidence.turned(evidence.condition(obj, name, status))


def stateful_set(obj: Object) -> Health:
    """Assess a StatefulSet."""
    spec, status = obj.get("spec") or {}, _status(obj)
    if not _number(status.get("observedGeneration")) or _behind(obj):
        return _not_observed(obj, "Waiting for statefulset spec update to be observed...")
    wanted, ready = spec.get("replicas"), _number(status.get("readyReplicas"))
    if wanted is not None and ready < wanted:
        message = f"Waiting for {wanted - ready} pods to be ready..."
        return by_field(_PROGRESSING, message, "NotReady", "status.readyReplicas", ready)
    strategy = spec.get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate")
    updated = _number(status.get("updatedReplicas"))
    if strategy.get("type") == "RollingUpdate" and rolling is not None:
        return _partitioned(wanted, rolling.get("partition"), updated)
    if strategy.get("type") == "OnDelete":
        return by_field(_HEALTHY, "", "UpdatedOnDelete", _STRATEGY, "OnDelete")
    revision = status.get("updateRevision")
    if revision != status.get("currentRevision"):
        message = f"waiting for statefulset rolling update to complete {updated} pods at revision {revision}..."
        return by_field(_PROGRESSING, message, "Updating", "status.updateRevision", revision)
    return by_field(_HEALTHY, "", "Ready", "status.readyReplicas", ready)


def _partitioned(wanted: int | None, partition: int | None, updated: int) -> Health:
    """Assess a rolling update down to an ordinal; without a partition there is nothing more to wait for."""
    if wanted is not None and partition is not None and updated < wanted - partition:
        message = (
            f"Waiting for partitioned roll out to finish: {updated} out of {wanted - partition}"
            " new pods have been updated..."
        )
        return by_field(_PROGRESSING, message, "Updating", "status.updatedReplicas", updated)
    return by_field(_HEALTHY, "", "Updated", "status.updatedReplicas", updated)


def daemon_set(obj: Object) -> Health:
    """Assess a DaemonSet."""
    status, start = _status(obj), "Waiting for daemon set rollout to finish:"
    if _behind(obj):
        return _not_observed(obj, f"{start} observed daemon set generation less than desired generation")
    if ((obj.get("spec") or {}).get("updateStrategy") or {}).get("type") == "OnDelete":
        return by_field(_HEALTHY, "", "UpdatedOnDelete", _STRATEGY, "OnDelete")
    wanted = _number(status.get("desiredNumberScheduled"))
    updated, available = _number(status.get("updatedNumberScheduled")), _number(status.get("numberAvailable"))
    if updated < wanted:
        message = f"{start} {updated} out of {wanted} new pods have been updated..."
        return by_field(_PROGRESSING, message, "Updating", "status.updatedNumberScheduled", updated)
    if available < wanted:
        message = f"{start} {available} of {wanted} updated pods are available..."
        return by_field(_PROGRESSING, message, "NotAvailable", "status.numberAvailable", available)
    return by_field(_HEALTHY, "", "Available", "status.numberAvailable", available)


def replica_set(obj: Object) -> Health:
    """Assess a ReplicaSet."""
    start = "Waiting for rollout to finish:"
    if _behind(obj):
        return _not_observed(obj, f"{start} observed replica set generation less than desired generation")
    if failure := evidence.condition(obj, "ReplicaFailure", "True"):
        return by_condition(_DEGRADED, str(failure[1].get("message") or ""), "ReplicaFailure", failure)
    wanted, available = (obj.get("spec") or {}).get("replicas"), _number(_status(obj).get("availableReplicas"))
    if wanted is not None and available < wanted:
        message = f"{start} {available} out of {wanted} new replicas are available..."
        return by_field(_PROGRESSING, message, "NotAvailable", "status.availableReplicas", available)
    return by_field(_HEALTHY, "", "Available", "status.availableReplicas", available)
