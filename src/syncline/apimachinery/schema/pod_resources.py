"""Works out what a Pod requests and may use as a whole, where it says so only in part.

Called from `data/defaults.json` (Kubernetes 1.34 and newer) through `syncline.apimachinery.schema.computed_defaults`,
after the containers' own requests are filled in. Init containers run one after the other before the rest, so the
largest counts; those that restart always stay beside it, and are added.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import quantity
from syncline.apimachinery.quantity import Quantity

Part = dict[str, Any]
Amounts = dict[str, Quantity]


def pod_level_resources(pod_spec: Part) -> Part:
    """Pod: requests and limits of the whole follow from each other and from those of the containers."""
    resources = pod_spec.get("resources")
    if not isinstance(resources, dict) or not (resources.get("limits") or resources.get("requests")):
        return pod_spec
    try:
        filled = _filled(pod_spec, resources)
    except (quantity.InvalidQuantity, TypeError, AttributeError):
        return pod_spec
    return pod_spec if filled == resources else {**pod_spec, "resources": filled}


def _filled(pod_spec: Part, resources: Part) -> Part:
    limits, requests = dict(resources.get("limits") or {}), dict(resources.get("requests") or {})
    used = _aggregated(pod_spec, "limits")
    for name, amount in used.items():
        if _is_huge_page(name) and name not in requests:
            limits.setdefault(name, str(amount))
    for name, amount in _aggregated(pod_spec, "requests").items():
        if name in ("cpu", "memory"):
            requests.setdefault(name, str(amount))
    for name, written in limits.items():
        if name in ("cpu", "memory") or _is_huge_page(name):
            requests.setdefault(name, written)
    for name, amount in used.items():
        if name in ("cpu", "memory") and name not in limits and _all_limited(pod_spec, name):
            limits[name] = str(max(amount, quantity.parse(requests.get(name, "0"))))
    sides = {"limits": limits, "requests": requests}
    return {**resources, **{side: amounts for side, amounts in sides.items() if amounts}}


def _is_huge_page(name: str) -> bool:
    return name.startswith("hugepages-")


def _containers(pod_spec: Part, field: str) -> list[Part]:
    return [container for container in pod_spec.get(field) or [] if isinstance(container, dict)]


def _all_limited(pod_spec: Part, name: str) -> bool:
    """Return whether every container that may run at any time has a limit for a resource."""
    every = _containers(pod_spec, "containers") + _containers(pod_spec, "initContainers")
    return all(name in ((container.get("resources") or {}).get("limits") or {}) for container in every)


def _aggregated(pod_spec: Part, side: str) -> Amounts:
    total: Amounts = {}
    for container in _containers(pod_spec, "containers"):
        total = _sum(total, _amounts(container, side))
    beside: Amounts = {}
    largest: Amounts = {}
    for container in _containers(pod_spec, "initContainers"):
        amounts = _amounts(container, side)
        if container.get("restartPolicy") == "Always":
            total, beside = _sum(total, amounts), _sum(beside, amounts)
            amounts = beside
        else:
            amounts = _sum(amounts, beside)
        largest = _larger(largest, amounts)
    return _larger(total, largest)


def _amounts(container: Part, side: str) -> Amounts:
    listed = (container.get("resources") or {}).get(side) or {}
    return {name: quantity.parse(amount) for name, amount in listed.items()}


def _sum(left: Amounts, right: Amounts) -> Amounts:
    return {
        name: left[name] + right[name] if name in left and name in right else both
        for name, both in {**left, **right}.items()
    }


def _larger(left: Amounts, right: Amounts) -> Amounts:
    return {
        name: max(left[name], right[name]) if name in left and name in right else both
        for name, both in {**left, **right}.items()
    }
