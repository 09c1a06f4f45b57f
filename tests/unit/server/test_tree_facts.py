"""What nodes of a tree say of pods: the words that `kubectl get pods` prints, and what a pod asks for."""

from typing import Any

import pytest

from syncline.server.lists import shapes
from syncline.server.trees.tree_facts import images, info, network, pod_reason, requested

RUNNING = {"name": "main", "ready": True, "state": {"running": {}}}
DONE = {"name": "main", "ready": False, "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}
INIT = {"initContainers": [{"name": "first"}], "containers": [{"name": "main"}]}


def pod(spec: Any = None, metadata: Any = None, **status: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "n", **(metadata or {})},
        "spec": spec or {"containers": [{"name": "main"}]},
        "status": status,
    }


def waiting(reason: str) -> dict[str, Any]:
    return {"name": "main", "state": {"waiting": {"reason": reason}}}


def ended(**how: Any) -> dict[str, Any]:
    return {"name": "main", "state": {"terminated": how}}


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (pod(phase="Pending"), "Pending"),
        (pod(phase="Failed", reason="Evicted"), "Evicted"),
        (pod(phase="Running", containerStatuses=[RUNNING]), "Running"),
        (pod(phase="Succeeded", containerStatuses=[DONE]), "Completed"),
        (pod(phase="Running", containerStatuses=[DONE, RUNNING]), "Running"),
        (pod(phase="Running", containerStatuses=[waiting("CrashLoopBackOff")]), "CrashLoopBackOff"),
        (pod(phase="Failed", containerStatuses=[ended(exitCode=3)]), "ExitCode:3"),
        (pod(phase="Failed", containerStatuses=[ended(signal=9)]), "Signal:9"),
        (pod(INIT, phase="Pending", initContainerStatuses=[{"name": "first", "state": {"running": {}}}]), "Init:0/1"),
        (pod(INIT, phase="Pending", initContainerStatuses=[ended(exitCode=1, reason="Error")]), "Init:Error"),
        (pod(INIT, phase="Pending", initContainerStatuses=[waiting("ErrImagePull")]), "Init:ErrImagePull"),
        (pod(INIT, phase="Running", initContainerStatuses=[DONE], containerStatuses=[RUNNING]), "Running"),
        (pod(None, {"deletionTimestamp": "2030-01-01T00:00:00Z"}, phase="Running"), "Terminating"),
        (pod(None, {"deletionTimestamp": "2030-01-01T00:00:00Z"}, phase="Succeeded"), "Succeeded"),
        (pod(None, {"deletionTimestamp": "2030-01-01T00:00:00Z"}, phase="Running", reason="NodeLost"), "Unknown"),
        (pod(phase="Pending", conditions=[{"type": "PodScheduled", "reason": "SchedulingGated"}]), "SchedulingGated"),
        (pod(phase="Pending", conditions=[{"type": "PodScheduled", "reason": "Unschedulable"}]), "Pending"),
        (pod(phase="Running", containerStatuses=["not an object"]), "Running"),
    ],
)
def test_a_pod_is_in_the_state_that_kubectl_prints(found: dict[str, Any], reason: str) -> None:
    assert pod_reason(found) == reason


def asking(name: str, cpu: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu}}, **more}


@pytest.mark.parametrize(
    ("spec", "thousandths"),
    [
        ({"containers": [asking("a", "100m"), asking("b", "1")]}, 1100),
        ({"containers": [asking("a", "100m")], "initContainers": [asking("i", "500m")]}, 500),
        ({"containers": [asking("a", "100m")], "initContainers": [asking("i", "50m")]}, 100),
        ({"containers": [asking("a", "100m")], "initContainers": [asking("i", "50m", restartPolicy="Always")]}, 150),
        ({"containers": [asking("a", "much")]}, 0),
        ({"containers": "none"}, 0),
    ],
)
def test_a_pod_asks_for_its_containers_or_for_its_hungriest_init_container(spec: Any, thousandths: int) -> None:
    assert requested(spec, "cpu") == thousandths


def test_only_pods_name_images_and_only_rolled_out_kinds_a_revision() -> None:
    spec = {"initContainers": [{"image": "a:1"}], "containers": [{"image": "b:1"}, {"image": "b:1"}]}
    assert images(pod(spec)) == ["a:1", "b:1"]
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d", "annotations": {"deployment.kubernetes.io/revision": "3"}},
        "spec": {"template": {"spec": spec}},
    }
    assert images(deployment) == []
    assert list(info(deployment)) == [("Revision", "Rev:3")]
    assert list(info({**deployment, "kind": "StatefulSet"})) == []


def test_a_service_shows_addresses_only_as_a_load_balancer() -> None:
    status = {"loadBalancer": {"ingress": [{"hostname": "a.example", "ip": "203.0.113.1"}, {"ip": "203.0.113.2"}]}}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {}, "status": status}
    assert network(service) == {}
    balanced = {**service, "spec": {"type": "LoadBalancer"}}
    assert network(balanced) == {"ingress": [{"hostname": "a.example"}, {"ip": "203.0.113.2"}]}


def test_rows_get_the_health_of_their_nodes_where_argo_cd_left_it_out() -> None:
    row = {"group": "apps", "kind": "Deployment", "namespace": "n", "name": "d"}
    app = {"status": {"resourceHealthSource": "appTree", "resources": [row, {**row, "name": "other"}]}}
    assert shapes.wants_health(app)
    assert not shapes.wants_health({"status": {"resources": [row]}})
    node = {**row, "version": "v1", "health": {"status": "Degraded"}}
    shown = shapes.with_health(app, {"nodes": [node]})
    assert shown["status"]["resources"] == [{**row, "health": {"status": "Degraded"}}, {**row, "name": "other"}]
    assert "health" not in row
