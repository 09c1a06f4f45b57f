"""The pods that make the network of each node: kube-proxy and the agents of network plugins, known by their names.

Asked by checks on calls that time out and on pods that get no sandbox.
"""

from __future__ import annotations

import re

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.workloads import pods
from syncline.model.diagnosis import Thing

_AGENTS = re.compile(r"kube-proxy|cilium|calico|canal|flannel|weave|aws-node|azure-cn|kindnet|antrea|ovn|kube-router")


def beside(node: Node) -> tuple[Thing, ...]:
    """Return the pods that make the network of a pod's node."""
    name = str((node.obj.get("spec") or {}).get("nodeName") or "")
    return tuple(node.at(key) for key in node.cluster.remembered(_by_node).get(name, ()) if key != node.key)


def _by_node(cluster: ClusterIndex) -> dict[str, list[ObjectKey]]:
    found: dict[str, list[ObjectKey]] = {}
    for key, pod in cluster.of_kind(pods.POD):
        above = key_of(cluster.top(pod))
        if above.kind == "DaemonSet" and _AGENTS.search(above.name):
            found.setdefault(str((pod.get("spec") or {}).get("nodeName") or ""), []).append(key)
    return found
