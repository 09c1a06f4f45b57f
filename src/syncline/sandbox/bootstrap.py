"""What every cluster has from its first second: namespaces, the node, the kubernetes Service, roles.

Called once by `syncline.sandbox.server` at the start. Namespaces get their service account and root certificate from
`syncline.sandbox.controllers.namespaces`, as later ones do.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox import writes
from syncline.sandbox.backend import Backend
from syncline.sandbox.options import WriteOptions
from syncline.sandbox.settings import NodeSpec
from syncline.sandbox.store import Bucket

_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_SERVER: Final = WriteOptions(manager="kube-apiserver")
_KUBELET: Final = WriteOptions(manager="kubelet")
_RBAC: Final = "rbac.authorization.k8s.io"


def populate(backend: Backend) -> None:
    """Create the objects of a fresh cluster; does nothing when they are there already."""
    if backend.store.get(Bucket("", "namespaces"), "", "default") is not None:
        return
    for name in _NAMESPACES:
        _create(backend, "", "Namespace", "", {"metadata": {"name": name}}, _SERVER)
    ports = [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}]
    labels = {"component": "apiserver", "provider": "kubernetes"}
    service = {"metadata": {"name": "kubernetes", "labels": labels}, "spec": {"clusterIP": "10.96.0.1", "ports": ports}}
    _create(backend, "", "Service", "default", service, _SERVER)
    _create_roles(backend)
    if backend.settings.simulate:
        for node in backend.settings.nodes:
            _create_node(backend, node)
        _create(
            backend,
            "storage.k8s.io",
            "StorageClass",
            "",
            {
                "metadata": {
                    "name": "standard",
                    "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
                },
                "provisioner": "sandbox.syncline.io/volumes",
                "reclaimPolicy": "Delete",
                "volumeBindingMode": "WaitForFirstConsumer",
            },
            WriteOptions(manager="sandbox"),
        )


def _create_roles(backend: Backend) -> None:
    everything = [
        {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
        {"nonResourceURLs": ["*"], "verbs": ["*"]},
    ]
    _create(backend, _RBAC, "ClusterRole", "", {"metadata": {"name": "cluster-admin"}, "rules": everything}, _SERVER)
    reading = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]
    _create(backend, _RBAC, "ClusterRole", "", {"metadata": {"name": "view"}, "rules": reading}, _SERVER)
    binding = {
        "metadata": {"name": "cluster-admin"},
        "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": _RBAC, "kind": "Group", "name": "system:masters"}],
    }
    _create(backend, _RBAC, "ClusterRoleBinding", "", binding, _SERVER)


def _create_node(backend: Backend, node: NodeSpec) -> None:
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
    _create(backend, "", "Node", "", {"metadata": {"name": node.name, "labels": labels}, "spec": spec}, _KUBELET)
    resource = backend.resource("", "Node")
    row = backend.store.get(resource.bucket, "", node.name)
    if row is not None:
        obj = {**resource.decode(row), "status": _node_status(backend, node)}
        writes.update(backend, resource, row, obj, _KUBELET, "status")
    lease = {"metadata": {"name": node.name}, "spec": {"holderIdentity": node.name, "leaseDurationSeconds": 40}}
    _create(backend, "coordination.k8s.io", "Lease", "kube-node-lease", lease, _KUBELET)


def _node_status(backend: Backend, node: NodeSpec) -> Object:
    now = backend.timestamp()
    amounts = {"cpu": node.cpu, "memory": node.memory, "pods": node.pods, "ephemeral-storage": "100Gi"}
    amounts = {name: quantity.canonical(amount) for name, amount in amounts.items()}
    checks = (
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
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
            "containerRuntimeVersion": "containerd://2.1.0",
            "kernelVersion": "6.8.0",
            "kubeProxyVersion": "",
            "kubeletVersion": backend.settings.version,
            "machineID": backend.ids.uid().replace("-", ""),
            "operatingSystem": "linux",
            "osImage": "Syncline sandbox",
            "systemUUID": backend.ids.uid(),
        },
    }


def _create(backend: Backend, group: str, kind: str, namespace: str, obj: Object, options: WriteOptions) -> None:
    writes.create(backend, backend.resource(group, kind), namespace, obj, options)


def version(text: str) -> dict[str, Any]:
    """Return the document of /version."""
    major, minor, *_ = text.removeprefix("v").split(".")
    return {
        "major": major,
        "minor": minor,
        "gitVersion": text,
        "gitCommit": "sandbox",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "none",
        "platform": "linux/amd64",
    }
