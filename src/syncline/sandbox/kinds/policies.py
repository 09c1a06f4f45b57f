"""PodDisruptionBudgets, PriorityClasses, RuntimeClasses, APIServices, Leases and Nodes: small rules of their own."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, statuses
from syncline.sandbox.kinds.rules import KindRules, go_value

_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_HIGHEST = 1_000_000_000
_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


def _validate_budget(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    least, most = spec.get("minAvailable"), spec.get("maxUnavailable")
    causes: list[FieldCause] = []
    if least is not None and most is not None:
        shown = {"MinAvailable": least, "Selector": None, "MaxUnavailable": most}
        shown["UnhealthyPodEvictionPolicy"] = spec.get("unhealthyPodEvictionPolicy")
        text = "minAvailable and maxUnavailable cannot be both set"
        causes.append(errors.invalid_value("spec", go_value(shown), text))
    for field, value in (("minAvailable", least), ("maxUnavailable", most)):
        causes += checks.amount_or_share(f"spec.{field}", value)
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _POLICIES:
        causes.append(errors.not_supported("spec.unhealthyPodEvictionPolicy", policy, _POLICIES))
    return causes


def _validate_priority(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    name, value = obj["metadata"].get("name", ""), obj.get("value") or 0
    if live is not None:
        return []
    if name.startswith("system-"):
        if name in ("system-cluster-critical", "system-node-critical"):
            return []
        text = (
            "priority class names with 'system-' prefix are reserved for system use only. error: "
            f"{name} is not a known system priority class"
        )
        return [errors.forbidden_field("metadata.name", text)]
    if value > _HIGHEST:
        return [errors.forbidden_field("value", f"maximum allowed value of a user defined priority is {_HIGHEST}")]
    return []


def _complete_node(_backend: Backend, obj: Object, live: Object | None) -> Object:
    """Keep pods off a new node until it is known to be ready."""
    spec = dict(obj.get("spec") or {})
    if live is not None or any(taint.get("key") == _NOT_READY["key"] for taint in spec.get("taints") or ()):
        return obj
    return {**obj, "spec": {**spec, "taints": [*(spec.get("taints") or ()), dict(_NOT_READY)]}}


def _validate_node(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, taint in enumerate((obj.get("spec") or {}).get("taints") or ()):
        where, effect = f"metadata.taints[{index}].effect", taint.get("effect")
        causes += checks.one_of(where, effect, _EFFECTS) if effect else [errors.required(where)]
    return causes


def _validate_lease(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    seconds, causes = spec.get("leaseDurationSeconds"), checks.at_least_zero(spec, "spec", "leaseTransitions")
    if seconds is not None and seconds <= 0:
        causes.append(errors.invalid_value("spec.leaseDurationSeconds", str(seconds), "must be greater than 0"))
    return causes


def _validate_runtime(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    return checks.label("handler", obj.get("handler"))


def _complete_service(backend: Backend, obj: Object, live: Object | None) -> Object:
    """Say of a new APIService without a Service that it is served here."""
    if live is not None or (obj.get("spec") or {}).get("service"):
        return obj
    local = {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": backend.timestamp(),
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    return {**obj, "status": {"conditions": [local]}}


def _validate_service(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec, name = obj.get("spec") or {}, obj["metadata"].get("name", "")
    wanted = f"{spec.get('version') or ''}.{spec.get('group') or ''}"
    causes: list[FieldCause] = []
    if name != wanted:
        causes += checks.refused("metadata.name", name, [f'must be `spec.version+"."+spec.group`: "{wanted}"'])
    for field, most in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
        number = spec.get(field) or 0
        if not 0 < number <= most:
            text = f"must be positive and less than {most}"
            causes.append(errors.invalid_value(f"spec.{field}", str(number), text))
    return causes


LEASE = KindRules(validate=_validate_lease)
RUNTIME_CLASS = KindRules(validate=_validate_runtime, fixed=True)
API_SERVICE = KindRules(complete=_complete_service, validate=_validate_service, fixed=True)
BUDGET = KindRules(validate=_validate_budget, validate_status=statuses.check_budget, fixed=True)
PRIORITY_CLASS = KindRules(validate=_validate_priority, fixed=True)
NODE = KindRules(complete=_complete_node, validate=_validate_node, prepare_status=statuses.fill_node, fixed=True)
