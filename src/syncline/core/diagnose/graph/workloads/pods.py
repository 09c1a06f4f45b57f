"""What checks on pods share: the workload that a pod belongs to, its containers in trouble, what was said about it.

Pods come and go, so a cause that lies in one is told of its workload: that is where people change something, and what
it is known by stays while the incident lasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.workloads.log_lines import plain
from syncline.core.diagnose.live import pods
from syncline.core.health import events
from syncline.core.health.pods import ContainerTrouble, container_troubles
from syncline.model.diagnosis import Thing
from syncline.model.finding import Evidence, EvidenceKind

POD = GroupKind("", "Pod")
_REPLACED = ("Evicted", "Shutdown", "NodeShutdown", "Terminated", "Preempting", "NodeLost")
STARTING = ("ContainerCreating", "PodInitializing", "")
_SHOWN_LINES = 4
_OVERDUE = 120.0
"""So many seconds after its time a pod that is being deleted should be gone; its time includes its grace period."""


class Failing(msgspec.Struct, frozen=True):
    """A container that does not run, with what the kubelet says of it and how it last ended."""

    trouble: ContainerTrouble
    image: str
    status: dict[str, Any]
    spec: dict[str, Any]
    ended: dict[str, Any]


def is_finished(pod: Object) -> bool:
    """Whether a pod has done its work, was put off its node and replaced, or is on its way out."""
    status = pod.get("status") or {}
    replaced = status.get("phase") == "Failed" and status.get("reason") in _REPLACED
    return status.get("phase") == "Succeeded" or replaced or bool(meta.deletion_timestamp(pod))


def is_stranded(node: Node, pod: Object) -> bool:
    """Whether a pod should be gone and is not: nobody on its node ends it, and nothing takes its place."""
    deleted = meta.deletion_timestamp(pod)
    age = node.cluster.age(deleted) if deleted else None
    return age is not None and age > _OVERDUE


def workload(node: Node) -> Thing:
    """Return the object at the top of a pod's owners."""
    return node.at(key_of(node.cluster.top(node.obj)))


def failing(node: Node) -> Iterator[Failing]:
    """Yield the containers of a pod that wait for a reason, or ended badly, or are restarted again and again."""
    if is_finished(node.obj):
        return
    status = node.obj.get("status") or {}
    told = set()
    for trouble in container_troubles(status):
        if trouble.reason not in STARTING:
            told.add(trouble.container)
            yield _failing(node.obj, trouble)
    for name in ("initContainerStatuses", "containerStatuses"):
        for index, one in enumerate(status.get(name) or ()):
            ended = (one.get("lastState") or {}).get("terminated") or {}
            unready = one.get("ready") is False and one.get("name") not in told
            if unready and ended.get("exitCode") and int(one.get("restartCount") or 0) > 1:
                reason, path = str(ended.get("reason") or "Error"), f"status.{name}[{index}].lastState.terminated"
                text = str(ended.get("message") or "")
                yield _failing(node.obj, ContainerTrouble(str(one.get("name")), reason, text, path, waiting=False))


def _failing(pod: Object, trouble: ContainerTrouble) -> Failing:
    status = status_of(pod, trouble.container)
    ended = (status.get("state") or {}).get("terminated") or (status.get("lastState") or {}).get("terminated") or {}
    spec = next(
        (one for _at, one in pods.containers(pod.get("spec") or {}) if one.get("name") == trouble.container), {}
    )
    return Failing(trouble, str(spec.get("image") or "?"), status, spec, dict(ended))


def status_of(pod: Object, container: str) -> dict[str, Any]:
    """Return the status of a container."""
    status = pod.get("status") or {}
    everything = [one for name in ("initContainerStatuses", "containerStatuses") for one in status.get(name) or ()]
    return next((one for one in everything if one.get("name") == container), {})


def said(node: Node, one: Failing, *reasons: str) -> str:
    """Return what was said about a container: by its state, else by the newest Event with one of some reasons."""
    if (
        one.trouble.message and not one.trouble.message.startswith("Back-off pulling image")
    ) or ": " in one.trouble.message:
        return one.trouble.message
    found = [events.message(event) for event in node.cluster.events(node.key, *reasons)]
    return next((text for text in found if "Back-off" not in text), one.trouble.message)


def template_path(node: Node, owner: Thing, container: str) -> str:
    """Return where a workload has a container; empty where it has not."""
    obj = node.fleet.find(owner) or {}
    base, spec = pods.template(obj)
    return next((f"{base}.{at}" for at, one in pods.containers(spec) if one.get("name") == container), "")


def container_line(node: Node, owner: Thing, container: str, field: str = "image") -> list[Evidence]:
    """Return the line in Git of a field of a container."""
    path = template_path(node, owner, container)
    return line(node.fleet, owner, f"{path}.{field}") if path else []


def log_evidence(node: Node, container: str) -> list[Evidence]:
    """Return the last lines that a container printed."""
    lines = node.cluster.log(node.key, container)[-_SHOWN_LINES:]
    return [Evidence(kind=EvidenceKind.LOG, text=plain(text), subject=node.key) for text in lines]


def seen(node: Node, trouble: ContainerTrouble, text: str = "") -> Evidence:
    """Return what the kubelet says, as evidence."""
    words = text or trouble.message or trouble.reason
    return Evidence(kind=EvidenceKind.FIELD, text=words, subject=node.key, path=trouble.path)


def of(node: Node, obj: Object) -> list[tuple[ObjectKey, Object]]:
    """Return the pods that an object owns, over all generations, by key."""
    found = [(key_of(one), one) for one in node.cluster.below(obj) if one.get("kind") == "Pod"]
    return sorted(found, key=lambda one: one[0])
