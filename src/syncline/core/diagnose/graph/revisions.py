"""StatefulSets whose broken pods keep the revision that would repair them from being rolled out."""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph import pods
from syncline.core.diagnose.graph.fault import Node, condition

_HASH = "controller-revision-hash"


def is_stuck(node: Node) -> bool:
    """Whether a StatefulSet waits for a pod of its former revision to be ready."""
    return bool(stuck_pods(node))


def stuck_pods(node: Node) -> list[ObjectKey]:
    """Return the pods of a former revision that are not ready, while a newer one waits behind them."""
    if node.key.kind != "StatefulSet":
        return []
    status = node.obj.get("status") or {}
    wanted = str(status.get("updateRevision") or "")
    if not wanted or status.get("currentRevision") == wanted:
        return []
    return [
        key
        for key, pod in pods.of(node, node.obj)
        if meta.labels(pod).get(_HASH) not in (None, wanted) and condition(pod, "Ready").get("status") != "True"
    ]
