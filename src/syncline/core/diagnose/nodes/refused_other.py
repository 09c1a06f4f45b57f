"""Pods of a workload are refused in words that no other rule knows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph import refusing
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.graph.refusing import Said
from syncline.core.diagnose.rules.live.sync_failed import RULE
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, *refusing.MAKERS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each refusal of pods, such as one by a LimitRange."""
    for one in refusing.said(node):
        if one.message and not refusing.is_known(one.message):
            yield Fault(rule=RULE, state="FailedCreate", tell=partial(_finding, node, one))


def _finding(node: Node, one: Said) -> Finding:
    return RULE.finding(
        str(node.thing),
        f"{node.thing} gets no pods: {one.message}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=node.key, time=one.since),
            *line(node.fleet, node.thing, "spec"),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text="decide by the message: change what its pods ask for, or what refuses them"),
        since=one.since,
    )
