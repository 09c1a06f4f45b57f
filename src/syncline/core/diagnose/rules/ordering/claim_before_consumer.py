"""A sync waits for a claim that waits for its first pod, which comes in a later wave: neither ever ends."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.core.diagnose.graph import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.fleet import APPLICATION
from syncline.core.diagnose.graph.lines import line
from syncline.core.diagnose.graph.waves import first_consumers
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model import names
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="ORD-005",
    name="claim-before-consumer",
    severity=Severity.ERROR,
    summary="A claim of a class that waits for its first pod stands in an earlier wave than that pod.",
    fix="put the claim into the wave of its pod",
    looks_at=(LooksAt.LIVE, LooksAt.RENDERED),
    why="With WaitForFirstConsumer a volume is made only once a pod that wants it is scheduled. A sync that waits for "
    "the claim before it makes the pod waits for ever.",
)


@on_node(RULE, APPLICATION)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each claim that the running sync waits for in vain."""
    what, things = apps.waited_for(node)
    for claim in first_consumers(node, things) if what == "healthy state" else ():
        yield Fault(rule=RULE, state="sync Running", cause=claim, tell=partial(_finding, node, claim))


def _finding(node: Node, claim: Thing) -> Finding:
    state = apps.status(node.obj, "operationState")
    path = f'metadata.annotations["{names.SYNC_WAVE}"]'
    return RULE.finding(
        str(claim),
        f"the sync of {node.key.name} waits for {claim}, which waits for a pod that comes later in the same sync",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=str(state.get("message") or ""), subject=node.key),
            Evidence(
                kind=EvidenceKind.FIELD, text="WaitForFirstConsumer", subject=claim.key, path="spec.storageClassName"
            ),
            *line(node.fleet, claim, path, "sync-wave"),
        ],
        fix=Fix(text=f"put {claim} into the wave of the workload that mounts it (annotation {names.SYNC_WAVE})"),
        since=str(state.get("startedAt") or ""),
    )
