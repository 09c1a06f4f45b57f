"""Whom running programs call: by what they print again and again, and by what they are told to call.

Asked by the checks on calls that fail and on alerts. A program that runs and is ready may still fail every request; its
log is then all that tells, and the Services that its lines name are where to look next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.core.diagnose.graph.fault import Node, condition
from syncline.core.diagnose.graph.view.cluster import ClusterIndex
from syncline.core.diagnose.graph.view.fleet import FleetIndex
from syncline.core.diagnose.graph.workloads import pods
from syncline.core.diagnose.graph.workloads.dependencies import dependencies, in_files, named
from syncline.core.diagnose.graph.workloads.hosts import in_cluster
from syncline.core.diagnose.graph.workloads.log_lines import is_trace, plain, unescaped, without_times
from syncline.core.diagnose.live.pods import containers
from syncline.core.diagnose.monitoring.labels import alerted
from syncline.core.references import read
from syncline.core.references.pods import CLAIM
from syncline.model.diagnosis import Thing

SERVICE = GroupKind("", "Service")
AUTOSCALER = GroupKind("autoscaling", "HorizontalPodAutoscaler")
_TROUBLE = re.compile(
    r"error|fatal|fail|exception|refused|denied|forbidden|unavailable|time(?:d)? ?out|deadline|cannot|could not|unable"
    r"|too many|reset|\b(?:404|5\d\d)\b|not be established|no route|not authori[sz]ed|expired|not allowed|alarm"
    r"|blocked|reject|exceeded|\b429\b",
    re.IGNORECASE,
)
# Nothing stops working because spans or metrics are not taken; such lines are in many healthy logs.
_TELEMETRY = re.compile(
    r"otlp|telemetry|\bspans?\b|\btraces\b|exporter|jaeger|zipkin|collector|pushgateway", re.IGNORECASE
)
_NUMBERED = r"(?:\d{1,3}\.){3}\d{1,3}"
_NAMED = r"[A-Za-z](?:[\w.-]*[A-Za-z0-9])?"
_ADDRESSES = (
    re.compile(rf"\w+://(?:[^@/\s]*@)?(?P<host>{_NAMED}|{_NUMBERED})(?::(?P<port>\d{{2,5}}))?"),
    re.compile(r"host='(?P<host>[\w.-]+)', port='?(?P<port>\d+)"),
    re.compile(rf"(?P<host>{_NAMED})/(?:<unresolved>|{_NUMBERED})?:(?P<port>\d{{2,5}})(?!\d)"),
    re.compile(rf"(?<![\w./-])(?P<host>{_NAMED}|{_NUMBERED}):(?P<port>\d{{2,5}})(?![\d.])"),
)
_RECENT = 30
_LAST = 5
_OFTEN = 3
_DEEPEST = 3
_TELLING = 5
"""Parts of a name with so many letters tell whom a line is about: mysql, redis, kafka; not `db`."""


class Called(msgspec.Struct, frozen=True):
    """A Service that is called, and the port where one is named."""

    key: ObjectKey
    port: str = ""


class Complaint(msgspec.Struct, frozen=True):
    """A container that runs and complains again and again: its newest such lines, and whom they name."""

    container: str
    spec: dict[str, Any]
    lines: tuple[str, ...]
    called: tuple[Called, ...]

    @property
    def line(self) -> str:
        """The newest line that complains."""
        return plain(self.lines[-1]).strip()


def complaints(node: Node) -> list[Complaint]:
    """Return what the running containers of a pod complain about; read once, because many checks ask."""
    known = node.cluster.remembered(_known)
    if node.key not in known:
        known[node.key] = _complaints(node)
    return known[node.key]


def _known(_cluster: ClusterIndex) -> dict[ObjectKey, list[Complaint]]:
    return {}


def _complaints(node: Node) -> list[Complaint]:
    found = []
    for _at, spec in containers(node.obj.get("spec") or {}):
        name = str(spec.get("name"))
        status = pods.status_of(node.obj, name)
        if "running" not in (status.get("state") or {}) or status.get("ready") is False:
            continue
        if lines := repeated(node.cluster.log(node.key, name)):
            called = {one: None for line in lines for one in _called(node, spec, line)}
            called = called or {Called(key): None for key in _spoken_of(node, lines[-1])}
            found.append(Complaint(name, spec, lines, tuple(called)))
    return found


def repeated(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the lines that complain, if there are several and one is among the last; else it may long be over."""
    recent = [line for line in list(lines)[-_RECENT:] if not is_trace(line)]
    trouble = [line for line in recent if _TROUBLE.search(line) and not _TELEMETRY.search(line)]
    return tuple(trouble) if len(trouble) >= _OFTEN and set(trouble) & set(recent[-_LAST:]) else ()


def _called(node: Node, spec: dict[str, Any], line: str) -> Iterator[Called]:
    """Yield the Services that a line names, by name or address."""
    spoken = without_times(unescaped(line))
    for words in _ADDRESSES:
        for found in words.finditer(spoken):
            host, port = found["host"], found["port"] or ""
            if host.replace(".", "").isdigit():
                key = node.cluster.remembered(by_address).get(host) or _by_port(node, spec, port)
            else:
                key = in_cluster(host, node.key.namespace)
            if key is not None and node.cluster.get(key) is not None:
                yield Called(key, port)


def named_by(node: Node, container: str) -> list[ObjectKey]:
    """Return the Services that the log of a container names in complaints, whether or not it is ready."""
    spec = next((one for _at, one in containers(node.obj.get("spec") or {}) if one.get("name") == container), {})
    lines = repeated(node.cluster.log(node.key, container))
    return list(dict.fromkeys(one.key for line in lines for one in _called(node, spec, line)))


