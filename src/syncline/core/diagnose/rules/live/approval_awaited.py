"""A sync that deletes nothing more until somebody approves it: too much would go at once, or something with data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-213",
    name="approval-awaited",
    severity=Severity.WARNING,
    summary="A sync waits for someone to approve what it would delete.",
    fix="review what would be deleted, then approve it, or restore it in the source",
    looks_at=(LooksAt.LIVE,),
    why="Deleting claims, volumes, namespaces and CRDs deletes other things too, and deleting half of an app at once "
    "is often a mistake. The rest of the sync is done; waves of a parent app wait for it.",
)

_WAITING = re.compile(r"^waiting for approval to (?P<what>prune|delete) (?P<rest>.*)", re.DOTALL)


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an app whose operation waits for approval."""
    state = apps.status(node.obj, "operationState")
    said = _WAITING.search(str(state.get("message") or "")) if state.get("phase") == "Running" else None
    if said is not None:
        yield Fault(rule=RULE, state="sync Running", tell=partial(_finding, node, said["what"], said["rest"]))


def _finding(node: Node, what: str, rest: str) -> Finding:
    doomed = [thing for thing, row in node.fleet.managed(node.obj) if row.get("requiresPruning")]
    return RULE.finding(
        node.key.name,
        f"the sync of {node.key.name} waits for approval to {what} {rest}",
        evidence=[
            Evidence(
                kind=EvidenceKind.MESSAGE,
                text=str(apps.status(node.obj, "operationState").get("message")),
                subject=node.key,
                path="status.operationState.message",
            ),
            *(
                Evidence(kind=EvidenceKind.FIELD, text=str(one), subject=one.key)
                for one in doomed
                if one.key is not None and one.key.kind == "CustomResourceDefinition"
            ),
        ],
        confidence=Confidence.DECLARED,
        fix=Fix(text="if all of it may go", command=f"syncline app confirm-deletion {node.key.name}"),
        options=[Fix(text=f"or look first: syncline app diff {node.key.name}")],
        since=str(apps.status(node.obj, "operationState").get("startedAt") or ""),
    )
