"""A pod that no node takes: one cause for all pods that the same thing keeps from the nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads import placing, pods, scheduler_words
from syncline.core.diagnose.graph.workloads.needs import needs
from syncline.core.diagnose.graph.workloads.placing import Blocked
from syncline.core.diagnose.live import scheduling
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.rules.workloads.unschedulable import RULE
from syncline.core.references import read
from syncline.core.references.pods import CLAIM
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_LOST = ("lost", "pressed")
"""The node itself is bad, so that it is the cause."""
_MACHINE = "kubernetes.io/hostname"
_ALIKE = ("cordoned", "lost", "pressed")
"""What is said of nodes by their count: their names are in the cause or the fix."""
_ORDER = ("lost", "pressed", "cordoned", "taint", "full", "size", "selector")
"""What is nearest to fitting first: a node that is only cordoned is closer than one with other labels."""


class _Sign(msgspec.Struct, frozen=True):
    """What keeps all nodes from a pod: the sort, what it is about, and where the cause then is."""

    sort: str
    about: str
    cause: Thing


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that the scheduler refuses, because of claims or nodes where those are bad."""
    refused = condition(node.obj, "PodScheduled")
    if refused.get("status") != "False" or pods.is_finished(node.obj):
        return
    if refused.get("reason") == "SchedulingGated":
        return
    said = str(refused.get("message") or "")
    waits = bool(scheduling.claim_words(said))
    claims = tuple(_claims(node)) if waits or not said else ()
    found = placing.blocked(node.cluster, node.obj)
    sign = _sign(node, said, found)
    lost = tuple(node.at(ObjectKey("", "Node", "", one.node)) for one in found if one.sort in _LOST)
    nodes = lost if sign.sort in _LOST else ()
    yield Fault(
        rule=RULE,
        state="Unschedulable",
        because=(*claims, *nodes),
        cause=sign.cause,
        about=f"{sign.sort} {sign.about}",
        tell=None if waits and claims else lambda: _finding(node, said, sign, found),
        soon=needs(node),
    )


def _claims(node: Node) -> Iterator[Thing]:
    for reference in read.references(node.obj):
        if reference.key.group_kind == CLAIM:
            there = not node.cluster.is_absent(reference.key)
            yield node.at(reference.key) if there else node.missing(reference.key)


def _sign(node: Node, said: str, found: list[Blocked]) -> _Sign:
    owner = pods.workload(node)
    told = scheduling.obstacles(said)
    by_text = [one for one in told if one.sort in ("zone", "port", "other", "pods") or "affinity rules" in one.text]
    if not found or len(found) < len(placing.nodes(node.cluster)):
        # State alone would let a node take it: only the scheduler's own words tell.
        first = by_text[0] if by_text else (told[0] if told else None)
        if first is None:
            return _Sign("other", "", owner)
        if first.sort in ("taint", "selector", "resource"):
            about = first.about.replace(": ", "=") or _selected(node)
            return _Sign(first.sort, about, node.outside("nodes", about or first.text))
        claim = scheduler_words.claim_elsewhere(node, said)
        return _Sign(first.sort, first.text, node.at(claim) if claim is not None else owner)
    counts = Counter(one.sort for one in found)
    sort = next(one for one in _ORDER if counts[one])
    about = min(one.about for one in found if one.sort == sort)
    if sort == "size":
        amount = scheduling.requests(node.obj.get("spec") or {}).get(about)
        sizes = [(one.get("status") or {}).get("allocatable") or {} for one in placing.nodes(node.cluster)]
        nowhere = not any(about in one for one in sizes)
        return _Sign(sort, about, node.outside("nodes", about) if nowhere and amount is not None else owner)
    if sort in ("cordoned", *_LOST):
        names = sorted({one.about for one in found if one.sort == sort})
        return _Sign(sort, " ".join(names), node.outside("nodes", " ".join(names)))
    if sort == "taint":
        about = ", ".join(sorted({one.about for one in found if one.sort == sort}))
    return _Sign(sort, about, node.outside("nodes", about))


def _labels(node: Node, name: str) -> list[str]:
    """Return the values that nodes have for a label."""
    return sorted({meta.labels(one).get(name, "") for one in placing.nodes(node.cluster)} - {""})


def _another_machine(owner: Thing, known: list[str]) -> Fix:
    """Return what to do about pods that want one machine by name: labels of that kind are given by kubelets."""
    return Fix(text=f"decide: let {owner} name a node that exists ({listed(known)}), or drop the selector")


def _selected(node: Node) -> str:
    wanted = (node.obj.get("spec") or {}).get("nodeSelector") or {}
    return ",".join(f"{name}={value}" for name, value in sorted(wanted.items()))


