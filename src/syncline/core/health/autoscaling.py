"""Health of kinds that follow others: HorizontalPodAutoscaler, PodDisruptionBudget, CronJob, Workflow.

Called through the table in `syncline.core.health.assess`; the rules are Argo CD's.
"""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, gvk_of
from syncline.core.health import evidence
from syncline.core.health.evidence import by_condition, by_field
from syncline.model.health import Health, HealthCode

_CONDITIONS_ANNOTATION = "autoscaling.alpha.kubernetes.io/conditions"
_ANNOTATION_PATH = f'metadata.annotations["{_CONDITIONS_ANNOTATION}"]'
_PHASE = "status.phase"
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


_CRON = "status.lastSuccessfulTime"


def autoscaler(obj: Object) -> Health:
    """Assess a HorizontalPodAutoscaler; version v1 keeps its conditions in an annotation."""
    annotated = gvk_of(obj).version == "v1"
    conditions = _annotated(obj) if annotated else (obj.get("status") or {}).get("conditions") or []
    for index, condition in enumerate(conditions):
        if condition.get("reason") in _DEGRADED.get(str(condition.get("type")), ()):
            found = by_condition(HealthCode.DEGRADED, _said(condition), str(condition["reason"]), (index, condition))
            return _at_annotation(found) if annotated else found
    for index, condition in enumerate(conditions):
        if condition.get("type") in _HEALTHY and condition.get("status") == "True":
            reason = str(condition.get("reason") or condition["type"])
            found = by_condition(HealthCode.HEALTHY, _said(condition), reason, (index, condition))
            return _at_annotation(found) if annotated else found
    path = _ANNOTATION_PATH if annotated else "status.conditions"
    return by_field(HealthCode.PROGRESSING, "Waiting to Autoscale", "NotObserved", path, None, evidence.created(obj))


def _said(condition: dict[str, Any]) -> str:
    return str(condition.get("message") or "")


def _at_annotation(health: Health) -> Health:
    """Return the health with the annotation as the place where its condition was read."""
    moved = tuple(msgspec.structs.replace(one, path=_ANNOTATION_PATH) for one in health.evidence)
    return msgspec.structs.replace(health, evidence=moved)


def _annotated(obj: Object) -> list[dict[str, Any]]:
    text = (meta.annotations(obj)).get(_CONDITIONS_ANNOTATION) or "[]"
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return []
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def disruption_budget(obj: Object) -> Health:
    """Assess a PodDisruptionBudget: too few pods is what it guards against, not a failure of its own."""
    conditions = (obj.get("status") or {}).get("conditions") or []
    if not conditions:
        since = evidence.created(obj)
        return by_field(HealthCode.PROGRESSING, "Waiting for status", "NotObserved", "status.conditions", None, since)
    for index, condition in enumerate(conditions):
        if condition.get("status") == "False" and condition.get("reason") != "InsufficientPods":
            reason = str(condition.get("reason") or "Failed")
            return by_condition(HealthCode.DEGRADED, f"PodDisruptionBudget has {reason}", reason, (index, condition))
    reason = str(conditions[0].get("reason") or "SufficientPods")
    return by_condition(HealthCode.HEALTHY, "PodDisruptionBudget has SufficientPods", reason, (0, conditions[0]))


def cron_job(obj: Object) -> Health:
    """Assess a CronJob; one that never succeeded or is running counts as healthy, since nothing is known yet."""
    if (obj.get("spec") or {}).get("suspend") is True:
        return by_field(HealthCode.HEALTHY, "CronJob is Suspended", "Suspended", "spec.suspend", "true")
    status = obj.get("status")
    if status is None:
        since = evidence.created(obj)
        return by_field(HealthCode.PROGRESSING, "Waiting for CronJob", "NotObserved", "status", None, since)
    scheduled, succeeded = status.get("lastScheduleTime"), status.get("lastSuccessfulTime")
    if scheduled is None:
        message = "CronJob has not been scheduled yet"
        return by_field(HealthCode.HEALTHY, message, "NotScheduled", "status.lastScheduleTime")
    if succeeded is None:
        message = "The CronJob never completed successfully. It may not be healthy"
        return by_field(HealthCode.HEALTHY, message, "NeverSucceeded", _CRON, None, scheduled)
    if status.get("active"):
        message = "The job is running. Its last execution may not have been successful"
        return by_field(HealthCode.HEALTHY, message, "Running", "status.active", None, scheduled)
    if succeeded < scheduled:
        message = "CronJob has not completed its last execution successfully"
        return by_field(HealthCode.DEGRADED, message, "LastRunFailed", _CRON, succeeded, scheduled)
    message = "CronJob has completed its last execution successfully"
    return by_field(HealthCode.HEALTHY, message, "LastRunSucceeded", _CRON, succeeded, succeeded)


def workflow(obj: Object) -> Health:
    """Assess a Workflow."""
    status = obj.get("status") or {}
    message, phase = str(status.get("message") or ""), status.get("phase") or ""
    started, ended = status.get("startedAt") or evidence.created(obj), status.get("finishedAt")
    match phase:
        case "" | "Pending" | "Running":
            return by_field(HealthCode.PROGRESSING, message, phase or "NotObserved", _PHASE, phase, started)
        case "Succeeded":
            return by_field(HealthCode.HEALTHY, message, phase, _PHASE, phase, ended)
        case "Failed" | "Error":
            return by_field(HealthCode.DEGRADED, message, phase, _PHASE, phase, ended)
        case _:
            return by_field(HealthCode.UNKNOWN, message, "PhaseUnknown", _PHASE, phase)
