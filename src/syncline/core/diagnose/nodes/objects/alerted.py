"""What an alert is about is bad because of the pods behind it, and of whom these call."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.symptoms import ALERTING
from syncline.core.diagnose.graph.workloads import calls
from syncline.core.diagnose.monitoring.labels import alerted
from syncline.core.diagnose.rules.live.unexplained import RULE
from syncline.core.references.pods import CLAIM

_KINDS = (
    calls.SERVICE,
    GroupKind("apps", "Deployment"),
    GroupKind("apps", "StatefulSet"),
    GroupKind("apps", "DaemonSet"),
    calls.AUTOSCALER,
    GroupKind("networking.k8s.io", "Ingress"),
    CLAIM,
)


@on_node(RULE, *_KINDS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for what an alert fires about; it is one only where something behind it is bad."""
    if node.thing not in node.fleet.remembered(alerted):
        return
    behind = list(dict.fromkeys(calls.near(node)))
    things = (*(node.at(key) for key in behind if key != node.key), *calls.upstream(node, behind))
    yield Fault(rule=RULE, state=ALERTING, because=things, weak=True)
