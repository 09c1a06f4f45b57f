"""A policy or admission webhook denies objects: one cause for each policy, with what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.applications.refusing import Said
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.live import pod_security
from syncline.core.diagnose.messages.refusals import DENIED
from syncline.core.diagnose.rules.live.admission_denied import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix


@on_node(RULE, *refusing.SUBJECTS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each policy that denies something, with the object that it denies."""
    for one in refusing.said(node):
        found = DENIED.search(one.message)
        if found is not None:
            name, said = _who(found)
            space = "" if one.by_sync else one.key.namespace
            yield Fault(
                rule=RULE,
                state="sync Failed" if one.by_sync else "FailedCreate",
                cause=Thing(cluster=one.thing.cluster, outside="policy", name=name),
                about=f"{space} {said[:80]}",
                tell=partial(_finding, node, one, name, said),
            )


def _who(found: re.Match[str]) -> tuple[str, str]:
    if found["webhook"]:
        return found["webhook"], str(found["said"] or "").strip()
    if found["policy"]:
        return found["policy"], str(found["ruled"] or "").strip()
    return f"PodSecurity {found['level']}", str(found["violated"] or "").strip()


def _finding(node: Node, one: Said, name: str, said: str) -> Finding:
    where = f" in {one.key.namespace}" if one.key.namespace else ""
    return RULE.finding(
        name,
        f"{name} denies {one.key.short}{where}: {said}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=one.message, subject=one.key, time=one.since),
            *line(node.fleet, one.thing),
        ],
        confidence=Confidence.TEXT,
        fix=_settled(node, one, said)
        or Fix(text="decide: change the object so that it meets the rule, or exempt it in the policy"),
        since=one.since,
    )


def _settled(node: Node, one: Said, said: str) -> Fix | None:
    """Return the lines that pod security demands, where it is certain where they go."""
    found = node.fleet.desired(one.thing)
    desired = node.fleet.render(found[0]) if found is not None else None
    if found is None or desired is None:
        return None
    edits = pod_security.settled(found[1].obj, found[1].origin, desired.source_types, said)
    return Fix(edits=edits, text=pod_security.REMARK) if edits else None
