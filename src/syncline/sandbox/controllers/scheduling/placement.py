"""Says why a pod cannot run on a node, in the scheduler's words and in the order in which it asks.

Pure: `syncline.sandbox.controllers.scheduling.scheduler` hands in the pod, the node and what is around it, and the
autoscaler asks the same of nodes that do not exist yet. Only the first question that a node fails is told, as on a real
cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from syncline.apimachinery import selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.scheduling import affinity
from syncline.sandbox.controllers.views import NodeView

_CORDONED: Final = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


class Refusal(NamedTuple):
    """Why a node is refused, and whether removing other pods could help."""

    reason: str
    helpful: bool = False


class PodRequest(NamedTuple):
    """A pod that looks for a node, with what it asks of one."""

    pod: Object
    requests: Mapping[str, int]
    ports: frozenset[tuple[int, str]]

    @classmethod
    def of(cls, pod: Object) -> PodRequest:
        """Read a pod once, for all nodes."""
        view = views.PodView(pod)
        return cls(pod, view.requests, frozenset(view.ports))


class Neighbour(NamedTuple):
    """A pod that already has a node."""

    namespace: str
    labels: Mapping[str, str]
    node: str
    anti: list[Any]


@dataclass(slots=True)
class Around:
    """What a pod finds: nodes, what is used on them, and the pods there."""

    nodes: list[NodeView]
    used: Mapping[str, Mapping[str, int]]
    neighbours: list[Neighbour] = field(default_factory=list)
    ports: Mapping[str, set[tuple[int, str]]] = field(default_factory=dict)
    volumes: Callable[[Object, NodeView], Refusal | None] = lambda _pod, _node: None
    """Asked whether the pod's claims can be used on a node."""

    def domain(self, node: str, key: str) -> str | None:
        """Return the value of a topology label of a node."""
        found = next((one for one in self.nodes if one.name == node), None)
        return None if found is None else found.labels.get(key)


def refusals(wanted: PodRequest, node: NodeView, around: Around) -> list[Refusal]:
    """Return why a pod cannot run on a node; nothing when it can."""
    pod = wanted.pod
    spec = pod["spec"]
    tolerations = spec.get("tolerations") or ()
    if node.unschedulable and not affinity.tolerated(_CORDONED, tolerations):
        return [Refusal("node(s) were unschedulable")]
    for taint in node.taints:
        if not affinity.tolerated(taint, tolerations):
            return [Refusal(f"node(s) had untolerated taint {{{taint.get('key')}: {taint.get('value') or ''}}}")]
    if not affinity.selected(spec, node.labels, node.name):
        return [Refusal("node(s) didn't match Pod's node affinity/selector")]
    if wanted.ports and wanted.ports & around.ports.get(node.name, set()):
        return [Refusal("node(s) didn't have free ports for the requested pod ports", helpful=True)]
    lacking = _lacking(wanted, node, around.used.get(node.name, {}))
    if lacking:
        return lacking
    problem = around.volumes(pod, node) or _spread(pod, node, around) or _company(pod, node, around)
    return [problem] if problem is not None else []


def _lacking(wanted: PodRequest, node: NodeView, used: Mapping[str, int]) -> list[Refusal]:
    found = []
    for name, amount in wanted.requests.items():
        total = node.free.get(name, 0)
        if amount and used.get(name, 0) + amount > total:
            word = "Too many pods" if name == "pods" else f"Insufficient {name}"
            found.append(Refusal(word, helpful=amount <= total))
    return found


def _spread(pod: Object, node: NodeView, around: Around) -> Refusal | None:
    for one in pod["spec"].get("topologySpreadConstraints") or ():
        if one.get("whenUnsatisfiable", "DoNotSchedule") != "DoNotSchedule":
            continue
        key = str(one.get("topologyKey") or "")
        domain = node.labels.get(key)
        if domain is None:
            return Refusal("node(s) didn't match pod topology spread constraints (missing required label)")
        counts = _counts(pod, one, key, around)
        mine = 1 if _selects(one.get("labelSelector"), pod["metadata"].get("labels") or {}) else 0
        if counts.get(domain, 0) + mine - min(counts.values(), default=0) > int(one.get("maxSkew") or 1):
            return Refusal("node(s) didn't match pod topology spread constraints", helpful=True)
    return None


def _counts(pod: Object, constraint: Mapping[str, Any], key: str, around: Around) -> dict[str, int]:
    """Count the matching pods in every part of the cluster that the pod may go to."""
    spec = pod["spec"]
    counts = {
        one.labels[key]: 0
        for one in around.nodes
        if key in one.labels and affinity.selected(spec, one.labels, one.name)
    }
    for other in around.neighbours:
        if other.namespace != pod["metadata"].get("namespace"):
            continue
        domain = around.domain(other.node, key)
        if domain in counts and _selects(constraint.get("labelSelector"), other.labels):
            counts[domain] += 1
    return counts


def _selects(selector: Any, labels: Mapping[str, str]) -> bool:
    return selector is not None and selectors.LabelSelector.from_object(selector).matches(labels)


def _company(pod: Object, node: NodeView, around: Around) -> Refusal | None:
    """Hold a pod's wishes for or against other pods, and theirs against it."""
    namespace, labels = pod["metadata"].get("namespace", ""), pod["metadata"].get("labels") or {}
    for term in affinity.pod_terms(pod["spec"], "podAffinity"):
        if not _near(term, namespace, labels, node, around):
            return Refusal("node(s) didn't match pod affinity rules")
    for term in affinity.pod_terms(pod["spec"], "podAntiAffinity"):
        if any(_shares(term, other, node, around) for other in _picked(term, namespace, around)):
            return Refusal("node(s) didn't match pod anti-affinity rules", helpful=True)
    for other in around.neighbours:
        for term in other.anti:
            if affinity.picks(term, other.namespace, namespace, labels) and _shares(term, other, node, around):
                return Refusal("node(s) didn't satisfy existing pods anti-affinity rules", helpful=True)
    return None


def _near(term: Mapping[str, Any], namespace: str, labels: Mapping[str, str], node: NodeView, around: Around) -> bool:
    if str(term.get("topologyKey") or "") not in node.labels:
        return False
    picked = list(_picked(term, namespace, around))
    if not picked:  # the first of a group that wants to be together may go anywhere
        return affinity.picks(term, namespace, namespace, labels)
    return any(_shares(term, other, node, around) for other in picked)


def _picked(term: Mapping[str, Any], namespace: str, around: Around) -> Iterable[Neighbour]:
    return (one for one in around.neighbours if affinity.picks(term, namespace, one.namespace, one.labels))


def _shares(term: Mapping[str, Any], other: Neighbour, node: NodeView, around: Around) -> bool:
    key = str(term.get("topologyKey") or "")
    domain = around.domain(other.node, key)
    return domain is not None and domain == node.labels.get(key)


def told(total: int, by_node: Iterable[list[Refusal]]) -> str:
    """Return the scheduler's sentence about nodes that all refused a pod."""
    every = [list(one) for one in by_node]
    reasons = histogram(refusal.reason for one in every for refusal in one)
    helpless = sum(1 for one in every if not all(refusal.helpful for refusal in one))
    preemption = histogram(
        ["Preemption is not helpful for scheduling"] * helpless
        + ["No preemption victims found for incoming pod"] * (len(every) - helpless)
    )
    none = f"0/{total} nodes are available"
    return f"{none}: {reasons}. preemption: {none}: {preemption}."


def histogram(reasons: Iterable[str]) -> str:
    """Print reasons with how often each is given, sorted as the scheduler does."""
    counts: dict[str, int] = {}
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    return ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items()))
