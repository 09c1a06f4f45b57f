"""Adds nodes for pods that fit nowhere, and says why when it does not.

Plays a cluster autoscaler over the node groups of `syncline.sandbox.cluster.settings`; without any there is none. A
node that is on its way takes further pods before another one is asked for. Nodes are never taken away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster.settings import NodeGroup, NodeSpec
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.scheduling import nodes, placement
from syncline.sandbox.controllers.scheduling.placement import Around, PodRequest, Refusal
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_PODS = Bucket("", "pods")
_FULL = "max node group size reached"
_SETTLING = 10.0
"""How long a new node is given to take the pods it was made for."""


@dataclass(slots=True)
class Coming:
    """A node that was asked for."""

    group: str
    view: views.NodeView
    due: float
    used: dict[str, int] = field(default_factory=dict)
    pods: set[str] = field(default_factory=set)
    arrived: bool = False


class Autoscaler:
    """Plays the cluster autoscaler."""

    name = "autoscaler"
    buckets = (_PODS,)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="cluster-autoscaler", manager="cluster-autoscaler")
        self._coming: list[Coming] = []

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at pods that have no node."""
        if self._backend.settings.node_groups and event.type != "DELETED" and not views.pod(event.row).node:
            yield event.row.place

    def reconcile(self, place: RowKey) -> float | None:
        """Ask for a node for one pod, or make the one that was asked for."""
        self._arrive()
        pod = self._client.get(place)
        if pod is None or pod["spec"].get("nodeName"):
            return None
        told = readiness.condition(pod, "PodScheduled") or {}
        if told.get("reason") != "Unschedulable":
            return None
        wanted = PodRequest.of(pod)
        coming = self._find(wanted)
        if coming is None:
            refused = self._grow(wanted)
            if refused:
                text = f"pod didn't trigger scale-up: {refused}"
                self._client.record(pod, "Normal", "NotTriggerScaleUp", text)
                return None
            coming = self._coming[-1]
        return max(0.0, coming.due + (_SETTLING if coming.arrived else 0.0) - self._backend.clock.monotonic())

    def _find(self, wanted: PodRequest) -> Coming | None:
        """Return a node on its way that has room for a pod, and keep that room."""
        uid = wanted.pod["metadata"]["uid"]
        for one in self._coming:
            if uid in one.pods:
                return one
        for one in self._coming:
            if one.arrived:
                continue
            around = Around(nodes=[one.view], used={one.view.name: one.used})
            if not placement.refusals(wanted, one.view, around):
                self._reserve(one, wanted)
                return one
        return None

    def _reserve(self, coming: Coming, wanted: PodRequest) -> None:
        coming.pods.add(wanted.pod["metadata"]["uid"])
        for name, amount in wanted.requests.items():
            coming.used[name] = coming.used.get(name, 0) + amount

    def _grow(self, wanted: PodRequest) -> str:
        """Ask for a node of the first group that suits; returns why none does."""
        reasons: list[Refusal] = []
        for group in self._backend.settings.node_groups:
            view = _view(group)
            found = placement.refusals(wanted, view, Around(nodes=[view], used={}))
            size = self._size(group)
            if found:
                reasons.append(found[0])
            elif size >= group.max:
                reasons.append(Refusal(_FULL))
            else:
                due = self._backend.clock.monotonic() + group.delay
                coming = Coming(group.name, view, due)
                self._reserve(coming, wanted)
                self._coming.append(coming)
                text = f"pod triggered scale-up: [{{{group.name} {size}->{size + 1} (max: {group.max})}}]"
                self._client.record(wanted.pod, "Normal", "TriggeredScaleUp", text)
                return ""
        return placement.histogram(one.reason for one in reasons)

    def _size(self, group: NodeGroup) -> int:
        rows = self._backend.store.rows(nodes.BUCKET)
        there = sum(1 for row in rows if row.labels.get(nodes.GROUP_LABEL) == group.name)
        return there + sum(1 for one in self._coming if one.group == group.name and not one.arrived)

    def _arrive(self) -> None:
        now = self._backend.clock.monotonic()
        self._coming = [one for one in self._coming if now < one.due + _SETTLING]
        groups = {group.name: group for group in self._backend.settings.node_groups}
        for one in self._coming:
            if one.due <= now and not one.arrived:
                one.arrived = True
                nodes.create(self._backend, nodes.member(self._backend, groups[one.group]))


def _view(group: NodeGroup) -> views.NodeView:
    node: NodeSpec = msgspec.structs.replace(group.node, name=f"template-node-for-{group.name}")
    labels = {"kubernetes.io/hostname": node.name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    amounts = {"cpu": node.cpu, "memory": node.memory, "pods": node.pods, **node.resources}
    body: Object = {
        "metadata": {"name": node.name, "labels": {**labels, **node.labels, nodes.GROUP_LABEL: group.name}},
        "spec": {"taints": [dict(taint) for taint in node.taints]},
        "status": {"allocatable": amounts},
    }
    return views.NodeView(body)
