"""What the scheduler's words leave out: which port is taken by whom, and where a volume is.

Asked by `syncline.core.diagnose.nodes.pods.pod_unschedulable` where a pod waits for what cannot be worked out from
nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers
from syncline.core.references import read
from syncline.core.references.pods import CLAIM

_POD = GroupKind("", "Pod")
_PORTS, _ZONE = "free ports", "volume node affinity conflict"
_PLACES = ("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "kubernetes.io/hostname")


def more(node: Node, said: str) -> str:
    """Return what is behind some words of the scheduler; empty where nothing more was read."""
    if _PORTS in said:
        return _ports(node)
    return _volumes(node) if _ZONE in said else ""


def _ports(node: Node) -> str:
    wanted = set(_host_ports(node.obj))
    holders = {
        f"{node.cluster.top(pod).get('kind')}/{key_of(node.cluster.top(pod)).name}"
        for key, pod in node.cluster.of_kind(_POD)
        if key != node.key and (pod.get("spec") or {}).get("nodeName") and wanted & set(_host_ports(pod))
    }
    ports = listed([str(port) for port in sorted(wanted)])
    who = f", which {listed(sorted(holders))} has" if holders else ""
    return f"it needs port {ports} of its node{who}" if wanted else ""


def _host_ports(pod: Object) -> Iterator[int]:
    spec = pod.get("spec") or {}
    for _at, container in containers(spec):
        for one in container.get("ports") or ():
            port = one.get("hostPort") or (one.get("containerPort") if spec.get("hostNetwork") else None)
            if isinstance(port, int):
                yield port


def _volumes(node: Node) -> str:
    return listed([f"the volume of {key.short} is in {place}" for key, place in _placed(node)])


def claim_elsewhere(node: Node, said: str) -> ObjectKey | None:
    """Return the claim whose volume keeps a pod from the nodes there are; None where that is not what is said."""
    return next((key for key, _place in _placed(node)), None) if _ZONE in said else None


def _placed(node: Node) -> Iterator[tuple[ObjectKey, str]]:
    for reference in read.references(node.obj):
        if reference.key.group_kind == CLAIM:
            name = str(((node.cluster.get(reference.key) or {}).get("spec") or {}).get("volumeName") or "")
            volume = node.cluster.get(ObjectKey("", "PersistentVolume", "", name))
            if volume is not None and (place := _place(volume)):
                yield reference.key, place


def _place(volume: Object) -> str:
    affinity: Any = (volume.get("spec") or {}).get("nodeAffinity") or {}
    for term in (affinity.get("required") or {}).get("nodeSelectorTerms") or ():
        for one in term.get("matchExpressions") or ():
            if _is_place(one):
                return " or ".join(str(value) for value in one.get("values") or ())
    return ""


def _is_place(one: Mapping[str, Any]) -> bool:
    key = str(one.get("key") or "")
    return one.get("operator") == "In" and (key in _PLACES or key.endswith("/zone"))
