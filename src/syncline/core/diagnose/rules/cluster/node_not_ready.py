"""A node does not answer or is out of memory, disk or process ids: its pods are lost or put off it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, conditions, on_node
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references.pods import NODE
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-204",
    name="node-not-ready",
    severity=Severity.ERROR,
    summary="A node is not ready, or short of memory, disk or process ids.",
    fix="repair or replace the node; kubectl describe node shows what its kubelet reports",
    looks_at=(LooksAt.LIVE,),
    why="Pods on it are lost or evicted, and cannot start there. Ready=Unknown means that the kubelet no longer "
    "reports: the machine, its network or its kubelet is down. Ready=False comes from the kubelet itself.",
)
_PRESSURES = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")


@on_node(RULE, NODE)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a node that is not ready, or under pressure."""
    ready = condition(node.obj, "Ready")
    if ready and ready.get("status") != "True":
        yield Fault(rule=RULE, state="NotReady", tell=lambda: _finding(node, ready))
        return
    for one in conditions(node.obj):
        if one.get("type") in _PRESSURES and one.get("status") == "True":
            kind = str(one["type"])
            yield Fault(rule=RULE, state=kind, about=kind, tell=partial(_finding, node, one))


@on_node(RULE, pods.POD)
def check_pod(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that is not ready, and runs on a node or was put off one that is bad itself."""
    name = (node.obj.get("spec") or {}).get("nodeName")
    status = node.obj.get("status") or {}
    done = status.get("phase") == "Succeeded" or condition(node.obj, "Ready").get("status") == "True"
    if name and not done:
        where = node.at(ObjectKey("", "Node", "", str(name)))
        yield Fault(rule=RULE, state=str(status.get("reason") or "NodeNotReady"), because=(where,))


def _finding(node: Node, found: dict[str, str]) -> Finding:
    kind, word = str(found.get("type")), str(found.get("status"))
    said = str(found.get("message") or found.get("reason") or "")
    problem = (
        ("does not report any more" if word == "Unknown" else "is not ready") if kind == "Ready" else f"has {kind}"
    )
    return RULE.finding(
        node.key.short,
        f"node {node.key.name} {problem}: {said}",
        evidence=[
            Evidence(
                kind=EvidenceKind.CONDITION,
                text=f"{kind}={word} {found.get('reason') or ''}".rstrip(),
                subject=node.key,
                path="status.conditions",
            )
        ],
        fix=Fix(
            text="decide: repair the machine, its kubelet or its network, or replace it so that its pods move",
            command=f"kubectl describe node {node.key.name}",
        ),
        since=str(found.get("lastTransitionTime") or ""),
    )
