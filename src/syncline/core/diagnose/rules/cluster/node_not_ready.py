"""A node does not answer or is out of memory, disk or process ids: its pods are lost or put off it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, conditions, on_node
from syncline.core.diagnose.graph.workloads import images, pods
from syncline.core.diagnose.graph.workloads.images import Why
from syncline.core.diagnose.live.pods import IMAGE_REASONS
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.references.pods import NODE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

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
_DISK = "DiskPressure"
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
        yield from _full(node, where)


def _full(node: Node, where: Thing) -> Iterator[Fault]:
    """Yield a fault for an image that the disk of the node has no room for; the kubelet may not have noticed yet."""
    for one in pods.failing(node):
        said = pods.said(node, one, "Failed", "ErrImagePull") if one.trouble.reason in IMAGE_REASONS else ""
        if images.why(said) is Why.FULL:
            yield Fault(
                rule=RULE,
                state="ImagePullBackOff",
                because=(where,),
                cause=where,
                about=_DISK,
                tell=partial(_no_room, node, where, pods.seen(node, one.trouble, said)),
            )


def _no_room(node: Node, where: Thing, seen: Evidence) -> Finding:
    name = where.key.name if where.key is not None else ""
    return RULE.finding(
        f"Node/{name}",
        f"node {name} has no space left on its disk for the images of its pods",
        evidence=[seen],
        confidence=Confidence.TEXT,
        fix=_fix(name, _DISK),
        since=str((node.obj.get("status") or {}).get("startTime") or ""),
    )


def _fix(name: str, kind: str) -> Fix:
    words = {
        _DISK: "free space on its disk (unused images, logs, what pods write outside of volumes), or give it a larger "
        "one; pods that were put off it start elsewhere",
        "MemoryPressure": "move pods off it, or give its pods memory limits that together fit the machine",
        "PIDPressure": "find the pod that starts too many processes, and limit them",
    }.get(kind, "repair the machine, its kubelet or its network, or replace it so that its pods move")
    return Fix(text=f"decide: {words}", command=f"kubectl describe node {name}")


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
        fix=_fix(node.key.name, kind),
        since=str(found.get("lastTransitionTime") or ""),
    )
