"""The columns of NetworkPolicies, PodDisruptionBudgets, HorizontalPodAutoscalers, ResourceQuotas and revisions."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.tables.columns import AGE, NAME, TableColumn, at, dig, number, selector_text


def _pod_selector(obj: Object, _now: datetime) -> str:
    selector = dig(obj, ("spec", "podSelector"), {})
    return selector_text(selector) if selector else "<none>"


def _given(*path: str) -> Any:
    def cell(obj: Object, _now: datetime) -> str:
        value = dig(obj, path, None)
        return "N/A" if value is None else str(value)

    return cell


def _reference(obj: Object, _now: datetime) -> str:
    target = dig(obj, ("spec", "scaleTargetRef"), {})
    return f"{target.get('kind', '')}/{target.get('name', '')}"


def _targets(obj: Object, _now: datetime) -> str:
    metrics, current = dig(obj, ("spec", "metrics"), []), dig(obj, ("status", "currentMetrics"), None) or []
    told = [_target(metric, current[index] if index < len(current) else {}) for index, metric in enumerate(metrics)]
    more = f" + {len(told) - 2} more..." if len(told) > 2 else ""
    return ", ".join(told[:2]) + more or "<none>"


def _target(metric: Object, current: Object) -> str:
    """Print one metric as measured and wanted; a real server matches the two by their place alone."""
    kind = metric.get("type", "")
    field = kind[:1].lower() + kind[1:]
    wanted = (metric.get(field) or {}).get("target") or {}
    found = (current.get(field) or {}).get("current") or {}
    name = f"{metric[field].get('name', '')}: " if kind in ("Resource", "ContainerResource") else ""
    if wanted.get("averageValue") is not None:
        average = " (avg)" if not name else ""
        return f"{name}{found.get('averageValue', '<unknown>')}/{wanted['averageValue']}{average}"
    if name:
        share = found.get("averageUtilization")
        shown = "<unknown>" if share is None else f"{share}%"
        limit = wanted.get("averageUtilization")
        return f"{name}{shown}/{'<auto>' if limit is None else f'{limit}%'}"
    return f"{found.get('value', '<unknown>')}/{wanted.get('value', '')}"


def _least(obj: Object, _now: datetime) -> str:
    return str(dig(obj, ("spec", "minReplicas"), "<unset>"))


def _amounts(*, limits: bool) -> Any:
    def cell(obj: Object, _now: datetime) -> str:
        hard, used = dig(obj, ("status", "hard"), {}), dig(obj, ("status", "used"), {})
        names = sorted(name for name in hard if name.startswith("limits") is limits)
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)

    return cell


def _controller(obj: Object, _now: datetime) -> str:
    owners = obj["metadata"].get("ownerReferences") or ()
    owner = next((one for one in owners if one.get("controller")), None)
    if owner is None:
        return "<none>"
    group = owner["apiVersion"].rpartition("/")[0]
    return f"{owner['kind'].lower()}{f'.{group}' if group else ''}/{owner['name']}"


NETWORK_POLICIES = (NAME, TableColumn("Pod-Selector", _pod_selector), AGE)
BUDGETS = (
    NAME,
    TableColumn("Min Available", _given("spec", "minAvailable")),
    TableColumn("Max Unavailable", _given("spec", "maxUnavailable")),
    TableColumn("Allowed Disruptions", number("status", "disruptionsAllowed"), type="integer"),
    AGE,
)
AUTOSCALERS = (
    NAME,
    TableColumn("Reference", _reference),
    TableColumn("Targets", _targets),
    TableColumn("MinPods", _least),
    TableColumn("MaxPods", number("spec", "maxReplicas")),
    TableColumn("Replicas", number("status", "currentReplicas")),
    AGE,
)
QUOTAS = (NAME, TableColumn("Request", _amounts(limits=False)), TableColumn("Limit", _amounts(limits=True)), AGE)
REVISIONS = (NAME, TableColumn("Controller", _controller), TableColumn("Revision", at("revision", default=0)), AGE)
