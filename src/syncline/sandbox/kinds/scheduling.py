"""Where pods may run: node selectors, tolerations, affinity and spread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery import names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_SPREADS: Final = ("DoNotSchedule", "ScheduleAnyway")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def check(spec: Mapping[str, Any], field: str) -> list[FieldCause]:
    """Return what is wrong with the wishes of a pod."""
    causes = checks.label_keys(f"{field}.nodeSelector", spec.get("nodeSelector"))
    affinity = spec.get("affinity") or {}
    causes += _check_node_affinity(affinity.get("nodeAffinity") or {}, f"{field}.affinity.nodeAffinity")
    for part in ("podAffinity", "podAntiAffinity"):
        causes += _check_pod_affinity(affinity.get(part) or {}, f"{field}.affinity.{part}")
    for index, one in enumerate(spec.get("topologySpreadConstraints") or ()):
        causes += _check_spread(one, f"{field}.topologySpreadConstraints[{index}]")
    for index, one in enumerate(spec.get("tolerations") or ()):
        causes += _check_toleration(one, f"{field}.tolerations[{index}]")
    return causes


def _check_node_affinity(affinity: Object, field: str) -> list[FieldCause]:
    required = affinity.get(_REQUIRED)
    if required is None or required.get("nodeSelectorTerms"):
        return []
    text = "must have at least one node selector term"
    return [errors.required(f"{field}.{_REQUIRED}.nodeSelectorTerms", text)]


def _check_pod_affinity(affinity: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        causes += _check_term(term, f"{field}.{_REQUIRED}[{index}]")
    for index, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        where, weight = f"{field}.{_PREFERRED}[{index}]", weighted.get("weight") or 0
        if not 0 < weight <= 100:
            causes.append(errors.invalid_value(f"{where}.weight", str(weight), "must be in the range 1-100"))
        causes += _check_term(weighted.get("podAffinityTerm") or {}, f"{where}.podAffinityTerm")
    return causes


def _check_term(term: Object, field: str) -> list[FieldCause]:
    key, where = str(term.get("topologyKey") or ""), f"{field}.topologyKey"
    causes = checks.selector(f"{field}.labelSelector", term.get("labelSelector"))
    causes += [] if key else [errors.required(where, "can not be empty")]
    return causes + checks.refused(where, key, names.qualified(key))


def _check_spread(constraint: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    skew = constraint.get("maxSkew") or 0
    if skew < 1:
        causes.append(errors.invalid_value(f"{field}.maxSkew", str(skew), "must be greater than zero"))
    if not constraint.get("topologyKey"):
        causes.append(errors.required(f"{field}.topologyKey", "can not be empty"))
    return causes + checks.one_of(f"{field}.whenUnsatisfiable", constraint.get("whenUnsatisfiable") or "", _SPREADS)


def _check_toleration(toleration: Object, field: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    key, operator = toleration.get("key") or "", toleration.get("operator") or "Equal"
    if key:
        causes += checks.refused(f"{field}.key", key, names.qualified(key))
    elif operator != "Exists":
        text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        causes += checks.refused(f"{field}.operator", operator, [text])
    if operator == "Exists" and toleration.get("value"):
        text = "value must be empty when `operator` is 'Exists'"
        causes += checks.refused(f"{field}.operator", str(toleration["value"]), [text])
    causes += checks.one_of(f"{field}.operator", operator, ("Equal", "Exists"))
    return causes + checks.one_of(f"{field}.effect", toleration.get("effect") or None, _EFFECTS)
