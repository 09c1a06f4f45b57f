"""Which nodes could take a pod, and what keeps the others from it: worked out from the nodes, by the scheduler's rules.

Shared by the checks on pods that no node takes. What cannot be worked out from state (free ports, zones of volumes,
spreading) is left to the scheduler's own words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.live.scheduling import requests, tolerated
from syncline.core.references.pods import NODE

_POD = GroupKind("", "Pod")
_LOST = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_PRESSED = tuple(f"node.kubernetes.io/{what}-pressure" for what in ("disk", "memory", "pid"))
_CORDON = "node.kubernetes.io/unschedulable"


class Blocked(msgspec.Struct, frozen=True):
    """What keeps a pod from one node: the sort, and what it is about."""

    node: str
    sort: str
    about: str = ""


def nodes(cluster: ClusterIndex) -> list[Object]:
    """Return the nodes."""
    return [obj for _key, obj in cluster.of_kind(NODE)]


def blocked(cluster: ClusterIndex, pod: Object) -> list[Blocked]:
    """Return for each node the first thing that keeps a pod from it; nodes that could take it are left out."""
    spec = pod.get("spec") or {}
    found = []
    for node in nodes(cluster):
        first = next(_obstacles(cluster, spec, node), None)
        if first is not None:
            found.append(first)
    return found


def kept_away(cluster: ClusterIndex, pod: Object, *but: str) -> int:
    """Return how many nodes have something against a pod, other than of the sorts that are named."""
    spec = pod.get("spec") or {}
    return sum(any(one.sort not in but for one in _obstacles(cluster, spec, node)) for node in nodes(cluster))


def _obstacles(cluster: ClusterIndex, spec: Mapping[str, Any], node: Object) -> Iterator[Blocked]:
    name = meta.name(node)
    for wanted in _unmatched(spec, node):
        yield Blocked(name, "selector", wanted)
    sizes = (node.get("status") or {}).get("allocatable") or {}
    for resource, amount in requests(spec).items():
        has = quantity.parse(sizes[resource]).milli_value if resource in sizes else 0
        if has < amount.milli_value:
            # Before taints and cordons: without these it would be too small all the same.
            yield Blocked(name, "size", resource)
    for taint in (node.get("spec") or {}).get("taints") or ():
        if taint.get("effect") == "PreferNoSchedule" or taint.get("key") == _CORDON or tolerated(taint, spec):
            continue
        if taint.get("key") in _LOST:
            yield Blocked(name, "lost", name)
        elif taint.get("key") in _PRESSED:
            yield Blocked(name, "pressed", name)
        else:
            yield Blocked(name, "taint", words(taint))
    if (node.get("spec") or {}).get("unschedulable"):
        yield Blocked(name, "cordoned", name)
    if sizes:
        used = cluster.remembered(usage).get(name, {})
        for resource, amount in requests(spec).items():
            has = quantity.parse(sizes[resource]).milli_value if resource in sizes else 0
            if has - used.get(resource, 0) < amount.milli_value:
                yield Blocked(name, "full", resource)


def words(taint: Mapping[str, Any]) -> str:
    """Return a taint as people write it."""
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint.get('key')}{value}:{taint.get('effect')}"


def _unmatched(spec: Mapping[str, Any], node: Object) -> Iterator[str]:
    labels = meta.labels(node)
    for name, value in (spec.get("nodeSelector") or {}).items():
        if labels.get(name) != str(value):
            yield f"{name}={value}"
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    terms = (required or {}).get("nodeSelectorTerms") or ()
    if terms and not any(_matches(term, labels, meta.name(node)) for term in terms):
        yield " or ".join(_term(term) for term in terms)


def _matches(term: Mapping[str, Any], labels: Mapping[str, str], name: str) -> bool:
    fields = [one for one in term.get("matchFields") or () if one.get("key") == "metadata.name"]
    return all(_meets(one, labels.get(str(one.get("key")))) for one in term.get("matchExpressions") or ()) and all(
        _meets(one, name) for one in fields
    )


def _meets(one: Mapping[str, Any], value: str | None) -> bool:
    values = [str(entry) for entry in one.get("values") or ()]
    match one.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and value.isdecimal() and int(value) > int(values[0])
        case "Lt":
            return value is not None and value.isdecimal() and int(value) < int(values[0])
    return True


def _term(term: Mapping[str, Any]) -> str:
    parts = []
    for one in (*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ())):
        values = "|".join(str(entry) for entry in one.get("values") or ())
        parts.append(f"{one.get('key')} {one.get('operator')} {values}".rstrip())
    return ", ".join(parts)


def usage(cluster: ClusterIndex) -> Mapping[str, Mapping[str, int]]:
    """Return what the pods of each node ask for, in thousandths."""
    found: dict[str, dict[str, int]] = {}
    for _key, pod in cluster.of_kind(_POD):
        spec, phase = pod.get("spec") or {}, (pod.get("status") or {}).get("phase")
        if not spec.get("nodeName") or phase in ("Succeeded", "Failed"):
            continue
        here = found.setdefault(str(spec["nodeName"]), {"pods": 0})
        here["pods"] += 1000
        for resource, amount in requests(spec).items():
            here[resource] = here.get(resource, 0) + amount.milli_value
    return found
