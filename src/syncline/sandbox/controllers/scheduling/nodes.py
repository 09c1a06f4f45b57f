"""Makes nodes, and plays the node lifecycle controller: taints of cordoned and unready nodes, and who must leave them.

`syncline.sandbox.cluster.bootstrap` makes the first nodes, `syncline.sandbox.controllers.scheduling.autoscaler` more of
them. Amounts come from `syncline.sandbox.cluster.settings`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from syncline.apimachinery import quantity, times
from syncline.apimachinery.keys import Object
from syncline.sandbox.api import writes
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster.settings import NodeGroup, NodeSpec
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.scheduling import affinity
from syncline.sandbox.controllers.workloads import readiness
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET: Final = Bucket("", "nodes")
GROUP_LABEL: Final = "sandbox.syncline.io/node-group"
_PODS: Final = Bucket("", "pods")
_KUBELET: Final = WriteOptions(manager="kubelet")
_CORDONED: Final = "node.kubernetes.io/unschedulable"
_UNREADY: Final = {"False": "node.kubernetes.io/not-ready", "Unknown": "node.kubernetes.io/unreachable"}
_SIMULATED: Final = "sandbox.syncline.io/simulated"
_TOLD: Final = (
    "no container really runs: what one prints, answers and ends with is said by the cluster file or by its command"
)
_NOT_READY: Final = (
    "Ready",
    "False",
    "KubeletNotReady",
    (
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        "message:Network plugin returns error: cni plugin not initialized"
    ),
)


class Nodes:
    """Plays the node lifecycle controller and taint-based eviction."""

    name = "nodes"
    buckets = (BUCKET, _PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="node-controller")
        self._evictor = Client(backend, component="taint-eviction-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed nodes, and at the node a pod has just been given."""
        row = event.row
        if row.place.bucket == BUCKET:
            if event.type != "DELETED":
                yield row.place
            return
        node = views.pod(row).node
        if node and event.type != "DELETED" and (event.previous is None or not views.pod(event.previous).node):
            yield RowKey(BUCKET, "", node)

    def reconcile(self, place: RowKey) -> float | None:
        """Taint one node as it deserves, and send away the pods that do not bear it."""
        node = self._client.get(place)
        if node is None:
            return None
        node = self._taint(node)
        ready = readiness.condition(node, "Ready") or {"status": "True"}
        evicting = [one for one in (node.get("spec") or {}).get("taints") or () if one.get("effect") == "NoExecute"]
        if ready["status"] == "True" and not evicting:
            return None
        waits = []
        for row in self._backend.store.rows(_PODS):
            view = views.pod(row)
            if view.node != place.name or not view.active:
                continue
            if ready["status"] != "True":
                self._mark(row.place)
            waits.append(self._evict(row.place, evicting))
        return min((wait for wait in waits if wait is not None), default=None)

    def _taint(self, node: Object) -> Object:
        spec = node.get("spec") or {}
        ready = readiness.condition(node, "Ready") or {"status": "True"}
        wanted: list[tuple[str, str]] = [(_CORDONED, "NoSchedule")] if spec.get("unschedulable") else []
        if ready["status"] != "True":
            key = _UNREADY.get(ready["status"], _UNREADY["Unknown"])
            wanted += [(key, "NoSchedule"), (key, "NoExecute")]
        ours = {_CORDONED, *_UNREADY.values()}
        taints = list(spec.get("taints") or ())
        kept = [one for one in taints if one.get("key") not in ours or (one["key"], one.get("effect")) in wanted]
        known = {(one.get("key"), one.get("effect")) for one in kept}
        now = self._backend.timestamp()
        kept += [
            {"key": key, "effect": effect, "timeAdded": now} for key, effect in wanted if (key, effect) not in known
        ]
        if kept == taints:
            return node
        rest = {key: value for key, value in spec.items() if key != "taints"}
        return self._client.update({**node, "spec": {**rest, **({"taints": kept} if kept else {})}})

    def _mark(self, place: RowKey) -> None:
        """Say of a pod on an unready node that it is not ready either."""
        pod = self._client.get(place)
        if pod is None or not readiness.is_ready(pod):
            return
        condition = {
            "type": "Ready",
            "status": "False",
            "lastTransitionTime": self._backend.timestamp(),
            "reason": "NodeNotReady",
        }
        status = dict(pod.get("status") or {})
        status["conditions"] = readiness.with_condition(list(status.get("conditions") or ()), condition)
        self._client.set_status(pod, status)
        self._client.record(pod, "Warning", "NodeNotReady", "Node is not ready")

    def _evict(self, place: RowKey, taints: list[Any]) -> float | None:
        """Delete a pod that does not tolerate a taint (any longer); returns how long it may stay."""
        pod = self._client.get(place)
        if pod is None:
            return None
        tolerations = pod["spec"].get("tolerations") or ()
        waits = []
        for taint in taints:
            found = [one for one in tolerations if affinity.tolerated(taint, (one,))]
            seconds = min(
                (float(one["tolerationSeconds"]) for one in found if "tolerationSeconds" in one), default=None
            )
            if found and seconds is None:
                continue
            since = times.parse(taint["timeAdded"]) if taint.get("timeAdded") else self._backend.clock.now()
            waits.append((seconds or 0.0) - (self._backend.clock.now() - since).total_seconds())
        left = min(waits, default=None)
        if left is None or left > 0:
            return left
        text = f"Marking for deletion Pod {place.namespace}/{place.name}"
        self._evictor.record(pod, "Normal", "TaintManagerEviction", text)
        self._evictor.delete(pod)
        return None


