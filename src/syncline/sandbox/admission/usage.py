"""How much of a ResourceQuota an object uses.

Asked by `syncline.sandbox.admission.quotas` for every write and by whoever counts a whole namespace (`total`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.apimachinery.quantity import Quantity
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

Amounts = dict[str, Quantity]
ONE: Final = quantity.parse("1")
ZERO: Final = quantity.parse("0")
_PLAIN: Final = frozenset({"configmaps", "replicationcontrollers", "resourcequotas", "secrets"})
_STORAGE: Final = "storageclass.storage.k8s.io"
_BARE: Final = frozenset({"cpu", "memory", "ephemeral-storage"})
"""Amounts that a quota may name without `requests.` before them."""


def amounts(given: Mapping[str, Any] | None) -> Amounts:
    """Return amounts as numbers."""
    return {name: quantity.parse(str(amount)) for name, amount in (given or {}).items()}


def of_container(container: Object, side: str) -> Amounts:
    """Return what a container requests or is limited to."""
    return amounts((container.get("resources") or {}).get(side))


def of_pod(spec: Object, side: str) -> Amounts:
    """Return what a pod requests or is limited to: its containers together, or its largest init container."""
    whole: Amounts = {}
    for container in spec.get("containers") or ():
        whole = add(whole, of_container(container, side))
    kept: Amounts = {}
    largest: Amounts = {}
    for container in spec.get("initContainers") or ():
        asked = of_container(container, side)
        if container.get("restartPolicy") == "Always":
            kept = asked = add(kept, asked)
        else:
            asked = add(kept, asked)
        largest = {name: max(asked.get(name, ZERO), largest.get(name, ZERO)) for name in asked.keys() | largest.keys()}
    whole = add(whole, kept)
    return {name: max(whole.get(name, ZERO), largest.get(name, ZERO)) for name in whole.keys() | largest.keys()}


def add(left: Mapping[str, Quantity], right: Mapping[str, Quantity]) -> Amounts:
    """Add amounts by name."""
    return {name: left.get(name, ZERO) + right.get(name, ZERO) for name in left.keys() | right.keys()}


def of_object(resource: Resource, obj: Object) -> Amounts:
    """Return what an object counts for, by the names quotas use."""
    qualified = f"{resource.plural}.{resource.group}" if resource.group else resource.plural
    used = {f"count/{qualified}": ONE}
    if resource.group:
        return used
    match resource.plural:
        case "pods":
            return used | _of_pod(obj)
        case "services":
            return used | _of_service(obj.get("spec") or {})
        case "persistentvolumeclaims":
            return used | _of_claim(obj.get("spec") or {})
    return used | ({resource.plural: ONE} if resource.plural in _PLAIN else {})


def _of_pod(obj: Object) -> Amounts:
    if (obj.get("status") or {}).get("phase") in ("Failed", "Succeeded"):
        return {}
    spec, used = obj.get("spec") or {}, {"pods": ONE}
    for name, amount in of_pod(spec, "requests").items():
        used[f"requests.{name}"] = amount
        if name in _BARE:
            used[name] = amount
    used.update((f"limits.{name}", amount) for name, amount in of_pod(spec, "limits").items())
    return used


def _of_service(spec: Object) -> Amounts:
    used = {"services": ONE}
    kind, ports = spec.get("type") or "ClusterIP", len(spec.get("ports") or ())
    if kind == "LoadBalancer":
        used["services.loadbalancers"] = ONE
        if spec.get("allocateLoadBalancerNodePorts") is False:
            ports = sum(1 for port in spec.get("ports") or () if port.get("nodePort"))
    if kind in ("NodePort", "LoadBalancer"):
        used["services.nodeports"] = quantity.parse(str(ports))
    return used


def _of_claim(spec: Object) -> Amounts:
    used = {"persistentvolumeclaims": ONE}
    asked = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    size = quantity.parse(str(asked)) if asked is not None else ZERO
    used["requests.storage"] = size
    name = spec.get("storageClassName")
    if name:
        used[f"{name}.{_STORAGE}/persistentvolumeclaims"] = ONE
        used[f"{name}.{_STORAGE}/requests.storage"] = size
    return used


def in_scope(quota: Object, resource: Resource, obj: Object) -> bool:
    """Tell whether a quota's scopes take an object in."""
    spec = quota.get("spec") or {}
    terms = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    terms += (spec.get("scopeSelector") or {}).get("matchExpressions") or []
    if not terms:
        return True
    return resource.bucket == Bucket("", "pods") and all(_matches(term, obj.get("spec") or {}) for term in terms)


def _matches(term: Object, spec: Object) -> bool:
    effortless = not any(
        (one.get("resources") or {}).get(part)
        for one in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
        for part in ("requests", "limits")
    )
    match term.get("scopeName"):
        case "BestEffort":
            return effortless
        case "NotBestEffort":
            return not effortless
        case "Terminating":
            return spec.get("activeDeadlineSeconds") is not None
        case "NotTerminating":
            return spec.get("activeDeadlineSeconds") is None
        case "PriorityClass":
            return _named(term, spec.get("priorityClassName") or "")
    return False


def _named(term: Object, name: str) -> bool:
    values = term.get("values") or []
    match term.get("operator"):
        case "In":
            return name in values
        case "NotIn":
            return name not in values
        case "DoesNotExist":
            return not name
    return bool(name)


def total(backend: Backend, namespace: str, quota: Object) -> Amounts:
    """Count what a namespace uses of everything a quota names."""
    wanted = set((quota.get("spec") or {}).get("hard") or ())
    counted = dict.fromkeys(wanted, ZERO)
    for resource in _counted(backend, wanted):
        for row in backend.store.rows(resource.bucket, namespace):
            obj = row.decode()
            if not in_scope(quota, resource, obj):
                continue
            for name, amount in of_object(resource, obj).items():
                if name in wanted:
                    counted[name] = counted[name] + amount
    return counted


def _counted(backend: Backend, wanted: set[str]) -> Iterable[Resource]:
    """Return the kinds that can use anything of what is wanted, each in one version."""
    known: dict[Bucket, Resource] = {}
    for resource in backend.registry.all():
        if resource.namespaced and "create" in resource.verbs and resource.converted is None:
            known.setdefault(resource.bucket, resource)
    named = {name.removeprefix("count/") for name in wanted if name.startswith("count/")}
    others = {name for name in wanted if not name.startswith("count/")}
    for resource in known.values():
        qualified = f"{resource.plural}.{resource.group}" if resource.group else resource.plural
        compound = resource.bucket in (Bucket("", "pods"), Bucket("", "services"), Bucket("", "persistentvolumeclaims"))
        if qualified in named or (not resource.group and (resource.plural in others or (compound and others))):
            yield resource
