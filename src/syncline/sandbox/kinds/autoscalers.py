"""HorizontalPodAutoscalers: bounds that must fit, and a target that can be named."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import KindRules

_SOURCES = ("ContainerResource", "External", "Object", "Pods", "Resource")


def _validate(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    least, most = spec.get("minReplicas", 1), spec.get("maxReplicas") or 0
    causes: list[FieldCause] = []
    if most < least:
        text = "must be greater than or equal to `minReplicas`"
        causes.append(errors.invalid_value("spec.maxReplicas", str(most), text))
    target = spec.get("scaleTargetRef") or {}
    causes += [errors.required(f"spec.scaleTargetRef.{field}") for field in ("kind", "name") if not target.get(field)]
    version = str(target.get("apiVersion") or "")
    if not version:
        text = "apiVersion must specify API group"
        causes.append(errors.invalid_value("spec.scaleTargetRef.apiVersion", f'"{version}"', text))
    causes += _check_metrics(spec.get("metrics") or [])
    if least < 0:
        text = "must be greater than or equal to 0"
        causes.append(errors.invalid_value("spec.minReplicas", str(least), text))
    if most < 1:
        told = errors.required("spec.maxReplicas")
        wrong = errors.invalid_value("spec.maxReplicas", str(most), "must be greater than 0")
        causes.append(told if most == 0 else wrong)
    return causes


def _check_metrics(metrics: list[Object]) -> list[FieldCause]:
    causes: list[FieldCause] = []
    for index, metric in enumerate(metrics):
        kind, where = str(metric.get("type") or ""), f"spec.metrics[{index}]"
        if not kind:
            causes.append(errors.required(f"{where}.type", "must specify a metric source type"))
        elif kind not in _SOURCES:
            causes.append(errors.not_supported(f"{where}.type", kind, _SOURCES))
        elif metric.get(kind[:1].lower() + kind[1:]) is None:
            field = kind[:1].lower() + kind[1:]
            text = "must populate information for the given metric source"
            causes.append(errors.required(f"{where}.{field}", text))
    return causes


AUTOSCALER = KindRules(validate=_validate, fixed=True)
