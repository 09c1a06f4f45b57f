"""Fields of autoscalers that a real server checks one by one: what is measured, and how fast they follow.

Rows for the tables of `syncline.sandbox.kinds.kind_fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from syncline.sandbox import errors
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, field_tables
from syncline.sandbox.kinds.field_tables import below

_METRICS: Final = ("ContainerResource", "External", "Object", "Pods", "Resource")
_TARGETS: Final = ("Utilization", "Value", "AverageValue")


def _metric(field: str, value: Any) -> list[FieldCause]:
    """Check one measure of an autoscaler: that it has what its type says, and a target."""
    kind = value.get("type") or ""
    if not kind:
        return [errors.required(f"{field}.type", "must specify a metric source type")]
    if kind not in _METRICS:
        return [errors.not_supported(f"{field}.type", kind, _METRICS)]
    part = kind[0].lower() + kind[1:]
    source = value.get(part)
    if source is None:
        return [errors.required(f"{field}.{part}", "must populate information for the given metric source")]
    where = f"{field}.{part}"
    causes: list[FieldCause] = []
    if kind in ("Resource", "ContainerResource"):
        causes += checks.needed(f"{where}.name", source.get("name"))
    else:
        metric = source.get("metric") or {}
        causes += checks.needed(f"{where}.metric.name", metric.get("name"))
        causes += field_tables.segment(f"{where}.metric.name", metric.get("name"))
    if kind == "ContainerResource":
        causes += checks.needed(f"{where}.container", source.get("container"))
        causes += field_tables.label(f"{where}.container", source.get("container") or None)
    if kind == "Object":
        described = source.get("describedObject") or {}
        causes += [
            c
            for n in ("kind", "name")
            for c in field_tables.reference(f"{where}.describedObject.{n}", described.get(n))
        ]
    return causes + _target(f"{where}.target", source.get("target") or {}, kind)


def _target(field: str, target: Mapping[str, Any], kind: str) -> list[FieldCause]:
    causes = field_tables.needed_of(*_TARGETS)(f"{field}.type", target.get("type"))
    share = target.get("averageUtilization")
    causes += field_tables.above_zero(f"{field}.averageUtilization", share)
    amounts = {name: target.get(name) for name in ("averageUtilization", "averageValue", "value")}
    wanted = {
        "Resource": ("averageUtilization", "averageValue"),
        "ContainerResource": ("averageUtilization", "averageValue"),
        "Pods": ("averageValue",),
        "Object": ("value", "averageValue"),
        "External": ("value", "averageValue"),
    }[kind]
    if not any(amounts[name] is not None for name in wanted):
        causes.append(errors.required(f"{field}.{wanted[0]}", "must set a target value"))
    return causes


def _group(field: str, value: Any) -> list[FieldCause]:
    """Refuse what is scaled without the group of its kind."""
    version, kind = value.get("apiVersion"), value.get("kind")
    if not version or "/" in version or kind == "ReplicationController":
        return []
    return checks.refused(f"{field}.apiVersion", str(version), ["apiVersion must specify API group"])


_BEHAVIOR: Final = (
    ("stabilizationWindowSeconds", field_tables.between(0, 3600)),
    ("selectPolicy", field_tables.one_of("Max", "Min", "Disabled")),
    ("policies", lambda field, value: [] if value is None else checks.needed(field, value)),
    ("policies[].type", field_tables.needed_of("Pods", "Percent")),
    ("policies[].value", lambda field, value: field_tables.above_zero(field, value or 0)),
    ("policies[].periodSeconds", lambda field, value: field_tables.between(1, 1800)(field, value or 0)),
)
ROWS: Final = (
    ("spec.scaleTargetRef", lambda field, value: [] if value is None else _group(field, value)),
    ("spec.scaleTargetRef.kind", field_tables.reference),
    ("spec.scaleTargetRef.name", field_tables.reference),
    ("spec.metrics[]", _metric),
    *below("spec.behavior.scaleUp", _BEHAVIOR),
    *below("spec.behavior.scaleDown", _BEHAVIOR),
)
