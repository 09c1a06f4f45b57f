"""ResourceQuotas and LimitRanges: names of resources, scopes, and bounds that fit one another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery import names, quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks
from syncline.sandbox.kinds.rules import KindRules, go_value, immutable

_COUNTED: Final = frozenset(
    {
        "configmaps",
        "persistentvolumeclaims",
        "pods",
        "replicationcontrollers",
        "resourcequotas",
        "secrets",
        "services",
        "services.loadbalancers",
        "services.nodeports",
    }
)
_MEASURED: Final = frozenset(
    {
        "cpu",
        "ephemeral-storage",
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "memory",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
        "requests.storage",
    }
)
_SCOPES: Final = (
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "CrossNamespacePodAffinity",
    "VolumeAttributesClass",
)
_OF_PODS: Final = frozenset({"Terminating", "NotTerminating", "NotBestEffort", "PriorityClass"})
_COMPUTE: Final = frozenset({"pods", *(name for name in _MEASURED if name != "requests.storage")})


def _validate_quota(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    causes: list[FieldCause] = []
    for name, amount in sorted((spec.get("hard") or {}).items()):
        causes += _check_amount(name, str(amount))
    causes += _check_scopes(spec)
    if live is not None:
        old = live.get("spec") or {}
        for field in ("scopes", "scopeSelector"):
            causes += immutable(f"spec.{field}", spec.get(field), old.get(field))
    return causes


def _check_amount(name: str, amount: str) -> list[FieldCause]:
    where = f"spec.hard[{name}]"
    if "/" not in name and name not in _COUNTED | _MEASURED and not name.startswith(("requests.", "limits.")):
        told = ("must be a standard resource type or fully qualified", "must be a standard resource for quota")
        return [errors.invalid_value(where, f'"{name}"', text) for text in told]
    parsed = quantity.parse(amount)
    shown = quantity.canonical(amount)
    if parsed < quantity.parse("0"):
        return [errors.invalid_value(where, f'"{shown}"', "must be greater than or equal to 0")]
    if (name in _COUNTED or name.startswith("count/")) and parsed.milli_value % 1000:
        return [errors.invalid_value(where, f'"{shown}"', "must be an integer")]
    return []


def _check_scopes(spec: Object) -> list[FieldCause]:
    scopes = spec.get("scopes") or []
    where, shown = "spec.scopes", go_value(scopes)
    if any(scope not in _SCOPES for scope in scopes):
        return [errors.invalid_value(where, shown, "unsupported scope")]
    causes = []
    for scope in scopes:
        allowed = {"pods"} if scope == "BestEffort" else _COMPUTE if scope in _OF_PODS else None
        counted = (name for name in spec.get("hard") or () if "/" not in name)
        if allowed is not None and any(name not in allowed for name in counted):
            causes.append(errors.invalid_value(where, shown, "unsupported scope applied to resource"))
    for one, other in (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating")):
        if one in scopes and other in scopes:
            causes.append(errors.invalid_value(where, shown, "conflicting scopes"))
    return causes


def _validate_range(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    causes: list[FieldCause] = []
    seen: set[str] = set()
    for index, item in enumerate((obj.get("spec") or {}).get("limits") or ()):
        where, kind = f"spec.limits[{index}]", str(item.get("type") or "")
        causes += _check_type(f"{where}.type", kind)
        if kind in seen:
            causes.append(FieldCause(f"{where}.type", "FieldValueDuplicate", f'Duplicate value: "{kind}"'))
        seen.add(kind)
        if kind == "Pod":
            causes += [
                errors.forbidden_field(f"{where}.{field}", "may not be specified when `type` is 'Pod'")
                for field in ("default", "defaultRequest")
                if item.get(field)
            ]
        if kind == "PersistentVolumeClaim" and not any(
            (item.get(side) or {}).get("storage") for side in ("min", "max")
        ):
            text = "either minimum or maximum storage value is required, but neither was provided"
            causes.append(errors.required(f"{where}.limits", text))
        causes += _check_item(item, where, kind)
    return causes


def _check_type(field: str, kind: str) -> list[FieldCause]:
    told = names.qualified(kind)
    if not told and "/" not in kind and kind not in ("Pod", "Container", "PersistentVolumeClaim"):
        told = ["must be a standard limit type or fully qualified"]
    return checks.refused(field, kind, told)


def _check_item(item: Object, where: str, kind: str) -> list[FieldCause]:
    causes: list[FieldCause] = []
    least, most = item.get("min") or {}, item.get("max") or {}
    asked = {} if kind == "Pod" else item.get("defaultRequest") or {}
    given = {} if kind == "Pod" else item.get("default") or {}
    for name in sorted({*least, *most, *asked, *given}):
        causes += _order(f"{where}.min[{name}]", name, ("min", least), ("max", most))
        causes += _order(f"{where}.defaultRequest[{name}]", name, ("min", least), ("default request", asked))
        causes += _order(f"{where}.defaultRequest[{name}]", name, ("default request", asked), ("max", most))
        causes += _order(f"{where}.defaultRequest[{name}]", name, ("default request", asked), ("default", given))
        causes += _order(f"{where}.default[{name}]", name, ("min", least), ("default", given))
        causes += _order(f"{where}.default[{name}]", name, ("default", given), ("max", most))
    return causes


def _order(
    field: str, name: str, low: tuple[str, Mapping[str, Any]], high: tuple[str, Mapping[str, Any]]
) -> list[FieldCause]:
    (low_word, lows), (high_word, highs) = low, high
    if name not in lows or name not in highs or quantity.parse(lows[name]) <= quantity.parse(highs[name]):
        return []
    shown = highs[name] if low_word == "default" else lows[name]
    text = f"{low_word} value {lows[name]} is greater than {high_word} value {highs[name]}"
    return [errors.invalid_value(field, f'"{shown}"', text)]


QUOTA = KindRules(validate=_validate_quota, returns_deleted=True)
RANGE = KindRules(validate=_validate_range, fixed=True)
