"""CoreDNS as a workload of the test cluster, with the names and labels that clusters give it."""

from typing import Any

from tests.node.network import Network
from tests.real import api as client
from tests.real import cluster

IMAGE = "syncline.test/coredns:1"
NAMESPACE = "kube-system"
COREFILE = """\
.:53 {
    errors
    health :8080
    ready :8181
    kubernetes cluster.local in-addr.arpa {
        pods insecure
    }
    cache 5
    reload 2s
}
"""
Json = dict[str, Any]


def install(where: cluster.Cluster, network: Network) -> None:
    """Create CoreDNS and its Service."""
    api = client.Api(where)
    try:
        for path, obj in _objects(network):
            api.ok("POST", path, obj)
    finally:
        api.close()


def missing(api: client.Api) -> str:
    """Return what keeps names from being resolved, nothing once they are."""
    status, deployment = api.request("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/coredns")
    ready = deployment.get("status", {}).get("readyReplicas", 0) if status == 200 else 0
    return "" if ready else "CoreDNS is not ready"


def _objects(network: Network) -> list[tuple[str, Json]]:
    core = f"/api/v1/namespaces/{NAMESPACE}"
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    metadata = {"name": "coredns", "namespace": NAMESPACE}
    subject = {"kind": "ServiceAccount", **metadata}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "coredns"}
    rules = [
        {"apiGroups": [""], "resources": ["services", "pods", "namespaces"], "verbs": ["list", "watch"]},
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]},
    ]
    ports = [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]
    selector = {"k8s-app": "kube-dns"}
    return [
        (f"{core}/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}),
        (f"{rbac}/clusterroles", {"metadata": {"name": "coredns"}, "rules": rules}),
        (f"{rbac}/clusterrolebindings", {"metadata": {"name": "coredns"}, "roleRef": role, "subjects": [subject]}),
        (f"{core}/configmaps", {"metadata": metadata, "data": {"Corefile": COREFILE}}),
        (
            f"{core}/services",
            {
                "metadata": {"name": "kube-dns", "namespace": NAMESPACE, "labels": selector},
                "spec": {"clusterIP": network.dns, "selector": selector, "ports": ports},
            },
        ),
        (
            f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments",
            {
                "metadata": {**metadata, "labels": selector},
                "spec": {
                    "replicas": 1,
                    "selector": {"matchLabels": selector},
                    "template": {"metadata": {"labels": selector}, "spec": _pod()},
                },
            },
        ),
    ]


def _pod() -> Json:
    container = {
        "name": "coredns",
        "image": IMAGE,
        "imagePullPolicy": "Never",
        "args": ["-conf", "/etc/coredns/Corefile"],
        "volumeMounts": [{"name": "config", "mountPath": "/etc/coredns"}],
        "readinessProbe": {"httpGet": {"path": "/ready", "port": 8181}, "periodSeconds": 2},
    }
    return {
        "serviceAccountName": "coredns",
        "dnsPolicy": "Default",
        "priorityClassName": "system-cluster-critical",
        "containers": [container],
        "volumes": [{"name": "config", "configMap": {"name": "coredns"}}],
    }
