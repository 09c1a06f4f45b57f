"""Which empty value of a chart keeps the pods of a workload from every node, by what it hides.

Asked by the check on pods. A value is the reason only where the pods would fit a node with what it hides: names alone
would blame whatever is empty.
"""

from __future__ import annotations

import msgspec

from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.workloads import placing, pods
from syncline.core.provenance.chart_values import TOLERATIONS
from syncline.model.diagnosis import Thing
from syncline.model.layers import HiddenValue

_PLACED = ("size", "full", "cordoned", "lost")
"""What may still keep a pod from a node that it is meant for."""


class Hiding(msgspec.Struct, frozen=True):
    """The values that keep the pods of a workload away, and how many nodes are meant for them otherwise."""

    owner: Thing
    repo_url: str
    values: tuple[HiddenValue, ...]
    fitting: int


def hiding(node: Node) -> Hiding | None:
    """Return the empty values that keep a pod from every node; None where none does, or more than one could."""
    owner = pods.workload(node)
    found = node.fleet.desired(owner)
    if found is None:
        return None
    app, item = found
    by_parent: dict[tuple[str, ...], list[HiddenValue]] = {}
    for one in node.fleet.layers(app).hidden:
        by_parent.setdefault(one.path[:-1], []).append(one)
    fitting = {parent: _fitting(node, values) for parent, values in by_parent.items()}
    helping = [parent for parent, count in fitting.items() if count]
    named = [parent for parent in helping if parent and parent[-1] in item.key.name]
    chosen = helping if len(helping) == 1 else named
    if len(chosen) != 1:
        return None
    return Hiding(owner, item.origin.repo_url, tuple(by_parent[chosen[0]]), fitting[chosen[0]])


def _fitting(node: Node, values: list[HiddenValue]) -> int:
    """Return how many nodes are meant for the pod once it has what is hidden: by labels and taints."""
    spec = node.obj.get("spec") or {}
    hidden = [toleration for one in values for toleration in one.hidden if isinstance(toleration, dict)]
    with_hidden = {**spec, TOLERATIONS: [*(spec.get(TOLERATIONS) or ()), *hidden]}
    kept_away = placing.kept_away(node.cluster, {**node.obj, "spec": with_hidden}, *_PLACED)
    return len(placing.nodes(node.cluster)) - kept_away
