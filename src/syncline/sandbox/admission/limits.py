"""LimitRanges: amounts for containers that name none, and bounds for containers, pods and claims.

Called by `syncline.sandbox.admission.chain`. What is filled in is told in an annotation, as a real server does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.apimachinery.quantity import Quantity
from syncline.sandbox import errors
from syncline.sandbox.admission import usage
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_RANGES: Final = Bucket("", "limitranges")
_NOTE: Final = "kubernetes.io/limit-ranger"
Amounts = Mapping[str, Quantity]


def _limits(backend: Backend, namespace: str) -> Iterator[list[Object]]:
    for row in backend.store.rows(_RANGES, namespace):
        yield (row.decode().get("spec") or {}).get("limits") or []


def fill(backend: Backend, pod: Object) -> Object:
    """Return a pod whose containers have the default amounts of its namespace."""
    for items in _limits(backend, pod["metadata"].get("namespace", "")):
        requests, limits = _defaults(items)
        if requests or limits:
            pod = _filled(pod, requests, limits)
    return pod


def _defaults(items: list[Object]) -> tuple[Object, Object]:
    requests: Object = {}
    limits: Object = {}
    for item in items:
        if item.get("type") == "Container":
            requests |= item.get("defaultRequest") or {}
            limits |= item.get("default") or {}
    return requests, limits


def _filled(pod: Object, requests: Object, limits: Object) -> Object:
    spec, notes = dict(pod.get("spec") or {}), []
    for field, word in (("containers", "container"), ("initContainers", "init container")):
        if not spec.get(field):
            continue
        changed = []
        for container in spec[field]:
            resources = dict(container.get("resources") or {})
            for part, amounts, what in (("requests", requests, "request"), ("limits", limits, "limit")):
                missing = {name: amount for name, amount in amounts.items() if name not in (resources.get(part) or {})}
                if missing:
                    resources[part] = {**(resources.get(part) or {}), **missing}
                    notes.append(f"{', '.join(sorted(missing))} {what} for {word} {container.get('name', '')}")
            changed.append({**container, "resources": resources})
        spec[field] = changed
    if not notes:
        return pod
    annotations = {**(pod["metadata"].get("annotations") or {}), _NOTE: f"LimitRanger plugin set: {'; '.join(notes)}"}
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}, "spec": spec}


def check(backend: Backend, resource: Resource, obj: Object) -> None:
    """Refuse a pod or claim outside the bounds of its namespace."""
    for items in _limits(backend, obj["metadata"]["namespace"]):
        told = [text for item in items for text in _violations(item, obj, resource.kind)]
        if told:
            detail = told[0] if len(told) == 1 else f"[{', '.join(told)}]"
            raise errors.forbidden(resource.plural, resource.group, obj["metadata"].get("name", ""), detail)


def _violations(item: Object, obj: Object, kind: str) -> list[str]:
    spec, about = obj.get("spec") or {}, item.get("type", "")
    if kind == "PersistentVolumeClaim":
        asked = usage.amounts((spec.get("resources") or {}).get("requests"))
        return _outside(item, about, asked, {}, claimed=True) if about == kind else []
    if about == "Container":
        every = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
        return [
            text
            for container in every
            for text in _outside(item, about, usage.of_container(container, "requests"), _limits_of(container))
        ]
    if about == "Pod":
        return _outside(item, about, usage.of_pod(spec, "requests"), usage.of_pod(spec, "limits"))
    return []


def _limits_of(container: Object) -> Amounts:
    return usage.of_container(container, "limits")


def _outside(item: Object, about: str, requests: Amounts, limits: Amounts, *, claimed: bool = False) -> list[str]:
    told = [_too_small(about, name, bound, requests, limits) for name, bound in _bounds(item, "min")]
    told += [_too_large(about, name, bound, requests, limits, claimed) for name, bound in _bounds(item, "max")]
    if not claimed:
        told += [
            _too_far(about, name, ratio, requests, limits) for name, ratio in _bounds(item, "maxLimitRequestRatio")
        ]
    return [text for text in told if text]


def _bounds(item: Object, field: str) -> list[tuple[str, Any]]:
    return sorted((item.get(field) or {}).items())


def _too_small(about: str, name: str, bound: Any, requests: Amounts, limits: Amounts) -> str:
    least, start = quantity.parse(bound), f"minimum {name} usage per {about} is {bound}"
    if name not in requests:
        return f"{start}.  No request is specified"
    if requests[name] < least:
        return f"{start}, but request is {requests[name]}"
    if name in limits and limits[name] < least:
        return f"{start}, but limit is {limits[name]}"
    return ""


def _too_large(about: str, name: str, bound: Any, requests: Amounts, limits: Amounts, claimed: bool) -> str:
    most, start = quantity.parse(bound), f"maximum {name} usage per {about} is {bound}"
    if claimed:
        if name not in requests:
            return f"{start}.  No request is specified"
        return f"{start}, but request is {requests[name]}" if requests[name] > most else ""
    if name not in limits:
        return f"{start}.  No limit is specified"
    if limits[name] > most:
        return f"{start}, but limit is {limits[name]}"
    if name in requests and requests[name] > most:
        return f"{start}, but request is {requests[name]}"
    return ""


def _too_far(about: str, name: str, bound: Any, requests: Amounts, limits: Amounts) -> str:
    start = f"{name} max limit to request ratio per {about} is {bound}"
    if not requests.get(name):
        return f"{start}, but no request is specified or request is 0"
    if not limits.get(name):
        return f"{start}, but no limit is specified or limit is 0"
    ratio = limits[name].nanos / requests[name].nanos
    wanted = quantity.parse(bound).nanos / quantity.parse("1").nanos
    return f"{start}, but provided ratio is {ratio:.6f}" if ratio > wanted else ""
