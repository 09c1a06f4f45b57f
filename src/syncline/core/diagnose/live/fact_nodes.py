"""The nodes that facts about a cluster describe, as objects that the rules on placement read.

Shared by the rules on repositories about pods and nodes.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.model.cluster_facts import ClusterFacts


def as_objects(facts: ClusterFacts) -> list[Object]:
    """Return the nodes of a cluster as objects; cordoned ones come back, so they count as nodes."""
    return [
        {
            "metadata": {
                "name": node.name,
                "labels": {"kubernetes.io/os": "linux", "kubernetes.io/hostname": node.name, **node.labels},
            },
            "spec": {"taints": [{"key": one.key, "value": one.value, "effect": one.effect} for one in node.taints]},
            "status": {"allocatable": {"cpu": node.cpu or "1k", "memory": node.memory or "1Ei", **node.resources}},
        }
        for node in facts.nodes
    ]
