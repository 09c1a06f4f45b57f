"""The source of an Application was fetched and makes no objects: because of its files, or of who should render them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import complaining
from syncline.core.diagnose.graph.applications.complaining import About, Complaint
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rules.sources.source_failed import RULE
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix

_BY_MESSAGE = "decide: correct the source by the message, then commit"
_SLOW = re.compile(r"context deadline exceeded|failed timeout after|signal: killed|DeadlineExceeded")


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each render that failed; one that ran out of time follows from an unwell repo-server."""
    for one in complaining.complaints(node):
        if one.about is About.SOURCE:
            slow = bool(_SLOW.search(one.message))
            because = complaining.parts(node, "repo-server") if slow else ()
            yield Fault(rule=RULE, state="Unknown", because=because, tell=partial(_finding, node, one, slow=slow))


def _finding(node: Node, one: Complaint, *, slow: bool) -> Finding:
    late = "decide: give the render more time and memory, or make the source smaller"
    return RULE.finding(
        node.key.name,
        f"{node.key.name} cannot be rendered: {complaining.words(one.message)}",
        evidence=[
            Evidence(kind=EvidenceKind.CONDITION, text=one.message, subject=node.key, path="status.conditions"),
            *complaining.named_line(node, one),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text=late) if slow else complaining.told_fix(node, one) or Fix(text=_BY_MESSAGE),
        since=one.since,
    )