def _finding(node: Node, said: str, sign: _Sign, found: list[Blocked]) -> Finding:
    owner = pods.workload(node)
    counts = Counter((one.sort, "" if one.sort in _ALIKE else one.about) for one in found)
    total = len(placing.nodes(node.cluster))
    parts = [f"{count} of {total} {_words(node, sort, about, count)}" for (sort, about), count in counts.items()]
    told = said.partition(". preemption:")[0].partition(" preemption:")[0]
    words = ", ".join(parts) if found and len(found) == total else told or "the scheduler does not say why"
    if behind := scheduler_words.more(node, said):
        words = f"{words.rstrip('.')}; {behind}"
    return RULE.finding(
        str(owner),
        f"no node fits the pods of {owner}: {words}",
        evidence=[
            *(
                [Evidence(kind=EvidenceKind.CONDITION, text=said, subject=node.key, path="status.conditions")]
                if said
                else []
            ),
            *_lines(node, owner, sign),
        ],
        confidence=Confidence.DECLARED if found else Confidence.TEXT,
        fix=_fix(node, owner, sign),
        since=str(condition(node.obj, "PodScheduled").get("lastTransitionTime") or ""),
    )


def _words(node: Node, sort: str, about: str, count: int) -> str:
    has, is_, lacks = ("has", "is", "lacks") if count == 1 else ("have", "are", "lack")
    spec = node.obj.get("spec") or {}
    if sort in ("size", "full"):
        asked = scheduling.requests(spec).get(about)
        _name, most = scheduling.largest(placing.nodes(node.cluster), about)
        size = f"the largest has {most}" if most else "none has any"
        return f"{is_} too small ({about} {asked}, {size})" if sort == "size" else f"{has} no room ({about} {asked})"
    return {
        "taint": f"{has} the taint {about}, which it does not tolerate",
        "cordoned": f"{is_} cordoned",
        "lost": f"{is_} not ready",
        "pressed": f"{is_} short of disk, memory or processes",
        "selector": f"{lacks} the labels it requires ({about})",
    }[sort]


def _label_path(base: str, name: str) -> str:
    """Return the field that selects by a label; empty for what is not the name of one."""
    if not name or " " in name:
        return ""
    plain = all(letter.isalnum() or letter in "_-" for letter in name)
    return f"{base}.nodeSelector.{name}" if plain else f'{base}.nodeSelector["{name}"]'


def _desired(node: Node, owner: Thing) -> Object:
    found = node.fleet.desired(owner)
    return found[1].obj if found is not None else {}


def _template(node: Node, owner: Thing) -> tuple[str, dict[str, Any]]:
    found = node.fleet.desired(owner)
    return template(found[1].obj if found is not None else node.fleet.find(owner) or {})


def _lines(node: Node, owner: Thing, sign: _Sign) -> list[Evidence]:
    base, spec = _template(node, owner)
    if sign.sort == "taint":
        words = "tolerations" if spec.get("tolerations") else "no tolerations"
        return line(node.fleet, owner, f"{base}.tolerations", words)
    if sign.sort == "selector" and " " in sign.about:
        return line(node.fleet, owner, f"{base}.affinity.nodeAffinity", f"nodeAffinity {sign.about}")
    if sign.sort == "selector":
        exact = _label_path(base, sign.about.partition("=")[0])
        wanted = FieldPath.parse(exact).resolve(_desired(node, owner)) if exact else MISSING
        path = f"{base}.nodeSelector" if wanted is MISSING else exact
        return line(node.fleet, owner, path, f"nodeSelector {sign.about}")
    if sign.sort == "apart":
        return line(node.fleet, owner, f"{base}.affinity.podAntiAffinity", "podAntiAffinity")
    if sign.sort in ("size", "full"):
        for at, one in containers(spec):
            for sort in ("requests", "limits"):  # a limit without a request is what is asked for
                if sign.about in ((one.get("resources") or {}).get(sort) or {}):
                    path = str(FieldPath.parse(f"{base}.{at}.resources.{sort}") / sign.about)
                    return line(node.fleet, owner, path)
    return []


def _fix(node: Node, owner: Thing, sign: _Sign) -> Fix:
    if sign.sort == "cordoned":
        names = sign.about.split()
        return Fix(text="if the node is well again", command=f"kubectl uncordon {' '.join(names)}")
    if sign.sort == "taint":
        return Fix(text=f"decide: let {owner} tolerate {sign.about}, or add a node without it")
    if sign.sort == "selector":
        name, _equals, value = sign.about.partition("=")
        known = _labels(node, name)
        base, _spec = _template(node, owner)
        if " " in sign.about:
            label = name.partition(" ")[0]
            labels = [f"{label}={one}" for one in _labels(node, label)]
            there = f" (nodes have {listed(labels)})" if labels else ""
            return Fix(text=f"decide: change the affinity ({sign.about}), or label a node so{there}")
        if name == _MACHINE:
            return _another_machine(owner, known)
        near = nearest(value, known)
        if near and " " not in name:
            return rewrite(node.fleet, owner, _label_path(base, name), near[0])
        there = f" (nodes have {', '.join(f'{name}={one}' for one in known)})" if known else ""
        return Fix(text=f"decide: label a node {sign.about}, or select nodes that exist{there}")
    if sign.sort in ("size", "full", "resource"):
        return Fix(text=f"decide: request less {sign.about}, or add nodes that have more")
    if sign.sort == "apart":
        return Fix(text="decide: run fewer pods, prefer the anti-affinity instead of requiring it, or add a node")
    return Fix(text="decide by the scheduler's message: change what the pods require of a node, or add one that has it")
