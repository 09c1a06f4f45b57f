"""Pods that nobody has tried to schedule: the scheduler does not run, or they name one that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-208",
    name="never-scheduled",
    severity=Severity.ERROR,
    summary="Pods have no node, and no scheduler has handled them.",
    fix="bring up the scheduler, or correct spec.schedulerName or the gates of the pods",
    looks_at=(LooksAt.LIVE,),
    why="A scheduler that has tried a pod leaves a condition, whatever it decided. There is none: the scheduler is "
    "down, the pods name another one, or a scheduling gate holds them.",
)
_LONG = 180.0


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that has waited for a scheduler for longer than one takes."""
    spec = node.obj.get("spec") or {}
    looked = condition(node.obj, "PodScheduled")
    gates = [str(one.get("name")) for one in spec.get("schedulingGates") or ()]
    if spec.get("nodeName") or pods.is_finished(node.obj) or (looked and not gates):
        return
    if (node.obj.get("status") or {}).get("phase") != "Pending" or apps.is_young(
        node, meta.creation_timestamp(node.obj), _LONG
    ):
        return
    name = str(spec.get("schedulerName") or "default-scheduler")
    parts = tuple(node.at(key) for key in node.cluster.remembered(_schedulers))
    yield Fault(
        rule=RULE,
        state="Pending",
        because=() if gates else parts,
        cause=pods.workload(node) if gates else node.outside("scheduler", name),
        tell=lambda: _finding(node, name, gates),
    )


def _schedulers(cluster: ClusterIndex) -> list[ObjectKey]:
    return [key for key, _pod in cluster.of_kind(pods.POD, "kube-system") if key.name.startswith("kube-scheduler")]


def _finding(node: Node, name: str, gates: list[str]) -> Finding:
    owner = pods.workload(node)
    why = f"scheduling gate {gates[0]} holds them" if gates else f"{name} has not handled them"
    return RULE.finding(
        str(owner),
        f"pods of {owner} have no node: {why}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text="no PodScheduled", subject=node.key, path="status.conditions")
        ],
        confidence=Confidence.DECLARED if gates else Confidence.TEXT,
        fix=Fix(
            text=f"decide: see who removes the gate {gates[0]}"
            if gates
            else f"decide: bring up {name}, or name another"
        ),
        since=meta.creation_timestamp(node.obj),
    )
