"""HorizontalPodAutoscalers between version 2, which is stored, and version 1.

Version 1 knows a share of CPU alone; all else rides in annotations, in the words the API server uses there.
"""

from __future__ import annotations

from typing import Any, Final

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object

_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
_METRICS: Final = f"{_PREFIX}metrics"
_CURRENT: Final = f"{_PREFIX}current-metrics"
_CONDITIONS: Final = f"{_PREFIX}conditions"
_BEHAVIOR: Final = f"{_PREFIX}behavior"
_POLICY: Final = ("type", "value", "periodSeconds")
_SCALING: Final = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
_CONDITION: Final = ("type", "status", "lastTransitionTime", "reason", "message")


def to_v1(obj: Object) -> Object:
    """Return a stored autoscaler as version 1 shows it."""
    spec, status = dict(obj.get("spec") or {}), dict(obj.get("status") or {})
    annotations = dict(obj["metadata"].get("annotations") or {})
    metrics, current = spec.pop("metrics", None) or [], status.pop("currentMetrics", None) or []
    conditions, behavior = status.pop("conditions", None), spec.pop("behavior", None)
    share = next((one for one in metrics if _cpu_share(one) is not None), None)
    if share is not None:
        spec["targetCPUUtilizationPercentage"] = _cpu_share(share)
    used = next((one for one in current if _cpu_share(one, "current") is not None), None)
    if used is not None:
        status["currentCPUUtilizationPercentage"] = _cpu_share(used, "current")
    others = [_old_metric(one) for one in metrics if one is not share]
    _note(annotations, _METRICS, others)
    _note(annotations, _CURRENT, [_old_current(one) for one in current])
    _note(annotations, _CONDITIONS, [_picked(one, _CONDITION) for one in conditions or ()])
    _note(annotations, _BEHAVIOR, _capital_behavior(behavior) if behavior else None)
    if "status" in obj:
        status = {"currentReplicas": 0, "desiredReplicas": 0, **status}
    return _with(obj, spec, status, annotations)


def to_v2(obj: Object) -> Object:
    """Return an autoscaler of version 1 as it is stored."""
    spec, status = dict(obj.get("spec") or {}), dict(obj.get("status") or {})
    annotations = dict(meta.annotations(obj))
    metrics = [_new_metric(one) for one in _noted(annotations, _METRICS) or ()]
    share = spec.pop("targetCPUUtilizationPercentage", None)
    if share is not None:
        target = {"type": "Utilization", "averageUtilization": share}
        metrics.append({"type": "Resource", "resource": {"name": "cpu", "target": target}})
    if metrics:
        spec["metrics"] = metrics
    current = [_new_current(one) for one in _noted(annotations, _CURRENT) or ()]
    conditions = _noted(annotations, _CONDITIONS)
    behavior = _noted(annotations, _BEHAVIOR)
    if isinstance(behavior, dict):
        spec["behavior"] = _small(behavior)
    status.pop("currentCPUUtilizationPercentage", None)
    if "status" in obj:
        status = {**status, "currentMetrics": current or None}
        if conditions:
            status["conditions"] = conditions
        if not status.get("currentReplicas"):
            status.pop("currentReplicas", None)
    return _with(obj, spec, status, annotations)


def _with(obj: Object, spec: Object, status: Object, annotations: dict[str, Any]) -> Object:
    metadata = {**(meta.metadata(obj))}
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations
    changed = {**obj, "metadata": metadata, "spec": spec}
    return {**changed, "status": status} if "status" in obj else changed


def _note(annotations: dict[str, Any], name: str, value: Any) -> None:
    if value:
        annotations[name] = orjson.dumps(value).decode()


def _noted(annotations: dict[str, Any], name: str) -> Any:
    """Take a value out of an annotation; one that cannot be read is lost, as on a real server."""
    try:
        return orjson.loads(annotations.pop(name, "null"))
    except orjson.JSONDecodeError:
        return None


def _cpu_share(metric: Object, side: str = "target") -> Any:
    if metric.get("type") != "Resource" or (metric.get("resource") or {}).get("name") != "cpu":
        return None
    return (metric["resource"].get(side) or {}).get("averageUtilization")


def _picked(source: Object, names: tuple[str, ...]) -> Object:
    return {name: source[name] for name in names if name in source}


