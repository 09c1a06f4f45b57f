"""Why single nodes do not take a pod, worked out from the nodes themselves, and the scheduler's words in plain ones.

Shared by what rules say about pods that no node takes. The scheduler's counts are the truth, since it alone knows what
is free; the nodes tell what would have to change: which label, which taint, how much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta, quantity
from syncline.apimachinery.keys import Object

_UNBOUND = "unbound immediate PersistentVolumeClaims"
_NO_CLAIM = re.compile(r'persistentvolumeclaim "[^"]+" not found')
_COUNTED = re.compile(r"(?P<count>\d+) (?P<what>[^,]+?)(?=, \d+ |$)")
_WORDS = (
    (re.compile(r"node\(s\) had untolerated taint \{(?P<taint>[^}]*)\}"), "taint"),
    (re.compile(r"node\(s\) were unschedulable"), "cordoned"),
    (re.compile(r"node\(s\) didn't match Pod's node affinity/selector"), "selector"),
    (re.compile(r"Insufficient (?P<resource>\S+)"), "resource"),
    (re.compile(r"node\(s\) had volume node affinity conflict"), "zone"),
    (re.compile(r"node\(s\) (?:didn't match pod|didn't satisfy existing pods) anti-affinity rules"), "apart"),
    (re.compile(r"node\(s\) didn't match pod affinity rules"), "together"),
    (re.compile(r"node\(s\) didn't match pod topology spread constraints"), "spread"),
    (re.compile(r"node\(s\) exceed max volume count"), "volumes"),
    (re.compile(r"node\(s\) didn't have free ports"), "port"),
    (re.compile(r"Too many pods"), "pods"),
)


class Obstacle(msgspec.Struct, frozen=True):
    """One reason, for how many nodes it holds, and what it is about: a taint, a resource."""

    count: int
    sort: str
    about: str
    text: str


def claim_words(message: str) -> str:
    """Return what the scheduler says of a volume claim that pods wait for; empty where it says nothing of one."""
    return "is not bound" if _UNBOUND in message else "does not exist" if _NO_CLAIM.search(message) else ""


def obstacles(message: str) -> list[Obstacle]:
    """Read the scheduler's sentence: `0/3 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. …`."""
    _head, _colon, rest = message.partition("nodes are available: ")
    rest = re.split(r"\.? ?(?:no new claims|preemption:)", rest)[0].rstrip(". ")
    found = []
    for one in _COUNTED.finditer(rest):
        sort, about = _sorted(one["what"])
        found.append(Obstacle(int(one["count"]), sort, about, one["what"]))
    return found


def _sorted(text: str) -> tuple[str, str]:
    for words, sort in _WORDS:
        if found := words.search(text):
            return sort, next(iter(found.groupdict().values()), "") or ""
    return "other", ""


def requests(spec: Mapping[str, Any]) -> dict[str, quantity.Quantity]:
    """Return what the containers of a pod ask for, by resource."""
    total: dict[str, quantity.Quantity] = {}
    for container in spec.get("containers") or ():
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            value = quantity.parse(amount)
            total[name] = total[name] + value if name in total else value
    return total


def untolerated(spec: Mapping[str, Any], node: Object) -> Iterator[dict[str, Any]]:
    """Yield the taints of a node that keep a pod from it."""
    return (taint for taint in _taints(node) if not tolerated(taint, spec))


def largest(nodes: list[Object], resource: str) -> tuple[str, str]:
    """Return the node that has most of a resource, and how much that is; nothing where no node has any."""
    sizes = []
    for node in nodes:
        amount = ((node.get("status") or {}).get("allocatable") or {}).get(resource)
        if amount is not None:
            sizes.append((quantity.parse(amount).milli_value, str(amount), meta.name(node)))
    if not sizes:
        return "", ""
    _milli, amount, name = max(sizes)
    return name, amount


def _taints(node: Object) -> Iterator[dict[str, Any]]:
    for taint in (node.get("spec") or {}).get("taints") or ():
        if taint.get("effect") != "PreferNoSchedule" and taint.get("key") != "node.kubernetes.io/unschedulable":
            yield taint


def tolerated(taint: Mapping[str, Any], spec: Mapping[str, Any]) -> bool:
    """Whether a pod's spec tolerates a taint."""
    for one in spec.get("tolerations") or ():
        effect = one.get("effect") in (None, "", taint.get("effect"))
        if not one.get("key"):
            match = one.get("operator") == "Exists"
        elif one.get("operator") == "Exists":
            match = one["key"] == taint.get("key")
        else:
            match = one["key"] == taint.get("key") and str(one.get("value") or "") == str(taint.get("value") or "")
        if effect and match:
            return True
    return False


def taint_words(nodes: list[Object], about: str) -> str:
    """Return a taint as `key=value:Effect`; the scheduler leaves out its effect."""
    key, _colon, value = about.partition(":")
    for node in nodes:
        for taint in _taints(node):
            if taint.get("key") == key.strip() and str(taint.get("value") or "") == value.strip():
                shown = f"={taint['value']}" if taint.get("value") else ""
                return f"{taint['key']}{shown}:{taint.get('effect')}"
    return about.replace(": ", "=")
