"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs: selectors that must fit and may not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api.selection import matches_selector
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, outdated, pods, statuses
from syncline.sandbox.kinds.rules import KindRules, go_value, immutable

_STATEFUL_SET_MUTABLE: Final = frozenset(
    {
        "minReadySeconds",
        "ordinals",
        "persistentVolumeClaimRetentionPolicy",
        "replicas",
        "revisionHistoryLimit",
        "template",
        "updateStrategy",
    }
)
_FAILURE_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_SCHEDULING: Final = frozenset({"nodeSelector", "affinity", "tolerations", "schedulingGates"})
_STATEFUL_SET_FIXED: Final = ("serviceName", "podManagementPolicy", "volumeClaimTemplates")
_STATEFUL_SET_TEXT: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def _validate_workload(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    causes = _check_replicas(spec) + _check_selector(spec) + pods.check_template(spec.get("template"))
    causes += _check_restart_policy(spec, ("Always",)) + _check_strategy(spec)
    causes += checks.at_least_zero(spec, "spec", "minReadySeconds", "revisionHistoryLimit")
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None and deadline <= (spec.get("minReadySeconds") or 0):
        text = "must be greater than minReadySeconds"
        causes.append(errors.invalid_value("spec.progressDeadlineSeconds", str(deadline), text))
    if live is not None:
        causes += immutable("spec.selector", spec.get("selector"), (live.get("spec") or {}).get("selector"))
    return causes


def _validate_stateful_set(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    claimed = [meta.metadata(claim).get("name", "") for claim in spec.get("volumeClaimTemplates") or ()]
    causes = _check_replicas(spec) + _check_selector(spec) + pods.check_template(spec.get("template"), claimed)
    causes += _check_restart_policy(spec, ("Always",)) + _check_policies(spec, live)
    old = (live or {}).get("spec") or {}
    changed = [field for field in _STATEFUL_SET_FIXED if _part(spec, field) != _part(old, field)]
    if live is not None and changed:
        for field in changed:
            causes += immutable(f"spec.{field}", spec.get(field), old.get(field))
    elif live is not None and _fixed(spec) != _fixed(old):
        causes.append(errors.forbidden_field("spec", _STATEFUL_SET_TEXT))
    return causes


def _check_policies(spec: Mapping[str, Any], live: Object | None) -> list[FieldCause]:
    """Hold the policies of a StatefulSet to what there is."""
    causes = checks.at_least_zero(spec, "spec", "minReadySeconds", "revisionHistoryLimit")
    causes += checks.label("spec.serviceName", spec.get("serviceName") if live is None else None)
    order, strategy = spec.get("podManagementPolicy"), spec.get("updateStrategy") or {}
    if order not in (None, "OrderedReady", "Parallel"):
        causes += checks.refused("spec.podManagementPolicy", order, ["must be 'OrderedReady' or 'Parallel'"])
    if strategy.get("type") not in (None, "RollingUpdate", "OnDelete"):
        shown = go_value({"Type": strategy["type"], "RollingUpdate": None})
        text = "must be 'RollingUpdate' or 'OnDelete'"
        causes.append(errors.invalid_value("spec.updateStrategy", shown, text))
    return causes


def _part(spec: Mapping[str, Any], field: str) -> Any:
    """Return a field as it is compared: of claims only what is asked for."""
    if field == "volumeClaimTemplates":
        return [(claim.get("metadata", {}).get("name"), claim.get("spec")) for claim in spec.get(field) or ()]
    return spec.get(field)


def _fixed(spec: Mapping[str, Any]) -> dict[str, Any]:
    fixed = {key: value for key, value in spec.items() if key not in _STATEFUL_SET_MUTABLE}
    claims = fixed.get("volumeClaimTemplates") or []
    fixed["volumeClaimTemplates"] = [claim.get("spec") for claim in claims]
    return fixed


def _check_replicas(spec: Mapping[str, Any]) -> list[FieldCause]:
    replicas = spec.get("replicas")
    if isinstance(replicas, int) and replicas < 0:
        return [errors.invalid_value("spec.replicas", str(replicas), "must be greater than or equal to 0")]
    return []


def _check_selector(spec: Mapping[str, Any]) -> list[FieldCause]:
    selector = spec.get("selector")
    if selector == {}:
        text = "empty selector is invalid for deployment"
        return [errors.invalid_value("spec.selector", "{}", text)]
    broken = checks.selector("spec.selector", selector)
    if broken:
        return [*broken, errors.invalid_value("spec.selector", go_value(selector), "invalid label selector")]
    causes = [] if selector else [errors.required("spec.selector")]
    labels = meta.labels(spec.get("template") or {})
    if not selector or not matches_selector(selector, labels):
        told = "{" + ",".join(f'"{key}":"{value}"' for key, value in sorted(labels.items())) + "}" if labels else "null"
        text = "`selector` does not match template `labels`"
        causes.append(errors.invalid_value("spec.template.metadata.labels", told, text))
    return causes


def _check_strategy(spec: Mapping[str, Any]) -> list[FieldCause]:
    strategy = spec.get("strategy") or {}
    kind = strategy.get("type") or "RollingUpdate"
    if kind == "Recreate" and strategy.get("rollingUpdate"):
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [errors.forbidden_field("spec.strategy.rollingUpdate", text)]
    if kind in ("Recreate", "RollingUpdate"):
        return _check_rolling(strategy.get("rollingUpdate") or {})
    text = f'Unsupported value: {{"Type":"{kind}","RollingUpdate":null}}: supported values: "Recreate", "RollingUpdate"'
    return [FieldCause("spec.strategy", "FieldValueNotSupported", text)]


def _check_rolling(rolling: Mapping[str, Any]) -> list[FieldCause]:
    where, down, up = "spec.strategy.rollingUpdate", rolling.get("maxUnavailable"), rolling.get("maxSurge")
    causes = checks.amount_or_share(f"{where}.maxUnavailable", down)
    causes += [] if isinstance(up, str) and up.endswith("%") else checks.amount_or_share(f"{where}.maxSurge", up)
    if down in (0, "0%") and up in (0, "0%"):
        text = "may not be 0 when `maxSurge` is 0"
        causes.append(errors.invalid_value(f"{where}.maxUnavailable", go_value(down), text))
    return causes


def _check_restart_policy(spec: Mapping[str, Any], allowed: tuple[str, ...]) -> list[FieldCause]:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    if policy is None or policy in allowed:
        return []
    return [errors.not_supported("spec.template.spec.restartPolicy", policy, allowed)]


def _complete_job(_backend: Backend, obj: Object, live: Object | None) -> Object:
    """Give a Job the selector and labels that tie its pods to it."""
    spec = obj.get("spec") or {}
    if live is not None or spec.get("manualSelector"):
        return obj
    shared = obj["metadata"].get("labels") == meta.metadata(spec.get("template") or {}).get("labels")
    uid, name = obj["metadata"]["uid"], obj["metadata"].get("name", "")
    template = spec.get("template") or {}
    metadata = meta.metadata(template)
    ties = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
    }
    template = {**template, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **ties}}}
    given = (spec.get("selector") or {}).get("matchLabels") or {}
    selector = {"matchLabels": {**given, "batch.kubernetes.io/controller-uid": uid}}
    if shared or not obj["metadata"].get("labels"):
        obj = {**obj, "metadata": {**obj["metadata"], "labels": template["metadata"]["labels"]}}
    return {**obj, "spec": {**spec, "selector": selector, "template": template}}


