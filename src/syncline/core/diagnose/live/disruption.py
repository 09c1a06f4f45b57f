"""Which pods a PodDisruptionBudget keeps on nodes that are being emptied, though it can never let one go.

Shared by what `why` and `diagnose` say about a drain that does not end. A budget that lets no pod go only because some
are not ready is not meant: it does its job, and what keeps the pods from being ready is the cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector

BUDGET = GroupKind("policy", "PodDisruptionBudget")
_LEAVING = (
    "node.kubernetes.io/unschedulable",
    "ToBeDeletedByClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",
)
"""Taints of nodes that somebody empties: kubectl drain, the cluster autoscaler, Karpenter."""
_MIRROR = "kubernetes.io/config.mirror"


class BlockedDrain(msgspec.Struct, frozen=True):
    """A budget that lets no pod go, the pods that stay because of it, and the nodes that wait, with since when."""

    key: ObjectKey
    budget: Object
    pods: tuple[ObjectKey, ...]
    nodes: tuple[str, ...]
    since: str

    @property
    def field(self) -> str:
        """The field that says how many must stay."""
        spec = self.budget.get("spec") or {}
        return "maxUnavailable" if spec.get("maxUnavailable") is not None else "minAvailable"

    @property
    def least(self) -> Any:
        """What that field says."""
        return (self.budget.get("spec") or {}).get(self.field)

    @property
    def expected(self) -> int:
        """How many pods there should be."""
        return _count(self.budget, "expectedPods")

    @property
    def words(self) -> str:
        """What is wrong, in words."""
        count, pods = self.expected, "pod" if self.expected == 1 else "pods"
        kept = "1 pod stays" if len(self.pods) == 1 else f"{len(self.pods)} pods stay"
        nodes = ", ".join(self.nodes)
        return (
            f"{self.key.short} never lets a pod go: {self.field} is {self.least} with {count} {pods}; {kept} on "
            f"{'node' if len(self.nodes) == 1 else 'nodes'} {nodes}, which cannot be drained"
        )

    @property
    def loosened(self) -> Any:
        """What the field would have to say so that one pod may go; None where another field is needed."""
        if isinstance(self.least, int) and not isinstance(self.least, bool):
            return 1 if self.field == "maxUnavailable" else max(self.expected - 1, 0)
        return "1" if self.field == "maxUnavailable" else None


def leaving_since(node: Object) -> str | None:
    """Return since when a node is being emptied, or nothing known; None where it is not."""
    taints = [one for one in (node.get("spec") or {}).get("taints") or () if one.get("key") in _LEAVING]
    if not taints and not (node.get("spec") or {}).get("unschedulable") and not meta.deletion_timestamp(node):
        return None
    return next((str(one["timeAdded"]) for one in taints if one.get("timeAdded")), meta.deletion_timestamp(node) or "")


def blocked(
    key: ObjectKey, budget: Object, pods: Iterable[tuple[ObjectKey, Object]], leaving: Mapping[str, str]
) -> BlockedDrain | None:
    """Return what a budget keeps on nodes that are being emptied; None where it keeps nothing, or would let pods go."""
    status = budget.get("status") or {}
    expected, desired = _count(budget, "expectedPods"), _count(budget, "desiredHealthy")
    if not leaving or status.get("disruptionsAllowed") != 0 or not expected or expected > desired:
        return None
    held = sorted(_held(budget, key.namespace, pods, leaving))
    if not held:
        return None
    nodes = sorted({node for _key, node in held})
    since = min((leaving[node] for node in nodes if leaving[node]), default="")
    return BlockedDrain(key, budget, tuple(pod for pod, _node in held), tuple(nodes), since)


def _held(
    budget: Object, namespace: str, pods: Iterable[tuple[ObjectKey, Object]], leaving: Mapping[str, str]
) -> Iterator[tuple[ObjectKey, str]]:
    selector = (budget.get("spec") or {}).get("selector")
    try:
        wanted = LabelSelector.from_object(selector)
    except InvalidSelector:
        return
    for key, pod in pods:
        node = str((pod.get("spec") or {}).get("nodeName") or "")
        if node in leaving and key.namespace == namespace and wanted.matches(meta.labels(pod)) and _is_moved(pod):
            yield key, node


def _is_moved(pod: Object) -> bool:
    """Whether a drain has to move a pod: neither one that ends, nor one that belongs to its node."""
    done = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed") or meta.deletion_timestamp(pod)
    own = any(one.get("kind") in ("DaemonSet", "Node") for one in meta.owner_references(pod))
    return not done and not own and _MIRROR not in meta.annotations(pod)


def _count(budget: Object, name: str) -> int:
    found = (budget.get("status") or {}).get(name)
    return found if isinstance(found, int) else 0
