"""Health of Deployments, StatefulSets, DaemonSets and ReplicaSets, by Argo CD's rules.

Called through the table in `syncline.core.health.assess`.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.model.health import Health, HealthCode


def _progressing(message: str, reason: str) -> Health:
    return Health(HealthCode.PROGRESSING, message, reason)


def _status(obj: Object) -> dict[str, Any]:
    return obj.get("status") or {}


def _behind(obj: Object) -> bool:
    generation = int((obj.get("metadata") or {}).get("generation") or 0)
    return generation > int(_status(obj).get("observedGeneration") or 0)


def _number(value: Any) -> int:
    return int(value or 0)


def deployment(obj: Object) -> Health:
    """Assess a Deployment."""
    spec, status = obj.get("spec") or {}, _status(obj)
    if spec.get("paused"):
        return Health(HealthCode.SUSPENDED, "Deployment is paused", "Paused")
    if _behind(obj):
        return _progressing(
            "Waiting for rollout to finish: observed deployment generation less than desired generation", "NotObserved"
        )
    for condition in status.get("conditions") or ():
        if condition.get("type") == "Progressing" and condition.get("reason") == "ProgressDeadlineExceeded":
            name = (obj.get("metadata") or {}).get("name")
            return Health(
                HealthCode.DEGRADED, f'Deployment "{name}" exceeded its progress deadline', "ProgressDeadlineExceeded"
            )
    wanted = spec.get("replicas")
    updated, total = _number(status.get("updatedReplicas")), _number(status.get("replicas"))
    available = _number(status.get("availableReplicas"))
    if wanted is not None and updated < wanted:
        return _progressing(
            f"Waiting for rollout to finish: {updated} out of {wanted} new replicas have been updated...", "Updating"
        )
    if total > updated:
        return _progressing(
            f"Waiting for rollout to finish: {total - updated} old replicas are pending termination...", "Terminating"
        )
    if available < updated:
        return _progressing(
            f"Waiting for rollout to finish: {available} of {updated} updated replicas are available...", "NotAvailable"
        )
    return Health(HealthCode.HEALTHY)


def stateful_set(obj: Object) -> Health:
    """Assess a StatefulSet."""
    spec, status = obj.get("spec") or {}, _status(obj)
    if not _number(status.get("observedGeneration")) or _behind(obj):
        return _progressing("Waiting for statefulset spec update to be observed...", "NotObserved")
    wanted, ready = spec.get("replicas"), _number(status.get("readyReplicas"))
    if wanted is not None and ready < wanted:
        return _progressing(f"Waiting for {wanted - ready} pods to be ready...", "NotReady")
    strategy = spec.get("updateStrategy") or {}
    rolling = strategy.get("rollingUpdate")
    updated = _number(status.get("updatedReplicas"))
    if strategy.get("type") == "RollingUpdate" and rolling is not None:
        return _partitioned(wanted, rolling.get("partition"), updated)
    if strategy.get("type") == "OnDelete":
        return Health(HealthCode.HEALTHY)
    if status.get("updateRevision") != status.get("currentRevision"):
        return _progressing(
            f"waiting for statefulset rolling update to complete {updated} pods"
            f" at revision {status.get('updateRevision')}...",
            "Updating",
        )
    return Health(HealthCode.HEALTHY)


def _partitioned(wanted: int | None, partition: int | None, updated: int) -> Health:
    """Assess a rolling update down to an ordinal; without a partition there is nothing more to wait for."""
    if wanted is not None and partition is not None and updated < wanted - partition:
        return _progressing(
            f"Waiting for partitioned roll out to finish: {updated} out of {wanted - partition}"
            " new pods have been updated...",
            "Updating",
        )
    return Health(HealthCode.HEALTHY)


def daemon_set(obj: Object) -> Health:
    """Assess a DaemonSet."""
    spec, status = obj.get("spec") or {}, _status(obj)
    if _behind(obj):
        return _progressing(
            "Waiting for daemon set rollout to finish: observed daemon set generation less than desired generation",
            "NotObserved",
        )
    if (spec.get("updateStrategy") or {}).get("type") == "OnDelete":
        return Health(HealthCode.HEALTHY)
    wanted = _number(status.get("desiredNumberScheduled"))
    updated, available = _number(status.get("updatedNumberScheduled")), _number(status.get("numberAvailable"))
    if updated < wanted:
        return _progressing(
            f"Waiting for daemon set rollout to finish: {updated} out of {wanted} new pods have been updated...",
            "Updating",
        )
    if available < wanted:
        return _progressing(
            f"Waiting for daemon set rollout to finish: {available} of {wanted} updated pods are available...",
            "NotAvailable",
        )
    return Health(HealthCode.HEALTHY)


def replica_set(obj: Object) -> Health:
    """Assess a ReplicaSet."""
    spec, status = obj.get("spec") or {}, _status(obj)
    if _behind(obj):
        return _progressing(
            "Waiting for rollout to finish: observed replica set generation less than desired generation", "NotObserved"
        )
    for condition in status.get("conditions") or ():
        if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
            return Health(HealthCode.DEGRADED, str(condition.get("message") or ""), "ReplicaFailure")
    wanted, available = spec.get("replicas"), _number(status.get("availableReplicas"))
    if wanted is not None and available < wanted:
        return _progressing(
            f"Waiting for rollout to finish: {available} out of {wanted} new replicas are available...", "NotAvailable"
        )
    return Health(HealthCode.HEALTHY)
