"""Assesses one object, or a whole app.

`assess` picks the check by group and kind, built in or described in `knowledge`; a kind without one has no health
(None), which never gates. Called by `syncline.core.assess` for managed objects and by `syncline.core.sync.settling` for
the objects of a running sync. A built-in kind in an API version the check was not written for is Unknown, as with Argo
CD.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, gvk_of
from syncline.core.health import autoscaling, child_apps, generic, knowledge, others, pods, workloads
from syncline.core.health.evidence import by_field
from syncline.model import names
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.health import Health, HealthCode

Check = Callable[[Object], Health]
APPLICATION = GroupKind(names.GROUP, "Application")
"""The kind of child apps, which differ from Argo CD's."""

_CHECKS: dict[GroupKind, Check] = {
    GroupKind("apps", "Deployment"): workloads.deployment,
    GroupKind("apps", "StatefulSet"): workloads.stateful_set,
    GroupKind("apps", "DaemonSet"): workloads.daemon_set,
    GroupKind("apps", "ReplicaSet"): workloads.replica_set,
    GroupKind("", "Pod"): pods.pod,
    GroupKind("batch", "Job"): pods.job,
    GroupKind("batch", "CronJob"): autoscaling.cron_job,
    GroupKind("", "Service"): others.service,
    GroupKind("networking.k8s.io", "Ingress"): others.ingress,
    GroupKind("extensions", "Ingress"): others.ingress,
    GroupKind("", "PersistentVolumeClaim"): others.volume_claim,
    GroupKind("autoscaling", "HorizontalPodAutoscaler"): autoscaling.autoscaler,
    GroupKind("policy", "PodDisruptionBudget"): autoscaling.disruption_budget,
    GroupKind("apiregistration.k8s.io", "APIService"): others.api_service,
    GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): others.custom_resource_definition,
    GroupKind(names.GROUP, "Workflow"): autoscaling.workflow,
    APPLICATION: child_apps.application,
}
_ONLY_V1 = frozenset(
    (
        GroupKind("apps", "Deployment"),
        GroupKind("apps", "StatefulSet"),
        GroupKind("apps", "DaemonSet"),
        GroupKind("apps", "ReplicaSet"),
        GroupKind("batch", "Job"),
    )
)


def assess(obj: Object) -> Health | None:
    """Return the health of a live object; None where no check exists."""
    metadata = meta.metadata(obj)
    if not isinstance(metadata, dict):
        metadata = {}
    finalizers = metadata.get("finalizers")
    held = isinstance(finalizers, list) and names.HOOK_FINALIZER in finalizers
    if metadata.get("deletionTimestamp") and not held:
        leaving = str(metadata["deletionTimestamp"])
        return by_field(
            HealthCode.PROGRESSING, "Pending deletion", "Deleting", "metadata.deletionTimestamp", leaving, leaving
        )
    gvk = gvk_of(obj)
    kind = gvk.group_kind
    built_in = _CHECKS.get(kind)
    if built_in is None:
        described = knowledge.check_for(kind)
        return described(obj) if described else None
    if kind in _ONLY_V1 and gvk.version != "v1":
        message = f"unsupported {kind.kind} version {gvk.api_version}"
        return by_field(HealthCode.UNKNOWN, message, "VersionUnsupported", "apiVersion", gvk.api_version)
    try:
        return built_in(obj)
    except (AttributeError, TypeError, ValueError, KeyError):
        # A cluster cannot hold such an object, a file can.
        return by_field(HealthCode.UNKNOWN, f"this is not a valid {kind.kind}", "Malformed", "status")


def shown(obj: Object) -> Health | None:
    """Return what people are shown: the health, or a reading of a kind nobody described, which does not gate."""
    return assess(obj) or generic.read(obj)


def aggregate(
    rows: Iterable[ComparedObject],
    healths: Mapping[ObjectKey, Health],
    live: Mapping[ObjectKey, Object],
    myself: ObjectKey | None = None,
) -> Health:
    """Return an app's health: the worst over its objects, naming those that cause it.

    Hooks, objects marked `ignore-healthcheck`, readings that do not gate, the app itself (`myself`) and child apps that
    are Missing or Unknown do not count; the app is Missing only when nothing of it is live.
    """
    counted = [row for row in rows if not row.hook and row.verdict is not Verdict.NONE]
    if counted and not any(row.live for row in counted):
        return Health(HealthCode.MISSING, "none of the app's objects is live", "NothingLive")
    worst, causes = Health(HealthCode.HEALTHY), list[str]()
    for row in counted:
        health = healths.get(row.key)
        if health is None or row.key == myself or _ignored(row.key, health, live.get(row.key)):
            continue
        if health.status.badness > worst.status.badness:
            worst, causes = health, [str(row.key)]
        elif causes and health.status is worst.status:
            causes.append(str(row.key))
    if worst.status is HealthCode.HEALTHY:
        return worst
    return Health(worst.status, _caused_by(causes), worst.reason, worst.evidence, worst.since)


def _ignored(key: ObjectKey, health: Health, obj: Object | None) -> bool:
    if not health.gating:
        return True
    if key.group_kind == APPLICATION and health.status in (HealthCode.MISSING, HealthCode.UNKNOWN):
        return True
    annotations = meta.annotations(obj)
    return annotations.get(names.IGNORE_HEALTHCHECK) == "true"


def _caused_by(keys: list[str]) -> str:
    more = f" and {len(keys) - 3} more" if len(keys) > 3 else ""
    return f"Caused by {', '.join(keys[:3])}{more}"
