"""What pods and nodes use is said once, in the cluster file: `kubectl top` and autoscalers read the same."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import SandboxSettings, Usage
from tests.unit.sandbox.driving import DEPLOYMENTS, PODS, Kube, Refused, play, workload

METRICS = "/apis/metrics.k8s.io/v1beta1"
SCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
ENDPOINTS = "/api/v1/namespaces/default/endpoints"
SERVICES = "/api/v1/namespaces/default/services"
SETTINGS = SandboxSettings(
    usage=(Usage(name="web", metric="cpu", percent=80), Usage(name="web", metric="memory", value="200Mi"))
)


def asking(replicas: int) -> dict[str, Any]:
    """Return a Deployment whose pods ask for half a processor."""
    made = workload(replicas=replicas)
    made["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "500m"}}
    return made


async def running(kube: Kube, replicas: int = 2) -> None:
    await kube.create(DEPLOYMENTS, asking(replicas))
    await kube.until(f"{DEPLOYMENTS}/web", lambda obj: (obj.get("status") or {}).get("readyReplicas") == replicas)


def test_pods_and_nodes_use_what_the_cluster_file_says() -> None:
    async def story(kube: Kube) -> Any:
        await running(kube)
        await kube.create(PODS, {"metadata": {"name": "idle"}, "spec": {"containers": [{"name": "a", "image": "x"}]}})
        await kube.until(f"{PODS}/idle", lambda obj: (obj.get("status") or {}).get("phase") == "Running")
        pods = (await kube.get(f"{METRICS}/namespaces/default/pods"))["items"]
        chosen = await kube.names(f"{METRICS}/pods", labelSelector="app=web")
        return pods, len(chosen), (await kube.get(f"{METRICS}/nodes/sandbox-node"))["usage"]

    pods, chosen, node = play(story, SETTINGS)
    used = [pod["containers"][0]["usage"] for pod in pods]
    assert used == [{"cpu": "0", "memory": "0Ki"}, *[{"cpu": "400000000n", "memory": "204800Ki"}] * 2]
    assert chosen == 2
    assert node == {"cpu": "800000000n", "memory": "409600Ki"}


def test_an_autoscaler_sees_the_same_usage() -> None:
    async def story(kube: Kube) -> Any:
        await running(kube)
        target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
        metric = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
        spec = {"scaleTargetRef": target, "maxReplicas": 9, "metrics": [{"type": "Resource", "resource": metric}]}
        await kube.create(SCALERS, {"metadata": {"name": "web"}, "spec": spec})
        scaled = await kube.until(f"{SCALERS}/web", lambda obj: (obj.get("status") or {}).get("desiredReplicas") == 4)
        used = (await kube.get(f"{METRICS}/namespaces/default/pods"))["items"][0]["containers"][0]["usage"]["cpu"]
        return scaled["status"]["currentMetrics"][0]["resource"]["current"]["averageValue"], used

    assert play(story, SETTINGS) == ("400m", "400000000n")


def test_without_a_metrics_server_there_is_no_such_group() -> None:
    async def story(kube: Kube) -> Any:
        with pytest.raises(Refused) as refused:
            await kube.get(f"{METRICS}/nodes")
        return refused.value.code, refused.value.status

    assert play(story, SandboxSettings(metrics_server=False)) == (404, "404 page not found\n")


def test_endpoints_show_what_slices_show_and_go_with_their_service() -> None:
    async def story(kube: Kube) -> Any:
        await running(kube, replicas=1)
        ports = [{"name": "http", "port": 80, "targetPort": 8080}]
        spec = {"selector": {"app": "web"}, "ports": ports}
        await kube.create(SERVICES, {"metadata": {"name": "web", "labels": {"team": "a"}}, "spec": spec})
        shown = await kube.until(f"{ENDPOINTS}/web", lambda obj: bool(obj.get("subsets")))
        pod = (await kube.get(PODS))["items"][0]
        await kube.delete(f"{SERVICES}/web")
        await kube.clock.sleep(1)
        return shown, pod, await kube.names(ENDPOINTS)

    shown, pod, left = play(story)
    (subset,) = shown["subsets"]
    assert [one["ip"] for one in subset["addresses"]] == [pod["status"]["podIP"]]
    assert subset["addresses"][0]["targetRef"]["uid"] == pod["metadata"]["uid"]
    assert subset["ports"] == [{"name": "http", "port": 8080, "protocol": "TCP"}]
    assert shown["metadata"]["labels"] == {"team": "a", "endpoints.kubernetes.io/managed-by": "endpoint-controller"}
    assert left == []
