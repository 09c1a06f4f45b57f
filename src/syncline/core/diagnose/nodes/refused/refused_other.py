"""Pods of a workload are refused in words that no other rule knows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.view.near import near
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import template
from syncline.core.diagnose.rules.live.sync_failed import RULE
from syncline.core.diagnose.rules.workloads.pods_refused import BOUND
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_NO_PRIORITY = re.compile(r"no PriorityClass with name (?P<name>[\w.-]+) was found")
_PRIORITY = GroupKind("scheduling.k8s.io", "PriorityClass")


@on_node(RULE, *refusing.MAKERS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each refusal of pods that no other rule knows."""
    for one in refusing.said(node):
        if one.message and not refusing.is_known(one.message) and not BOUND.search(one.message):
            yield Fault(rule=RULE, state="FailedCreate", tell=partial(_finding, node, one))


def _line(node: Node, one: Said) -> list[Evidence]:
    base, _spec = template(node.obj)
    if _NO_PRIORITY.search(one.message):
        return line(node.fleet, node.thing, f"{base}.priorityClassName")
    return line(node.fleet, node.thing, base, "the pods that are refused")


def _fix(node: Node, one: Said) -> Fix:
    found = _NO_PRIORITY.search(one.message)
    if found is None:
        return Fix(text="decide by the message: change what its pods request, or what refuses them")
    known = [key.name for key, _obj in node.cluster.of_kind(_PRIORITY) if not key.name.startswith("system-")]
    close = near(found["name"], known)
    if len(close) == 1:
        return rewrite(node.fleet, node.thing, f"{template(node.obj)[0]}.priorityClassName", close[0])
    there = f" (there: {listed(known)})" if known else ""
    return Fix(text=f"decide: name a PriorityClass that exists{there}, or deliver {found['name']}")


def _finding(node: Node, one: Said) -> Finding:
    return RULE.finding(
        str(node.thing),
        f"{node.thing} gets no pods: {one.message}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=node.key, time=one.since),
            *_line(node, one),
        ],
        confidence=Confidence.TEXT,
        fix=_fix(node, one),
        since=one.since,
    )
