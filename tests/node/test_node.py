"""What every other test on real nodes relies on: pods run, names resolve, Services answer, a node can fail."""

import time
from collections.abc import Callable

from tests.node.cluster import NodeCluster, wait_until_ready
from tests.real import api as client

IMAGE = "registry.example/busybox:1.0"


def eventually(check: Callable[[], bool], what: str, seconds: float = 90.0) -> None:
    """Wait until something holds; fail with what was waited for."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s: {what}"
        time.sleep(0.3)


def test_pods_reach_services_by_name_across_nodes(api: client.Api, namespace: str) -> None:
    serve = "mkdir /www; hostname > /www/index.html; exec httpd -f -p 8080 -h /www"
    labels = {"app": "web"}
    spread = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": labels},
    }
    container = {"name": "web", "image": IMAGE, "command": ["sh", "-c", serve]}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [container], "topologySpreadConstraints": [spread]}}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": pod}
    api.ok("POST", f"/apis/apps/v1/namespaces/{namespace}/deployments", {"metadata": {"name": "web"}, "spec": spec})
    service = {"metadata": {"name": "web"}, "spec": {"selector": labels, "ports": [{"port": 80, "targetPort": 8080}]}}
    api.ok("POST", f"/api/v1/namespaces/{namespace}/services", service)
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/web"
    eventually(lambda: api.ok("GET", path)["status"].get("readyReplicas") == 2, "two replicas on two nodes")

    ask = (
        "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do timeout 5 wget -qO- http://web || exit 1; done"
    )
    client_pod = {
        "metadata": {"name": "client"},
        "spec": {
            "restartPolicy": "Never",
            "containers": [{"name": "client", "image": IMAGE, "command": ["sh", "-c", ask]}],
        },
    }
    api.ok("POST", f"/api/v1/namespaces/{namespace}/pods", client_pod)
    where = f"/api/v1/namespaces/{namespace}/pods/client"
    eventually(lambda: api.ok("GET", where)["status"]["phase"] in ("Succeeded", "Failed"), "the client ended")
    answers = api.request("GET", f"{where}/log")[1]["text"].split()
    assert len(answers) == 20
    assert len(set(answers)) == 2, f"both replicas answer: {set(answers)}"


def test_a_node_that_loses_power_is_not_ready_and_comes_back(nodes: NodeCluster, api: client.Api) -> None:
    def ready() -> str:
        conditions = api.ok("GET", "/api/v1/nodes/node-2")["status"]["conditions"]
        return str(next(condition["status"] for condition in conditions if condition["type"] == "Ready"))

    machine = nodes.machines["node-2"]
    machine.stop()
    eventually(lambda: ready() == "Unknown", "node-2 is lost", 120)
    machine.start()
    eventually(lambda: ready() == "True", "node-2 is back", 120)
    wait_until_ready(nodes)
