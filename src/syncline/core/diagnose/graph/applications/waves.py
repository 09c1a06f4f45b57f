"""Claims that a sync waits for, and that wait for a pod which the same sync has not made yet."""

from __future__ import annotations

from syncline.core.diagnose.graph.fault import Node
from syncline.core.references.pods import CLAIM
from syncline.model.diagnosis import Thing


def first_consumers(node: Node, things: list[Thing]) -> list[Thing]:
    """Return those of the things a sync waits for that are claims waiting for their first pod, which is not there."""
    found = []
    for thing in things:
        cluster = node.fleet.cluster(thing.cluster)
        obj = node.fleet.find(thing)
        if thing.key is None or obj is None or thing.key.group_kind != CLAIM:
            continue
        pending = (obj.get("status") or {}).get("phase") == "Pending"
        if pending and cluster.storage.waits_for_consumer(obj) and not cluster.pods_naming(thing.key):
            found.append(thing)
    return found
