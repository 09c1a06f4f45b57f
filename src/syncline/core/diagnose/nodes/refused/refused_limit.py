"""Pods of a workload are refused by a LimitRange of their namespace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.live.around import LIMIT_RANGE
from syncline.core.diagnose.rules.workloads.pods_refused import BOUND, RULE, bound_path, bound_words
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, *refusing.MAKERS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a workload whose pods ask for more, or less, than a LimitRange permits."""
    for one in refusing.said(node):
        bound = BOUND.search(one.message)
        if bound is not None:
            yield Fault(rule=RULE, state="FailedCreate", tell=partial(_finding, node, one, bound))


def _finding(node: Node, one: Said, bound: re.Match[str]) -> Finding:
    owner = one.thing
    path = bound_path(node.fleet.find(owner) or {}, bound)
    ranges = [node.at(key) for key, _obj in node.cluster.of_kind(LIMIT_RANGE, node.key.namespace)]
    per_container = bool(path) and bound["per"] == "Container"
    return RULE.finding(
        str(owner),
        f"{owner} gets no pods: {bound_words(bound, node.key.namespace)}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=node.key, time=one.since),
            *(line(node.fleet, owner, path) if path else ()),
            *(found for limit in ranges for found in line(node.fleet, limit, "spec.limits", str(limit))),
        ],
        fix=rewrite(node.fleet, owner, path, bound["bound"], "or change the LimitRange")
        if per_container
        else Fix(text="decide: change what the pods ask for, or the LimitRange"),
        since=one.since,
    )
