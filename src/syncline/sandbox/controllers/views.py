"""What controllers ask of pods again and again, worked out once per stored row.

A large ReplicaSet is counted after each of its pods' changes; decoding all of them every time would make that
quadratic. The view hangs on the row itself and goes with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers.scheduling import affinity
from syncline.sandbox.store.store import Row


class ControllerReference(NamedTuple):
    """Who controls an object."""

    kind: str
    name: str
    uid: str


class PodView:
    """The facts of one pod at one version."""

    __slots__ = (
        "active",
        "address",
        "anti",
        "claims",
        "controller",
        "ended",
        "node",
        "ports",
        "priority",
        "ready_since",
        "requests",
    )

    def __init__(self, pod: Object) -> None:
        spec, status, metadata = pod.get("spec") or {}, pod.get("status") or {}, pod["metadata"]
        self.ended = status.get("phase") in ("Succeeded", "Failed")
        self.active = not self.ended and "deletionTimestamp" not in metadata
        self.node: str = spec.get("nodeName") or ""
        self.address: str = status.get("podIP") or ""
        self.controller = controller_of(pod)
        self.ready_since: str | None = next(
            (
                one.get("lastTransitionTime")
                for one in status.get("conditions") or ()
                if one.get("type") == "Ready" and one.get("status") == "True"
            ),
            None,
        )
        volumes = spec.get("volumes") or ()
        found = ((volume.get("persistentVolumeClaim") or {}).get("claimName") for volume in volumes)
        self.claims: tuple[str, ...] = tuple(name for name in found if name)
        self.requests = requests(pod)
        self.priority = int(spec.get("priority") or 0)
        self.anti: list[Any] = affinity.pod_terms(spec, "podAntiAffinity") if spec.get("affinity") else []
        self.ports: tuple[tuple[int, str], ...] = tuple(
            (int(port["hostPort"]), str(port.get("protocol") or "TCP"))
            for container in spec.get("containers") or ()
            for port in container.get("ports") or ()
            if port.get("hostPort")
        )


class NodeView:
    """The facts of one node at one version."""

    __slots__ = ("free", "labels", "name", "taints", "unschedulable")

    def __init__(self, node: Object) -> None:
        spec, status = node.get("spec") or {}, node.get("status") or {}
        self.name: str = node["metadata"]["name"]
        self.labels: dict[str, str] = node["metadata"].get("labels") or {}
        self.unschedulable = bool(spec.get("unschedulable"))
        self.taints: list[Any] = [one for one in spec.get("taints") or () if one.get("effect") != "PreferNoSchedule"]
        self.free = {name: milli(amount) for name, amount in (status.get("allocatable") or {}).items()}


def node(row: Row) -> NodeView:
    """Return the view of a node's row."""
    if row.view is None:
        row.view = NodeView(row.decode())
    view: NodeView = row.view
    return view


def pod(row: Row) -> PodView:
    """Return the view of a pod's row."""
    if row.view is None:
        row.view = PodView(row.decode())
    view: PodView = row.view
    return view


def controller_of(obj: Object) -> ControllerReference | None:
    """Return who controls an object, or None."""
    for owner in obj["metadata"].get("ownerReferences") or ():
        if owner.get("controller"):
            return ControllerReference(owner.get("kind", ""), owner.get("name", ""), owner.get("uid", ""))
    return None


def requests(pod: Object) -> dict[str, int]:
    """Return what a pod asks of its node, in thousandths."""
    total: dict[str, int] = {"pods": 1000}
    spec = pod.get("spec") or {}
    for container in spec.get("containers") or ():
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            total[name] = total.get(name, 0) + milli(amount)
    for container in spec.get("initContainers") or ():
        for name, amount in ((container.get("resources") or {}).get("requests") or {}).items():
            total[name] = max(total.get(name, 0), milli(amount))
    return total


def milli(amount: Any) -> int:
    """Return a quantity in thousandths; what is not a quantity counts as nothing."""
    try:
        return quantity.parse(amount).milli_value
    except quantity.InvalidQuantity:
        return 0