def _old_metric(metric: Object) -> Object:
    """Return a metric in the words of version 1."""
    kind = metric.get("type", "")
    field = kind[:1].lower() + kind[1:]
    source = metric.get(field) or {}
    target, measured = source.get("target") or {}, source.get("metric") or {}
    name, selector = measured.get("name", ""), measured.get("selector")
    value, average = target.get("value"), target.get("averageValue")
    match kind:
        case "Resource" | "ContainerResource":
            share = target.get("averageUtilization")
            told = {"name": source.get("name"), "targetAverageUtilization": share, "targetAverageValue": average}
            told["container"] = source.get("container")
        case "Pods":
            told = {"metricName": name, "targetAverageValue": average, "selector": selector}
        case "External":
            told = {"metricName": name, "metricSelector": selector, "targetValue": value, "targetAverageValue": average}
        case _:
            described = source.get("describedObject")
            told = {"target": described, "metricName": name, "targetValue": value, "selector": selector}
            told["averageValue"] = average
    return {"type": kind, field: _filled(told)}


def _new_metric(metric: Object) -> Object:
    kind = metric.get("type", "")
    field = kind[:1].lower() + kind[1:]
    source = metric.get(field) or {}
    average = source.get("averageValue") or source.get("targetAverageValue")
    share, value = source.get("targetAverageUtilization"), source.get("targetValue")
    target = _target(share, average, value)
    if kind in ("Resource", "ContainerResource"):
        made = _filled({"name": source.get("name"), "container": source.get("container")})
    else:
        selector = source.get("selector") or source.get("metricSelector")
        made = {"metric": _filled({"name": source.get("metricName", ""), "selector": selector})}
        if kind == "Object":
            made["describedObject"] = source.get("target") or {}
    return {"type": kind, field: {**made, "target": target}}


def _target(share: Any, average: Any, value: Any) -> Object:
    if share is not None:
        return {"type": "Utilization", "averageUtilization": share}
    if average is not None:
        return {"type": "AverageValue", "averageValue": average}
    return {"type": "Value", "value": value}


def _old_current(metric: Object) -> Object:
    kind = metric.get("type", "")
    field = kind[:1].lower() + kind[1:]
    source = metric.get(field) or {}
    current, measured = source.get("current") or {}, source.get("metric") or {}
    value, average = current.get("value"), current.get("averageValue")
    match kind:
        case "Resource" | "ContainerResource":
            share = current.get("averageUtilization")
            told = {"name": source.get("name"), "currentAverageUtilization": share, "currentAverageValue": average}
            told["container"] = source.get("container")
        case "Object":
            described = source.get("describedObject")
            told = {"target": described, "metricName": measured.get("name"), "currentValue": value}
        case _:
            told = {"metricName": measured.get("name"), "metricSelector": measured.get("selector")}
            told |= {"currentValue": value, "currentAverageValue": average}
    return {"type": kind, field: _filled(told)}


def _new_current(metric: Object) -> Object:
    kind = metric.get("type", "")
    field = kind[:1].lower() + kind[1:]
    source = metric.get(field) or {}
    current = {
        "averageUtilization": source.get("currentAverageUtilization"),
        "averageValue": source.get("currentAverageValue"),
        "value": source.get("currentValue"),
    }
    if kind in ("Resource", "ContainerResource"):
        made = _filled({"name": source.get("name"), "container": source.get("container")})
    else:
        made = {"metric": _filled({"name": source.get("metricName"), "selector": source.get("metricSelector")})}
        if kind == "Object":
            made["describedObject"] = source.get("target") or {}
    return {"type": kind, field: {**made, "current": _filled(current)}}


def _filled(values: Object) -> Object:
    return {key: value for key, value in values.items() if value is not None}


def _capital_behavior(behavior: Object) -> Object:
    """Return the behavior as Go prints a structure without JSON names."""
    return {_capital(side): _capital_rules(behavior.get(side)) for side in ("scaleUp", "scaleDown")}


def _capital_rules(rules: Any) -> Any:
    if rules is None:
        return None
    policies = rules.get("policies")
    told = {**rules, "policies": policies and [{_capital(key): one.get(key) for key in _POLICY} for one in policies]}
    return {_capital(key): told.get(key) for key in _SCALING}


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _small(value: Any) -> Any:
    if isinstance(value, dict):
        return {key[:1].lower() + key[1:]: _small(item) for key, item in value.items() if item is not None}
    return [_small(item) for item in value] if isinstance(value, list) else value
