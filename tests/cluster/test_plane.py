"""The harness itself: workloads live, garbage goes, and the versions are those that go.mod names."""

import re
import time
from collections.abc import Callable

from tests.cluster import build
from tests.real import build as servers
from tests.real.api import Api, Json

PATIENCE = 120.0


def deployment(name: str, replicas: int) -> Json:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "example.com/web:1"}]},
            },
        },
    }


def eventually(what: str, holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"not within {PATIENCE:.0f} s: {what}"
        time.sleep(0.1)


def test_both_modules_name_the_same_kubernetes() -> None:
    named = re.search(r"k8s\.io/kubernetes (v\S+)", (build.HERE / "binaries" / "go.mod").read_text())
    assert named is not None
    assert named.group(1) == servers.kubernetes_version()


def test_a_deployment_rolls_out_and_its_garbage_is_collected(plane: Api, namespace: str) -> None:
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    plane.ok("POST", path, deployment("web", 3))
    eventually("three replicas", lambda: plane.ok("GET", f"{path}/web")["status"].get("availableReplicas") == 3)
    pods = plane.ok("GET", f"/api/v1/namespaces/{namespace}/pods")["items"]
    assert {pod["spec"]["serviceAccountName"] for pod in pods} == {"default"}
    plane.ok("DELETE", f"{path}/web")
    eventually("no pods", lambda: not plane.ok("GET", f"/api/v1/namespaces/{namespace}/pods")["items"])


def test_a_namespace_goes(plane: Api, namespace: str) -> None:
    plane.ok("POST", f"/apis/apps/v1/namespaces/{namespace}/deployments", deployment("web", 1))
    plane.ok("DELETE", f"/api/v1/namespaces/{namespace}")
    eventually("gone", lambda: plane.request("GET", f"/api/v1/namespaces/{namespace}")[0] == 404)
