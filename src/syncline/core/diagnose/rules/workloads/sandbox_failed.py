"""Pods that get no network or sandbox on their node: the network plugin or the container runtime fails there."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.workloads import agents, pods
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.health import events
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-209",
    name="sandbox-failed",
    severity=Severity.ERROR,
    summary="A node cannot create the sandbox of a pod: its network plugin or container runtime fails.",
    fix="repair the network plugin or the container runtime of that node",
    looks_at=(LooksAt.EVENTS,),
    why="Every new pod on the node waits in ContainerCreating, while running pods continue. The node may have run out "
    "of addresses, or the plugin's own pod is down there.",
)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod without a sandbox, because of its node and the plugin's pods there."""
    if pods.is_finished(node.obj) or condition(node.obj, "Ready").get("status") == "True":
        return
    found = node.cluster.events(node.key, "FailedCreatePodSandBox")
    running = (node.obj.get("status") or {}).get("phase") != "Pending"
    if not found or running:
        return
    name = str((node.obj.get("spec") or {}).get("nodeName") or "")
    where = node.at(ObjectKey("", "Node", "", name))
    said = events.message(found[0])
    yield Fault(
        rule=RULE,
        state="ContainerCreating",
        because=(where, *agents.beside(node)),
        cause=node.outside("network of node", name),
        tell=lambda: _finding(node, name, said),
    )


def _finding(node: Node, name: str, said: str) -> Finding:
    return RULE.finding(
        f"Node/{name}",
        f"node {name} cannot start pods: {said}",
        evidence=[Evidence(kind=EvidenceKind.EVENT, text=said, subject=node.key)],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide by the message: repair the network plugin or the container runtime of {name}"),
    )
