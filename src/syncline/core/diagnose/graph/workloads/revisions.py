"""StatefulSets whose broken pods keep the revision that would repair them from being rolled out.

A pod of a former revision is such a one only where the new template changes what it fails at: one that fits no node
in its new form either, or crashes with the very same container, has a cause of its own.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Node, condition
from syncline.core.diagnose.graph.workloads import placing, pods
from syncline.core.diagnose.live.pods import containers, template

STATEFUL_SET = GroupKind("apps", "StatefulSet")
_HASH = "controller-revision-hash"
_PLACED = ("size", "full", "cordoned", "lost")
_TELLING = ("image", "command", "args", "env", "envFrom", "resources", "securityContext", "ports")
_PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


def is_stuck(node: Node) -> bool:
    """Whether a StatefulSet waits for a pod of its former revision to be ready."""
    return bool(stuck_pods(node))


def stuck_pods(node: Node) -> list[ObjectKey]:
    """Return the pods of a former revision that are not ready, and that the newer one would repair."""
    if node.key.kind != "StatefulSet":
        return []
    wanted = str((node.obj.get("status") or {}).get("updateRevision") or "")
    return [key for key, pod in pods.of(node, node.obj) if wanted and _is_stuck(node, pod, wanted)]


def holder(node: Node) -> ObjectKey | None:
    """Return the StatefulSet of a pod that only its former revision keeps from running; None for other pods."""
    above = node.cluster.owner(node.obj)
    if above is None or key_of(above).group_kind != STATEFUL_SET:
        return None
    wanted = str((above.get("status") or {}).get("updateRevision") or "")
    stuck = wanted and _is_stuck(Node(node.at(key_of(above)), above, node.cluster, node.fleet), node.obj, wanted)
    return key_of(above) if stuck else None


def _is_stuck(node: Node, pod: Object, wanted: str) -> bool:
    if meta.labels(pod).get(_HASH) in (None, wanted) or condition(pod, "Ready").get("status") == "True":
        return False
    return not pods.is_finished(pod) and _would_help(node, pod)


def _would_help(node: Node, pod: Object) -> bool:
    """Whether the new template changes what the pod fails at."""
    _base, new = template(node.obj)
    old = pod.get("spec") or {}
    if condition(pod, "PodScheduled").get("status") == "False":
        return _fitting(node, pod, new) > _fitting(node, pod, old)
    volumes, mounted = _named(new.get("volumes")), _named(old.get("volumes"))
    if any(mounted.get(name) != one for name, one in volumes.items()):
        return True
    before = {str(one.get("name")): one for _at, one in containers(old)}
    after = {str(one.get("name")): one for _at, one in containers(new)}
    return any(_differs(before.get(name), one) for name, one in after.items())


def _named(volumes: Any) -> dict[str, Any]:
    return {str(one.get("name")): one for one in volumes or () if isinstance(one, dict)}


def _differs(before: dict[str, Any] | None, after: dict[str, Any]) -> bool:
    return before is None or any(before.get(name) != after.get(name) for name in (*_TELLING, *_PROBES))


def _fitting(node: Node, pod: Object, spec: dict[str, Any]) -> int:
    """Return how many nodes are meant for the pod with another spec, by labels and taints."""
    blocked = placing.blocked(node.cluster, {**pod, "spec": spec})
    return len(placing.nodes(node.cluster)) - sum(one.sort not in _PLACED for one in blocked)
