"""A PodDisruptionBudget keeps pods on nodes that are being drained, and never lets one go."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.symptoms import BLOCKS_DRAIN
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.lines import line, rewrite
from syncline.core.diagnose.graph.workloads.pods import POD
from syncline.core.diagnose.live import disruption
from syncline.core.diagnose.live.disruption import BUDGET, BlockedDrain
from syncline.core.diagnose.rules.workloads.drain_blocked import RULE, finding, leaving_nodes, ways
from syncline.core.references.pods import NODE
from syncline.model.finding import Evidence, Finding, Fix


@on_node(RULE, BUDGET)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for a budget that keeps pods on nodes which are being drained."""
    leaving = node.cluster.remembered(_leaving)
    pods = node.cluster.of_kind(POD, node.key.namespace) if leaving else []
    found = disruption.blocked(node.key, node.obj, pods, leaving)
    if found is not None:
        yield Fault(rule=RULE, state=BLOCKS_DRAIN, tell=lambda: _finding(node, found))


def _leaving(cluster: ClusterIndex) -> dict[str, str]:
    return leaving_nodes(obj for _key, obj in cluster.of_kind(NODE))


def _finding(node: Node, found: BlockedDrain) -> Finding:
    pods = [pod for key in found.pods if (pod := node.cluster.get(key)) is not None]
    roots = sorted({key_of(node.cluster.top(pod)) for pod in pods})
    evidence: list[Evidence] = [
        *line(node.fleet, node.thing, f"spec.{found.field}"),
        *(one for root in roots[:1] for one in line(node.fleet, node.at(root), "spec.replicas")),
    ]

    def changed(key: ObjectKey, path: str, after: object, remark: str) -> Fix:
        return rewrite(node.fleet, node.at(key), path, after, remark)

    return finding(found, evidence, ways(found, roots, changed))
