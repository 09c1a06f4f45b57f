"""Which NetworkPolicies keep one pod from calling another, worked out from the policies alone.

Asked by the check on programs that call a Service which looks well. A pod that a policy of a direction selects may be
reached, or may call, only as one of these policies permits. Addresses of an `ipBlock` cannot be told from labels, so
where one is given nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.core.diagnose.graph.view.cluster import ClusterIndex

_POLICY = GroupKind("networking.k8s.io", "NetworkPolicy")
_DIRECTIONS = (("Ingress", "ingress", "from"), ("Egress", "egress", "to"))


def denying(cluster: ClusterIndex, caller: Object, called: Object, port: str) -> list[ObjectKey]:
    """Return the policies that let nothing of this call through; none where one of them permits it."""
    found: list[ObjectKey] = []
    for direction, field, peers in _DIRECTIONS:
        own, other = (called, caller) if direction == "Ingress" else (caller, called)
        selecting = list(_selecting(cluster, own, direction))
        permitted = (
            _permits(cluster, rule, peers, own, other, port)
            for _key, obj in selecting
            for rule in (obj.get("spec") or {}).get(field) or ()
        )
        if selecting and not any(permitted):
            found += [key for key, _obj in selecting]
    return found


def _selecting(cluster: ClusterIndex, pod: Object, direction: str) -> Iterator[tuple[ObjectKey, Object]]:
    for key, obj in cluster.of_kind(_POLICY, meta.namespace(pod)):
        spec = obj.get("spec") or {}
        usual = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]
        if direction in (spec.get("policyTypes") or usual) and _matches(spec.get("podSelector"), meta.labels(pod)):
            yield key, obj


def _permits(cluster: ClusterIndex, rule: Mapping[str, Any], peers: str, own: Object, other: Object, port: str) -> bool:
    ports = rule.get("ports") or ()
    if ports and port and not any(_is_port(one, port) for one in ports):
        return False
    listed = rule.get(peers) or ()
    return not listed or _is_peer(cluster, listed, own, other)


def _is_port(one: Mapping[str, Any], port: str) -> bool:
    given = one.get("port")
    if given is None or not str(given).isdecimal() or not port.isdecimal():
        return True  # A name stands for a number that only the pod tells.
    return int(given) <= int(port) <= int(one.get("endPort") or given)


def _is_peer(cluster: ClusterIndex, listed: Iterable[Mapping[str, Any]], own: Object, other: Object) -> bool:
    for one in listed:
        if one.get("ipBlock"):
            return True
        if "namespaceSelector" in one:
            space = cluster.get(ObjectKey("", "Namespace", "", meta.namespace(other)))
            if space is None:
                return True
            if not _matches(one.get("namespaceSelector"), meta.labels(space)):
                continue
        elif meta.namespace(own) != meta.namespace(other):
            continue
        if "podSelector" not in one or _matches(one.get("podSelector"), meta.labels(other)):
            return True
    return False


def _matches(selector: Any, labels: Mapping[str, str]) -> bool:
    try:
        return LabelSelector.from_object(selector or {}).matches(labels)
    except InvalidSelector:
        return True
