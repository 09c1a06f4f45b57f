"""Somebody breaks pods on purpose: an experiment of Chaos Mesh is running on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-214",
    name="experiment-running",
    severity=Severity.ERROR,
    summary="A chaos experiment is injected into pods that something depends on.",
    fix="delete or pause the experiment, unless it is wanted",
    looks_at=(LooksAt.LIVE,),
    why="The experiment records which pods it has been injected into. It is named only where one of these, or whoever "
    "calls them, is in trouble.",
)
_GROUP = "chaos-mesh.org"
_KINDS = tuple(
    GroupKind(_GROUP, f"{kind}Chaos")
    for kind in ("Network", "Pod", "Stress", "IO", "DNS", "Time", "HTTP", "Kernel", "JVM", "Block")
)


@on_node(RULE, *_KINDS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an experiment that is injected now."""
    found = _injected(node.obj)
    if found:
        yield Fault(rule=RULE, state="injected", tell=lambda: _finding(node, found))


@on_node(RULE, pods.POD)
def check_pod(node: Node) -> Iterator[Fault]:
    """Yield a fault for a pod that experiments are injected into."""
    keys = node.cluster.remembered(_by_pod).get(node.key, ())
    if keys:
        yield Fault(rule=RULE, state="injected", because=tuple(node.at(key) for key in keys))


def _injected(obj: Any) -> list[ObjectKey]:
    """Return the pods that an experiment says it is injected into."""
    status = obj.get("status") or {}
    records = (status.get("experiment") or {}).get("containerRecords") or ()
    ids = (str(one.get("id") or "").split("/") for one in records if one.get("phase") == "Injected")
    return [ObjectKey("", "Pod", parts[0], parts[1]) for parts in ids if len(parts) > 1]


def _by_pod(cluster: ClusterIndex) -> dict[ObjectKey, list[ObjectKey]]:
    found: dict[ObjectKey, list[ObjectKey]] = {}
    for kind in _KINDS:
        for key, obj in cluster.of_kind(kind):
            for pod in _injected(obj):
                found.setdefault(pod, []).append(key)
    return found


def _finding(node: Node, found: list[ObjectKey]) -> Finding:
    spec = node.obj.get("spec") or {}
    action = str(spec.get("action") or "")
    detail = spec.get(action)
    shown = ", ".join(f"{name} {value}" for name, value in detail.items()) if isinstance(detail, dict) else ""
    what = f"{action}{f' ({shown})' if shown else ''}" if action else node.key.kind
    names = [one.name for one in found]
    return RULE.finding(
        node.key.short,
        f"{node.key.short} in {node.key.namespace} is a chaos experiment and runs now: {what} on {listed(names)}",
        evidence=[
            Evidence(
                kind=EvidenceKind.FIELD,
                text="phase Injected",
                subject=node.key,
                path="status.experiment.containerRecords",
            )
        ],
        fix=Fix(
            text="unless it is wanted; deleting it takes back what it injected",
            command=f"kubectl delete -n {node.key.namespace} {node.key.kind.lower()} {node.key.name}",
        ),
        since=meta.creation_timestamp(node.obj),
    )