def _without_scheduling(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a suspended Job's template that may not change: all but where its pods run."""
    spec = template.get("spec") or {}
    return {key: value for key, value in spec.items() if key not in _SCHEDULING}


def check_job(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Return what is wrong with the spec of a Job, wherever it stands."""
    template = spec.get("template") or {}
    policy = (template.get("spec") or {}).get("restartPolicy")
    causes = checks.at_least_zero(
        spec,
        field,
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
    )
    causes += checks.one_of(f"{field}.completionMode", spec.get("completionMode"), ("NonIndexed", "Indexed"))
    if spec.get("completionMode") == "Indexed" and spec.get("completions") is None:
        causes.append(errors.required(f"{field}.completions", "when completion mode is Indexed"))
    causes += _check_failure_rules(spec, f"{field}.podFailurePolicy.rules")
    causes += pods.check_template(template, field=f"{field}.template")
    where = f"{field}.template.spec.restartPolicy"
    if policy in (None, "", "Always"):
        causes.append(errors.required(where, 'valid values: "OnFailure", "Never"'))
    return causes + checks.one_of(where, policy or None, ("OnFailure", "Never", "Always"))


def _check_failure_rules(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, rule in enumerate((spec.get("podFailurePolicy") or {}).get("rules") or ()):
        where = f"{field}[{index}]"
        causes += checks.one_of(f"{where}.action", rule.get("action") or "", _FAILURE_ACTIONS)
        if not rule.get("onExitCodes") and not rule.get("onPodConditions"):
            text = "Invalid value: specifying one of OnExitCodes and OnPodConditions is required"
            causes.append(FieldCause(where, "FieldValueInvalid", text))
    return causes


def _validate_job(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    template = spec.get("template") or {}
    causes = check_job(spec, "spec")
    labels = (spec.get("selector") or {}).get("matchLabels") or {}
    if live is None and not spec.get("manualSelector") and len(labels) > 1:
        shown = go_value(spec["selector"])
        causes.append(errors.invalid_value("spec.selector", shown, "`selector` not auto-generated"))
        causes += _check_selector(spec)
    if live is None and spec.get("manualSelector"):
        causes += _check_own_selector(spec)
    if live is not None:
        old = live.get("spec") or {}
        causes += immutable("spec.selector", spec.get("selector"), old.get("selector"))
        if not old.get("suspend"):
            causes += immutable("spec.template", template, old.get("template"))
        elif _without_scheduling(template) != _without_scheduling(old.get("template") or {}):
            causes.append(errors.invalid_value("spec.template.spec", "{}", "field is immutable"))
        for field in ("completions", "completionMode", "podFailurePolicy", "backoffLimitPerIndex"):
            if spec.get("completionMode") == "Indexed" and field == "completions":
                continue
            causes += immutable(f"spec.{field}", spec.get(field), old.get(field))
    return causes


def _check_own_selector(spec: Mapping[str, Any]) -> list[FieldCause]:
    """Hold a Job that brings its own selector to it."""
    if spec.get("selector"):
        return _check_selector(spec)
    labels = meta.metadata(spec.get("template") or {}).get("labels") or {}
    told = "`selector` does not match template `labels`"
    where = "spec.template.metadata.labels"
    return [errors.required("spec.selector"), errors.invalid_value(where, go_value(labels), told)]


WORKLOAD = KindRules(warn=outdated.of_template, validate=_validate_workload)
DEPLOYMENT = KindRules(
    warn=outdated.of_template, validate=_validate_workload, validate_status=statuses.check_deployment
)
REPLICA_SET = KindRules(
    warn=outdated.of_template, validate=_validate_workload, validate_status=statuses.check_replica_set
)
STATEFUL_SET = KindRules(
    warn=outdated.of_template, validate=_validate_stateful_set, validate_status=statuses.check_stateful_set
)
JOB = KindRules(
    warn=outdated.of_template, complete=_complete_job, validate=_validate_job, validate_status=statuses.check_job
)