def _spoken_of(node: Node, line: str) -> list[ObjectKey]:
    """Return the Services that a pod is told to call and whose names, or telling parts of them, a line has in it."""
    words = plain(line).lower()
    found = []
    for key in told_to_call(node):
        parts = [key.name, *(part for part in key.name.split("-") if len(part) >= _TELLING)]
        if any(part in words for part in parts):
            found.append(key)
    return found


def by_address(cluster: ClusterIndex) -> dict[str, ObjectKey]:
    """Return the Services of a cluster by their cluster address."""
    services = cluster.of_kind(SERVICE)
    return {str((obj.get("spec") or {}).get("clusterIP")): key for key, obj in services}


def _by_port(node: Node, spec: dict[str, Any], port: str) -> ObjectKey | None:
    """Return the only Service that a container is told to call at a port: an address alone may have been replaced."""
    told = (*dependencies(node, spec, ""), *in_files(node))
    keys = {one.key for one in told if port and one.port == port}
    return keys.pop() if len(keys) == 1 else None


def told_to_call(node: Node) -> list[ObjectKey]:
    """Return the Services that the containers of a pod are told to call, as far as they exist."""
    found: dict[ObjectKey, None] = {}
    for _at, spec in containers(node.obj.get("spec") or {}):
        for key in (*(one.key for one in dependencies(node, spec, "")), *named(node, spec)):
            if node.cluster.get(key) is not None:
                found[key] = None
    found.update(dict.fromkeys(one.key for one in in_files(node)))
    return list(found)


def behind(cluster: ClusterIndex, key: ObjectKey) -> list[ObjectKey]:
    """Return what may keep a Service from answering: itself, its pods, what scales them, and how it is called."""
    service = cluster.get(key) or {}
    answering = [pod for pod, obj in _pods_of(cluster, key, service) if not pods.is_finished(obj)]
    owners = dict.fromkeys(key_of(cluster.top(cluster.objects[one])) for one in answering)
    scaled = cluster.remembered(_scalers)
    scalers = [one for owner in owners for one in scaled.get(owner, ())]
    return [key, *answering, *scalers, *cluster.remembered(_destinations).get(key, ())]


def after_alerts(fleet: FleetIndex) -> frozenset[Thing]:
    """Return the pods that alerts lead to: those behind what an alert is about, and whom these call."""
    found: set[Thing] = set()
    for thing in fleet.remembered(alerted):
        obj = fleet.find(thing)
        if thing.key is not None and obj is not None:
            node = Node(thing, obj, fleet.cluster(thing.cluster), fleet)
            pods_here = [key for key in near(node) if key.group_kind == pods.POD]
            found.update(node.at(key) for key in pods_here)
            found.update(upstream(node, pods_here))
    return frozenset(found)


def near(node: Node) -> list[ObjectKey]:
    """Return the pods behind an object, and what decides how they answer."""
    kind = node.key.group_kind
    if kind == SERVICE:
        return behind(node.cluster, node.key)
    if kind == CLAIM:
        return node.cluster.pods_naming(node.key)
    if kind.kind in ("HorizontalPodAutoscaler", "Ingress"):
        keys = [one.key for one in read.references(node.obj)]
        return [each for key in keys for each in (behind(node.cluster, key) if key.kind == "Service" else [key])]
    return [key for key, _pod in pods.of(node, node.obj)]


def _pods_of(cluster: ClusterIndex, key: ObjectKey, service: Object) -> list[tuple[ObjectKey, Object]]:
    selector = (service.get("spec") or {}).get("selector") or {}
    return cluster.selected(key.namespace, {str(name): str(value) for name, value in selector.items()})


def _scalers(cluster: ClusterIndex) -> dict[ObjectKey, list[ObjectKey]]:
    found: dict[ObjectKey, list[ObjectKey]] = {}
    for key, obj in cluster.of_kind(AUTOSCALER):
        if condition(obj, "ScalingLimited").get("status") != "True":
            continue  # One that cannot measure makes nobody slow.
        target = (obj.get("spec") or {}).get("scaleTargetRef") or {}
        group = str(target.get("apiVersion") or "").rpartition("/")[0]
        workload = ObjectKey(group, str(target.get("kind")), key.namespace, str(target.get("name")))
        found.setdefault(workload, []).append(key)
    return found


def _destinations(cluster: ClusterIndex) -> dict[ObjectKey, list[ObjectKey]]:
    """Return the rules of a service mesh about how each Service is called."""
    found: dict[ObjectKey, list[ObjectKey]] = {}
    for key, obj in cluster.of_kind(GroupKind("networking.istio.io", "DestinationRule")):
        host = in_cluster(str((obj.get("spec") or {}).get("host") or ""), key.namespace)
        if host is not None:
            found.setdefault(host, []).append(key)
    return found


def upstream(node: Node, starts: Iterable[ObjectKey]) -> tuple[Thing, ...]:
    """Return what pods depend on over several calls: what their logs name, else what they are told to call."""
    found: dict[ObjectKey, None] = {}
    waiting = list(starts)
    for _ in range(_DEEPEST):
        callees: dict[ObjectKey, None] = {}
        for pod in waiting:
            obj = node.cluster.get(pod)
            if obj is not None and pod.group_kind == pods.POD:
                one = Node(node.at(pod), obj, node.cluster, node.fleet)
                said = [each.key for complaint in complaints(one) for each in complaint.called]
                callees.update(dict.fromkeys(said or told_to_call(one)))
        fresh = [each for key in callees for each in behind(node.cluster, key) if each not in found]
        found.update(dict.fromkeys(fresh))
        waiting = fresh
    return tuple(node.at(key) for key in found)
