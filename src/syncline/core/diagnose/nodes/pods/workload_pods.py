"""A workload is short of what it should run, because of its pods."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.graph.workloads.revisions import is_stuck
from syncline.core.diagnose.rules.live.not_healthy import RULE
from syncline.core.health.assess import assess
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.health import Health, HealthCode

KINDS = (
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("apps", "DaemonSet"),
    GroupKind("apps", "ReplicaSet"),
    GroupKind("", "ReplicationController"),
    GroupKind("batch", "Job"),
    GroupKind("batch", "CronJob"),
    GroupKind("argoproj.io", "Rollout"),
)
_REVISION = "deployment.kubernetes.io/revision"


@on_node(RULE, *KINDS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault that follows from the pods of the newest generation; in its own words where none is bad."""
    health = _health(node)
    if health is None or health.status in (HealthCode.HEALTHY, HealthCode.SUSPENDED):
        return
    if is_stuck(node):
        return  # Its pods are of a revision that nobody wants any more: another rule's to tell.
    things = tuple(node.at(key) for key, pod in _pods(node) if not pods.is_finished(pod) or pods.is_stranded(node, pod))
    state = health.reason or health.status.value
    if things:
        yield Fault(rule=RULE, state=state, because=things)
    lasting = health.status is HealthCode.DEGRADED or _is_long(node, health)
    if lasting:
        yield Fault(rule=RULE, state=state, tell=lambda: _finding(node, health), weak=True)


def _health(node: Node) -> Health | None:
    if node.key.kind == "CronJob":
        jobs = [one for one in node.cluster.children(node.obj) if one.get("kind") == "Job"]
        newest = max(jobs, key=meta.creation_timestamp, default=None)
        return assess(newest) if newest is not None else None
    return assess(node.obj)


def _is_long(node: Node, health: Health) -> bool:
    since = health.since or meta.creation_timestamp(node.obj)
    age = node.cluster.age(since)
    return age is not None and not apps.is_young(node, since)


def _pods(node: Node) -> list[tuple[ObjectKey, Object]]:
    if node.key.kind not in ("Deployment", "CronJob"):
        return list(pods.of(node, node.obj))
    below = [one for one in node.cluster.children(node.obj) if one.get("kind") in ("ReplicaSet", "Job")]
    for one in sorted(below, key=_newness, reverse=True):
        if found := pods.of(node, one):
            return list(found)
    if below:
        return []
    wanted = ((node.obj.get("spec") or {}).get("selector") or {}).get("matchLabels") or {}
    return [(key, pod) for key, pod in node.cluster.selected(node.key.namespace, wanted) if _is_below(node, pod)]


def _is_below(node: Node, pod: Object) -> bool:
    """Whether a pod belongs to a Deployment whose ReplicaSets may not be read."""
    return key_of(node.cluster.top(pod)) == node.key


def _newness(obj: Object) -> tuple[int, str, str]:
    text = meta.annotations(obj).get(_REVISION, "")
    return int(text) if text.isdecimal() else 0, meta.creation_timestamp(obj), str(key_of(obj))


def _finding(node: Node, health: Health) -> Finding:
    name = node.key.short
    return RULE.finding(
        name,
        f"{name} in {node.key.namespace} is {health.status.value}: {health.message or health.reason}",
        evidence=[Evidence(kind=one.kind, text=one.text, subject=node.key, path=one.path) for one in health.evidence]
        or [Evidence(kind=EvidenceKind.FIELD, text=health.reason, subject=node.key, path="status")],
        fix=Fix(
            text="decide by its message, which is all that was read; its Events and its controller's log say more",
            command=f"kubectl describe -n {node.key.namespace} {node.key.kind.lower()} {node.key.name}",
        ),
        severity=Severity.ERROR if health.status is HealthCode.DEGRADED else Severity.WARNING,
        since=health.since,
    )
