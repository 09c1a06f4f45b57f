"""Health of kinds that follow others: HorizontalPodAutoscaler, PodDisruptionBudget, CronJob, Workflow.

Called through the table in `syncline.core.health.assess`; the rules are Argo CD's.
"""

from __future__ import annotations

from typing import Any

import orjson

from syncline.apimachinery.keys import Object, gvk_of
from syncline.model.health import Health, HealthCode

_CONDITIONS_ANNOTATION = "autoscaling.alpha.kubernetes.io/conditions"
_DEGRADED = {
    "AbleToScale": ("FailedGetScale", "FailedUpdateScale"),
    "ScalingActive": (
        "FailedGetResourceMetric",
        "FailedGetObjectMetric",
        "FailedGetPodsMetric",
        "FailedGetExternalMetric",
        "FailedComputeMetricsReplicas",
        "InvalidSelector",
    ),
}
_HEALTHY = ("AbleToScale", "ScalingLimited")


def autoscaler(obj: Object) -> Health:
    """Assess a HorizontalPodAutoscaler; version v1 keeps its conditions in an annotation."""
    conditions = _annotated(obj) if gvk_of(obj).version == "v1" else (obj.get("status") or {}).get("conditions") or []
    for condition in conditions:
        if condition.get("reason") in _DEGRADED.get(str(condition.get("type")), ()):
            return Health(HealthCode.DEGRADED, str(condition.get("message") or ""), str(condition["reason"]))
    for condition in conditions:
        if condition.get("type") in _HEALTHY and condition.get("status") == "True":
            return Health(HealthCode.HEALTHY, str(condition.get("message") or ""))
    return Health(HealthCode.PROGRESSING, "Waiting to Autoscale", "NotObserved")


def _annotated(obj: Object) -> list[dict[str, Any]]:
    text = ((obj.get("metadata") or {}).get("annotations") or {}).get(_CONDITIONS_ANNOTATION) or "[]"
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return []
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def disruption_budget(obj: Object) -> Health:
    """Assess a PodDisruptionBudget: too few pods is what it guards against, not a failure of its own."""
    conditions = (obj.get("status") or {}).get("conditions") or []
    if not conditions:
        return Health(HealthCode.PROGRESSING, "Waiting for status", "NotObserved")
    for condition in conditions:
        if condition.get("status") == "False" and condition.get("reason") != "InsufficientPods":
            reason = str(condition.get("reason") or "")
            return Health(HealthCode.DEGRADED, f"PodDisruptionBudget has {reason}", reason)
    return Health(HealthCode.HEALTHY, "PodDisruptionBudget has SufficientPods")


def cron_job(obj: Object) -> Health:
    """Assess a CronJob; one that never succeeded or is running counts as healthy, since nothing is known yet."""
    if (obj.get("spec") or {}).get("suspend") is True:
        return Health(HealthCode.HEALTHY, "CronJob is Suspended", "Suspended")
    status = obj.get("status")
    if status is None:
        return Health(HealthCode.PROGRESSING, "Waiting for CronJob", "NotObserved")
    scheduled, succeeded = status.get("lastScheduleTime"), status.get("lastSuccessfulTime")
    if scheduled is None:
        return Health(HealthCode.HEALTHY, "CronJob has not been scheduled yet")
    if succeeded is None:
        return Health(HealthCode.HEALTHY, "The CronJob never completed successfully. It may not be healthy")
    if status.get("active"):
        return Health(HealthCode.HEALTHY, "The job is running. Its last execution may not have been successful")
    if succeeded < scheduled:
        message = "CronJob has not completed its last execution successfully"
        return Health(HealthCode.DEGRADED, message, "LastRunFailed")
    return Health(HealthCode.HEALTHY, "CronJob has completed its last execution successfully")


def workflow(obj: Object) -> Health:
    """Assess a Workflow."""
    status = obj.get("status") or {}
    message = str(status.get("message") or "")
    match phase := status.get("phase") or "":
        case "" | "Pending" | "Running":
            return Health(HealthCode.PROGRESSING, message, phase or "NotObserved")
        case "Succeeded":
            return Health(HealthCode.HEALTHY, message)
        case "Failed" | "Error":
            return Health(HealthCode.DEGRADED, message, phase)
        case _:
            return Health(HealthCode.UNKNOWN, message, "PhaseUnknown")