def install(backend: Backend) -> None:
    """Create the nodes a cluster begins with."""
    for node in backend.settings.nodes:
        create(backend, node)
    for group in backend.settings.node_groups:
        for _ in range(group.count):
            create(backend, member(backend, group))


def member(backend: Backend, group: NodeGroup) -> NodeSpec:
    """Return the next node of a group."""
    taken = {row.place.name for row in backend.store.rows(BUCKET)}
    number = next(number for number in range(len(taken) + 1) if f"{group.name}-{number:06d}" not in taken)
    labels = {**group.node.labels, GROUP_LABEL: group.name}
    return msgspec.structs.replace(group.node, name=f"{group.name}-{number:06d}", labels=labels)


def create(backend: Backend, node: NodeSpec) -> None:
    """Create one node with its status and lease."""
    labels = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": node.name,
        "kubernetes.io/os": "linux",
        **node.labels,
    }
    spec: Object = {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"]}
    if node.taints:
        spec["taints"] = [dict(taint) for taint in node.taints]
    if node.unschedulable:
        spec["unschedulable"] = True
    metadata = {"name": node.name, "labels": labels, "annotations": {_SIMULATED: _TOLD}}
    _create(backend, "", "Node", "", {"metadata": metadata, "spec": spec})
    resource = backend.resource("", "Node")
    row = backend.store.get(resource.bucket, "", node.name)
    if row is not None:
        obj = {**resource.decode(row), "status": _node_status(backend, node)}
        writes.update(backend, resource, row, obj, _KUBELET, "status")
    lease = {"metadata": {"name": node.name}, "spec": {"holderIdentity": node.name, "leaseDurationSeconds": 40}}
    _create(backend, "coordination.k8s.io", "Lease", "kube-node-lease", lease)
    if node.volume_limit:
        count = {"count": node.volume_limit}
        provisioners = sorted({one.provisioner for one in backend.settings.storage_classes})
        drivers = [{"name": one, "nodeID": node.name, "allocatable": count} for one in provisioners]
        _create(
            backend, "storage.k8s.io", "CSINode", "", {"metadata": {"name": node.name}, "spec": {"drivers": drivers}}
        )


def _node_status(backend: Backend, node: NodeSpec) -> Object:
    now = backend.timestamp()
    amounts = {"cpu": node.cpu, "memory": node.memory, "pods": node.pods, "ephemeral-storage": "100Gi"}
    amounts |= node.resources
    amounts = {name: quantity.canonical(amount) for name, amount in amounts.items()}
    checks = (
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status") if node.ready else _NOT_READY,
    )
    conditions = [
        {
            "type": kind,
            "status": status,
            "reason": reason,
            "message": message,
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        for kind, status, reason, message in checks
    ]
    return {
        "addresses": [
            {"type": "InternalIP", "address": node.address},
            {"type": "Hostname", "address": node.name},
        ],
        "allocatable": amounts,
        "capacity": amounts,
        "conditions": conditions,
        "nodeInfo": {
            "architecture": "amd64",
            "bootID": backend.ids.uid(),
            "containerRuntimeVersion": "simulated://2.1.0",
            "kernelVersion": "6.8.0",
            "kubeProxyVersion": "",
            "kubeletVersion": backend.settings.version,
            "machineID": backend.ids.uid().replace("-", ""),
            "operatingSystem": "linux",
            "osImage": "Syncline sandbox",
            "systemUUID": backend.ids.uid(),
        },
    }


def _create(backend: Backend, group: str, kind: str, namespace: str, obj: Object) -> None:
    writes.create(backend, backend.resource(group, kind), namespace, obj, _KUBELET)
