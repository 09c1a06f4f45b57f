"""Something that is stuck in deletion: because of what is left in it, or of a finalizer nobody removes."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.diagnose.graph.applications import apps
from syncline.core.diagnose.graph.fault import Fault, Node, condition, on_node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.fleet import APPLICATION
from syncline.core.diagnose.graph.workloads.pods import POD
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.rules.cluster.api_service_down import API_SERVICE
from syncline.core.diagnose.rules.cluster.deletion_stuck import GRACE, KNOWN, RULE, removal
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix

_NAMESPACE = GroupKind("", "Namespace")
_DEFINITION = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_LONG = 600.0
_LEFT = {"Pod": "decide: check the kubelet and the container runtime of its node, which should have ended it"}


@on_node(RULE)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for an object that is on its way out; for longer than that takes, others are bad because of it."""
    since = meta.deletion_timestamp(node.obj)
    held = _held(node.obj)
    young = bool(since) and apps.is_young(node, since, _patience(held)) and not _is_orphaned(node)
    if not since or (young and not held):
        return
    left = tuple(_left(node))
    mute = left and not held and node.key.group_kind != POD
    tell = None if mute else lambda: _finding(node, since, held)
    yield Fault(rule=RULE, state="Terminating", because=left, tell=tell, apart=young)


def _patience(held: list[str]) -> float:
    """Return for how many seconds it may take: what Kubernetes itself holds waits for much, anybody else answers."""
    return GRACE if any(one not in KNOWN for one in held) else _LONG


def _is_orphaned(node: Node) -> bool:
    """Whether a finalizer is of a kind whose definition goes or is gone: then nobody is left who would remove it."""
    if not node.key.group or not meta.finalizers(node.obj):
        return False
    definitions = node.cluster.of_kind(_DEFINITION)
    ours = (obj for key, obj in definitions if key.name.endswith(f".{node.key.group}"))
    return any(meta.deletion_timestamp(obj) for obj in ours)


def _held(obj: Object) -> list[str]:
    spec = obj.get("spec")
    own = spec.get("finalizers") if obj.get("kind") == "Namespace" and isinstance(spec, dict) else None
    return [one for one in (*meta.finalizers(obj), *(own or ())) if one != "kubernetes"]


def _left(node: Node) -> Iterator[Thing]:
    """Yield what a namespace or an Application still has, and what keeps the cluster from looking for it."""
    if node.key.group_kind == _NAMESPACE:
        yield from (node.at(key) for key in node.cluster.remembered(_leaving).get(node.key.name, ()))
        if condition(node.obj, "NamespaceDeletionDiscoveryFailure").get("status") == "True":
            yield from (node.at(key) for key, _obj in node.cluster.of_kind(API_SERVICE))
    elif node.key.group_kind == POD and (name := (node.obj.get("spec") or {}).get("nodeName")):
        # Its kubelet ends a pod; where that does not answer, nobody does.
        yield node.at(ObjectKey("", "Node", "", str(name)))
    elif node.key.group_kind == APPLICATION:
        yield from (thing for thing, _row in node.fleet.managed(node.obj))


def _leaving(cluster: ClusterIndex) -> dict[str, list[ObjectKey]]:
    """Return by namespace what is being deleted and is held by finalizers."""
    found: dict[str, list[ObjectKey]] = {}
    for key, obj in cluster.objects.items():
        if key.namespace and meta.deletion_timestamp(obj) and meta.finalizers(obj):
            found.setdefault(key.namespace, []).append(key)
    return {name: sorted(keys) for name, keys in found.items()}


def _finding(node: Node, since: str, held: list[str]) -> Finding:
    remaining = condition(node.obj, "NamespaceContentRemaining")
    said = str(remaining.get("message") or "") if remaining.get("status") == "True" else ""
    why = f"finalizer {listed(held)} is not removed" if held else said or "nothing that was read blocks it"
    owners = sorted({one.partition("/")[0] for one in held})
    where = f" in {node.key.namespace}" if node.key.namespace else ""
    return RULE.finding(
        node.key.short,
        f"{node.key.short}{where} is stuck in deletion: {why}",
        evidence=[
            Evidence(kind=EvidenceKind.FIELD, text=since, subject=node.key, path="metadata.deletionTimestamp"),
            *(
                Evidence(kind=EvidenceKind.FIELD, text=one, subject=node.key, path="metadata.finalizers")
                for one in held
            ),
        ],
        fix=Fix(text=f"decide: bring back the controller of {listed(owners)}, which removes it after cleaning up")
        if held
        else Fix(text=_LEFT.get(node.key.kind, "decide: see what is left in it, of kinds that could not be read")),
        options=[removal(node.key)] if held else [],
        since=since,
    )
