"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs: selectors that must fit and may not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds import pods
from syncline.sandbox.kinds.rules import Rules, immutable
from syncline.sandbox.selection import matches_selector

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
_STATEFUL_SET_TEXT: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def _validate_workload(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    causes = _check_replicas(spec) + _check_selector(spec) + pods.check_template(spec.get("template"))
    causes += _check_restart_policy(spec, ("Always",)) + _check_strategy(spec)
    if live is not None:
        causes += immutable("spec.selector", spec.get("selector"), (live.get("spec") or {}).get("selector"))
    return causes


def _validate_stateful_set(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    claimed = [claim["metadata"]["name"] for claim in spec.get("volumeClaimTemplates") or ()]
    causes = _check_replicas(spec) + _check_selector(spec) + pods.check_template(spec.get("template"), claimed)
    causes += _check_restart_policy(spec, ("Always",))
    old = (live or {}).get("spec") or {}
    if live is not None and spec.get("serviceName") != old.get("serviceName"):
        causes += immutable("spec.serviceName", spec.get("serviceName"), old.get("serviceName"))
    elif live is not None and _fixed(spec) != _fixed(old):
        causes.append(errors.forbidden_field("spec", _STATEFUL_SET_TEXT))
    return causes


def _fixed(spec: Mapping[str, Any]) -> dict[str, Any]:
    fixed = {key: value for key, value in spec.items() if key not in _STATEFUL_SET_MUTABLE}
    claims = fixed.get("volumeClaimTemplates") or []
    fixed["volumeClaimTemplates"] = [claim.get("spec") for claim in claims]
    return fixed


def _check_replicas(spec: Mapping[str, Any]) -> list[Cause]:
    replicas = spec.get("replicas")
    if isinstance(replicas, int) and replicas < 0:
        return [errors.invalid_value("spec.replicas", str(replicas), "must be greater than or equal to 0")]
    return []


def _check_selector(spec: Mapping[str, Any]) -> list[Cause]:
    selector = spec.get("selector")
    if selector == {}:
        text = "empty selector is invalid for deployment"
        return [errors.invalid_value("spec.selector", "{}", text)]
    causes = [] if selector else [errors.required("spec.selector")]
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels") or {}
    if not selector or not matches_selector(selector, labels):
        told = "{" + ",".join(f'"{key}":"{value}"' for key, value in sorted(labels.items())) + "}"
        text = "`selector` does not match template `labels`"
        causes.append(errors.invalid_value("spec.template.metadata.labels", told, text))
    return causes


def _check_strategy(spec: Mapping[str, Any]) -> list[Cause]:
    strategy = spec.get("strategy") or {}
    kind = strategy.get("type") or "RollingUpdate"
    if kind == "Recreate" and strategy.get("rollingUpdate"):
        text = "may not be specified when strategy `type` is 'Recreate'"
        return [errors.forbidden_field("spec.strategy.rollingUpdate", text)]
    if kind in ("Recreate", "RollingUpdate"):
        return []
    text = f'Unsupported value: {{"Type":"{kind}","RollingUpdate":null}}: supported values: "Recreate", "RollingUpdate"'
    return [Cause("spec.strategy", "FieldValueNotSupported", text)]


def _check_restart_policy(spec: Mapping[str, Any], allowed: tuple[str, ...]) -> list[Cause]:
    policy = ((spec.get("template") or {}).get("spec") or {}).get("restartPolicy")
    if policy is None or policy in allowed:
        return []
    return [errors.not_supported("spec.template.spec.restartPolicy", policy, allowed)]


def _complete_job(_backend: Backend, obj: Object, live: Object | None) -> Object:
    """Give a Job the selector and labels that tie its pods to it."""
    spec = obj.get("spec") or {}
    if live is not None or spec.get("manualSelector"):
        return obj
    shared = obj["metadata"].get("labels") == ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    uid, name = obj["metadata"]["uid"], obj["metadata"].get("name", "")
    template = spec.get("template") or {}
    metadata = template.get("metadata") or {}
    ties = {
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name,
        "controller-uid": uid,
        "job-name": name,
    }
    template = {**template, "metadata": {**metadata, "labels": {**(metadata.get("labels") or {}), **ties}}}
    selector = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    if shared or not obj["metadata"].get("labels"):
        obj = {**obj, "metadata": {**obj["metadata"], "labels": template["metadata"]["labels"]}}
    return {**obj, "spec": {**spec, "selector": selector, "template": template}}


def _validate_job(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    template = spec.get("template") or {}
    policy = (template.get("spec") or {}).get("restartPolicy")
    causes = pods.check_template(template)
    limit = spec.get("backoffLimit")
    if limit is not None and limit < 0:
        causes.append(errors.invalid_value("spec.backoffLimit", str(limit), "must be greater than or equal to 0"))
    if policy in (None, "", "Always"):
        causes.append(errors.required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'))
    elif policy not in ("Never", "OnFailure"):
        causes.append(errors.not_supported("spec.template.spec.restartPolicy", policy, ("OnFailure", "Never")))
    if live is not None:
        old = live.get("spec") or {}
        causes += immutable("spec.selector", spec.get("selector"), old.get("selector"))
        if not old.get("suspend"):
            causes += immutable("spec.template", template, old.get("template"))
        for field in ("completions", "completionMode", "podFailurePolicy", "backoffLimitPerIndex"):
            if spec.get("completionMode") == "Indexed" and field == "completions":
                continue
            causes += immutable(f"spec.{field}", spec.get(field), old.get(field))
    return causes


WORKLOAD = Rules(validate=_validate_workload)
STATEFUL_SET = Rules(validate=_validate_stateful_set)
JOB = Rules(complete=_complete_job, validate=_validate_job)
