"""What keeps a pod from each node, by what nodes and pod say of themselves, and the fewest changes that would help.

Used by what rules say about pods that no node takes, beside the scheduler's own counts. What other pods use is not
known here: a node that has room by its size may be full, which only the scheduler can tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import Object
from syncline.core.diagnose.live import scheduling


class Hindrance(msgspec.Struct, frozen=True, order=True):
    """One thing that keeps a pod from a node: its sort, and what it is about (a taint, a label, a resource)."""

    sort: str
    about: str = ""


def hindrances(spec: Mapping[str, Any], node: Object) -> frozenset[Hindrance]:
    """Return all that keeps a pod from a node."""
    return frozenset(_hindrances(spec, node))


def _hindrances(spec: Mapping[str, Any], node: Object) -> Iterator[Hindrance]:
    if (node.get("spec") or {}).get("unschedulable"):
        yield Hindrance("cordoned", meta.name(node))
    for taint in scheduling.untolerated(spec, node):
        shown = f"={taint['value']}" if taint.get("value") else ""
        yield Hindrance("taint", f"{taint.get('key')}{shown}:{taint.get('effect')}")
    labels = meta.labels(node)
    for name, value in (spec.get("nodeSelector") or {}).items():
        if labels.get(name) != value:
            yield Hindrance("selector", name)
    if not in_affinity(spec, labels):
        yield Hindrance("affinity")
    sizes = (node.get("status") or {}).get("allocatable") or {}
    for name, amount in scheduling.requests(spec).items():
        if quantity.parse(sizes.get(name, "0")).milli_value < amount.milli_value:
            yield Hindrance("resource", name)


def ways(spec: Mapping[str, Any], nodes: list[Object]) -> list[frozenset[Hindrance]]:
    """Return which hindrances together would have to go, the fewest first; none where a node has none."""
    found = {hindrances(spec, node) for node in nodes}
    if not found or frozenset() in found:
        return []
    fewest = min(len(one) for one in found)
    return sorted((one for one in found if len(one) == fewest), key=sorted)


def in_affinity(spec: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    """Whether a node has the labels that the affinity of a pod requires."""
    terms = _terms(spec)
    return not terms or any(all(_meets(one, labels) for one in term.get("matchExpressions") or ()) for term in terms)


def affinity_words(spec: Mapping[str, Any]) -> str:
    """Return the labels that the affinity of a pod requires, in words."""
    shown = [_worded(one) for term in _terms(spec) for one in term.get("matchExpressions") or ()]
    return ", ".join(shown)


def affinity_labels(spec: Mapping[str, Any]) -> list[str]:
    """Return the names of the labels that the affinity of a pod is about."""
    return [str(one.get("key")) for term in _terms(spec) for one in term.get("matchExpressions") or ()]


def _terms(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    return list(required.get("nodeSelectorTerms") or ())


def _meets(one: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    value, values = labels.get(str(one.get("key"))), one.get("values") or ()
    match one.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case _:
            return True  # larger and smaller: the scheduler tells


def _worded(one: Mapping[str, Any]) -> str:
    values = ", ".join(map(str, one.get("values") or ()))
    words = {"In": "in", "NotIn": "not in", "Exists": "is there", "DoesNotExist": "is not there"}
    return f"{one.get('key')} {words.get(str(one.get('operator')), one.get('operator'))} {values}".rstrip()
