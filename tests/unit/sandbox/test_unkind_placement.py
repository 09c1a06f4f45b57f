"""Pods that no real cluster would run are not run: no node, no driver, no device, no scheduler, no port."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import NodeSpec, SandboxSettings
from tests.unit.sandbox.driving import PODS, Kube, play, pod_spec, workload

TWO_NODES = SandboxSettings(nodes=(NodeSpec(name="n1"), NodeSpec(name="n2")))
CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
DRIVER = "secrets-store.csi.k8s.io"


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": pod_spec(**spec)}


async def phase(kube: Kube, name: str, after: float = 20) -> str:
    await kube.clock.sleep(after)
    return str((await kube.get(f"{PODS}/{name}"))["status"]["phase"])


def test_a_pod_for_a_node_that_does_not_exist_stays_pending() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod("p", nodeName="nowhere"))
        return await phase(kube, "p"), await kube.events("Pod")

    assert play(story) == ("Pending", [])


def test_a_pod_of_another_scheduler_waits_until_that_one_runs() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod("p", schedulerName="volcano"))
        before = await phase(kube, "p")
        await kube.create(PODS, pod("volcano-scheduler-0"))
        return before, await phase(kube, "p")

    assert play(story) == ("Pending", "Running")


def test_a_claim_for_one_pod_keeps_a_second_one_pending_on_the_same_node() -> None:
    async def story(kube: Kube) -> Any:
        claim = {"accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": "1Gi"}}}
        await kube.create(
            CLAIMS, {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "d"}, "spec": claim}
        )
        volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]
        await kube.create(PODS, pod("one", volumes=volumes))
        first = await phase(kube, "one")
        await kube.create(PODS, pod("two", volumes=volumes))
        waiting = await phase(kube, "two"), (await kube.events("Pod"))[-1]
        await kube.delete(f"{PODS}/one")
        return first, waiting, await phase(kube, "two", after=60)

    first, (second, event), after = play(story)
    assert (first, second, after) == ("Running", "Pending", "Running")
    assert event == (
        "FailedScheduling",
        (
            "0/1 nodes are available: 1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
            "mode already in-use by another pod. preemption: 0/1 nodes are available: 1 No preemption victims found "
            "for incoming pod."
        ),
    )


def test_a_volume_of_a_driver_that_is_not_installed_is_not_mounted_until_it_is() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod("p", volumes=[{"name": "s", "csi": {"driver": DRIVER, "readOnly": True}}]))
        before, event = await phase(kube, "p"), (await kube.events("Pod"))[-1]
        spec = {"volumeLifecycleModes": ["Ephemeral"]}
        driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": spec}
        await kube.create("/apis/storage.k8s.io/v1/csidrivers", driver)
        return before, event, await phase(kube, "p")

    before, event, after = play(story)
    assert (before, after) == ("Pending", "Running")
    assert event == (
        "FailedMount",
        (
            f'MountVolume.SetUp failed for volume "s" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: '
            f"driver name {DRIVER} not found in the list of registered CSI drivers"
        ),
    )


@pytest.mark.parametrize(
    ("spec", "source", "told"),
    [
        # Where a driver does not say so, it mounts persistent volumes alone.
        ({}, {}, f'volume mode "Ephemeral" not supported by driver {DRIVER} (only supports ["Persistent"])'),
        (
            {"volumeLifecycleModes": ["Ephemeral"]},
            {"nodePublishSecretRef": {"name": "key"}},
            'failed to find the secret key in the namespace default with error: secrets "key" not found',
        ),
    ],
)
def test_a_driver_that_cannot_mount_what_a_pod_brings_says_why(spec: Any, source: Any, told: str) -> None:
    async def story(kube: Kube) -> Any:
        driver = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": DRIVER}, "spec": spec}
        await kube.create("/apis/storage.k8s.io/v1/csidrivers", driver)
        await kube.create(PODS, pod("p", volumes=[{"name": "s", "csi": {"driver": DRIVER, **source}}]))
        return await phase(kube, "p"), (await kube.events("Pod"))[-1]

    seen, (reason, message) = play(story)
    assert (seen, reason) == ("Pending", "FailedMount")
    assert message.endswith(told)


def test_a_pod_that_asks_for_devices_finds_none() -> None:
    async def story(kube: Kube) -> Any:
        container = {"resources": {"claims": [{"name": "gpu"}]}}
        claims = [{"name": "gpu", "resourceClaimName": "gpu"}]
        await kube.create(PODS, pod("p", container=container, resourceClaims=claims))
        return await phase(kube, "p"), (await kube.events("Pod"))[-1][0]

    assert play(story, TWO_NODES) == ("Pending", "FailedScheduling")


def test_a_pod_ends_with_its_deadline() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod("p", activeDeadlineSeconds=8))
        before = await phase(kube, "p", after=5)
        await kube.clock.sleep(10)
        return before, (await kube.get(f"{PODS}/p"))["status"], await kube.events("Pod")

    before, status, events = play(story)
    text = "Pod was active on the node longer than the specified deadline"
    assert before == "Running"
    assert (status["phase"], status["reason"], status["message"]) == ("Failed", "DeadlineExceeded", text)
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
    assert events[-1] == ("DeadlineExceeded", text)


def test_a_service_whose_port_has_a_name_that_no_pod_knows_gets_no_endpoints() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create("/apis/apps/v1/namespaces/default/deployments", workload())
        spec = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http"}]}
        body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": spec}
        await kube.create("/api/v1/namespaces/default/services", body)
        await kube.clock.sleep(20)
        slices = (await kube.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"))["items"]
        return slices[0], await kube.get("/api/v1/namespaces/default/endpoints/web")

    one, endpoints = play(story)
    assert (len(one["endpoints"]), one["ports"], endpoints.get("subsets") or []) == (1, [], [])
