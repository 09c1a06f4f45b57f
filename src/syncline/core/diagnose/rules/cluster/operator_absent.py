"""Custom resources that nobody handles: they have no status, because their operator does not run or is not there."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.health.assess import assess
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.health import HealthCode

RULE = Rule(
    code="LIV-209",
    name="operator-absent",
    severity=Severity.ERROR,
    summary="Objects of a kind have no status: the operator that should handle them is not running, or not installed.",
    fix="bring up or install the operator of that kind",
    looks_at=(LooksAt.LIVE,),
    why="The kind is defined, so the objects are accepted, but nothing handles them. Syncline guesses the operator "
    "from names: that of the group, and those of Deployments.",
)
_BUILT_IN = ("", "apps", "batch", "autoscaling", "policy", "extensions", "argoproj.io")
_PLAIN = frozenset({"io", "com", "org", "net", "dev", "k8s", "x-k8s", "coreos", "operator", "operators", "core"})
_WORKLOADS = (GroupKind("apps", "Deployment"), GroupKind("apps", "StatefulSet"))


@on_node(RULE)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an object that has been without a status for long, though its kind has one."""
    group = node.key.group
    if node.thing.absent or group in _BUILT_IN or group.endswith(".k8s.io") or not _is_unseen(node):
        return
    if (
        meta.deletion_timestamp(node.obj)
        or apps.is_young(node, meta.creation_timestamp(node.obj))
        or not meta.creation_timestamp(node.obj)
    ):
        return
    health = assess(node.obj)
    if health is None or health.status in (HealthCode.HEALTHY, HealthCode.SUSPENDED):
        return
    operators = operators_of(node.cluster, group)
    yield Fault(
        rule=RULE,
        state="no status",
        because=tuple(node.at(key) for key in operators),
        cause=node.outside("operator", group),
        tell=lambda: _finding(node, operators),
    )


def _is_unseen(node: Node) -> bool:
    status = node.obj.get("status")
    if not status:
        return True
    seen = status.get("observedGeneration") if isinstance(status, dict) else None
    return isinstance(seen, int) and seen < meta.generation(node.obj)


def operators_of(cluster: ClusterIndex, group: str) -> list[ObjectKey]:
    """Return the workloads whose names tell that they handle a group of kinds."""
    words = [word for word in group.split(".") if word not in _PLAIN and len(word) > 2]
    workloads = [key for kind in _WORKLOADS for key, _obj in cluster.of_kind(kind)]
    return [key for key in workloads if any(word in key.name or word in key.namespace for word in words)]


def _finding(node: Node, operators: list[ObjectKey]) -> Finding:
    group = node.key.group
    who = (
        f"{operators[0].short} in {operators[0].namespace} looks well, but has not"
        if operators
        else "no operator for it was found"
    )
    return RULE.finding(
        group,
        f"nothing handles {node.key.group_kind}: {node.key.short} has no status; {who}"
        + (" looked at it" if operators else ""),
        evidence=[Evidence(kind=EvidenceKind.FIELD, text="empty", subject=node.key, path="status")],
        confidence=Confidence.TEXT,
        fix=Fix(
            text=f"decide: check the log of {operators[0].short}"
            if operators
            else f"decide: install the operator of {group}"
        ),
        since=meta.creation_timestamp(node.obj),
    )
