"""Claims, volumes, load balancers and ingresses, in virtual time and in the words of their controllers."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import LoadBalancers, NodeSpec, SandboxSettings, StorageClassSpec
from tests.unit.sandbox.driving import PODS, Kube, play, pod_spec

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"
SERVICES = "/api/v1/namespaces/default/services"
INGRESSES = "/apis/networking.k8s.io/v1/namespaces/default/ingresses"
NOW = StorageClassSpec(name="now", default=True, binding_mode="Immediate", provisioner="disk.csi.azure.com")
LATE = StorageClassSpec(name="late", default=True, provisioner="disk.csi.azure.com")
WAITING = (
    "Waiting for a volume to be created either by the external provisioner 'disk.csi.azure.com' or manually by the "
    "system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly "
    "registered."
)


def claim(**spec: Any) -> Any:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}}
    return {"metadata": {"name": "data"}, "spec": {**asked, **spec}}


def user(**spec: Any) -> Any:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    return {"metadata": {"name": "one"}, "spec": pod_spec(volumes=volumes, **spec)}


def volume(**spec: Any) -> Any:
    body = {"capacity": {"storage": "20Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}, **spec}
    return {"metadata": {"name": "static"}, "spec": body}


def test_an_immediate_class_provisions_at_once() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim())
        await kube.clock.sleep(1)
        obj = await kube.get(f"{CLAIMS}/data")
        made = await kube.get(f"{VOLUMES}/{obj['spec']['volumeName']}")
        return obj["status"], made, await kube.events("PersistentVolumeClaim"), obj["metadata"]["uid"]

    status, made, events, uid = play(story, SandboxSettings(storage_classes=(NOW,)))
    assert status == {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "10Gi"}}
    assert (made["metadata"]["name"], made["status"]["phase"]) == (f"pvc-{uid}", "Bound")
    assert events == [
        ("ExternalProvisioning", WAITING),
        ("Provisioning", 'External provisioner is provisioning volume for claim "default/data"'),
        ("ProvisioningSucceeded", f"Successfully provisioned volume pvc-{uid}"),
    ]


def test_a_late_class_waits_for_a_pod_and_then_for_its_node() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim())
        await kube.clock.sleep(1)
        await kube.create(PODS, user(nodeSelector={"disk": "ssd"}))
        await kube.clock.sleep(1)
        events = await kube.events("PersistentVolumeClaim")
        await kube.merge("/api/v1/nodes/sandbox-node", {"metadata": {"labels": {"disk": "ssd"}}})
        await kube.until(f"{CLAIMS}/data", lambda obj: obj["status"]["phase"] == "Bound")
        return events

    assert play(story, SandboxSettings(storage_classes=(LATE,))) == [
        ("WaitForFirstConsumer", "waiting for first consumer to be created before binding"),
        ("WaitForPodScheduled", "waiting for pod one to be scheduled"),
    ]


@pytest.mark.parametrize(
    ("settings", "asked", "event"),
    [
        pytest.param(
            (NOW,),
            {"storageClassName": "gone"},
            ("ProvisioningFailed", 'storageclass.storage.k8s.io "gone" not found'),
            id="no such class",
        ),
        pytest.param(
            (StorageClassSpec(name="full", default=True, binding_mode="Immediate", problem="quota exceeded"),),
            {},
            ("ProvisioningFailed", 'failed to provision volume with StorageClass "full": quota exceeded'),
            id="provisioner fails",
        ),
        pytest.param(
            (),
            {},
            ("FailedBinding", "no persistent volumes available for this claim and no storage class is set"),
            id="no class at all",
        ),
        pytest.param(
            (NOW,),
            {"storageClassName": "", "volumeName": "static", "resources": {"requests": {"storage": "30Gi"}}},
            ("VolumeMismatch", 'Cannot bind to requested volume "static": requested PV is too small'),
            id="too small",
        ),
        pytest.param(
            (NOW,),
            {"storageClassName": "now", "volumeName": "static"},
            ("VolumeMismatch", 'Cannot bind to requested volume "static": storageClassName does not match'),
            id="other class",
        ),
    ],
)
def test_a_claim_that_stays_pending_says_why(settings: Any, asked: Any, event: Any) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(VOLUMES, volume(storageClassName="slow", accessModes=["ReadWriteMany"]))
        if "volumeName" in asked and not asked["storageClassName"]:
            await kube.delete(f"{VOLUMES}/static")
            await kube.clock.sleep(1)  # its protection goes a moment later
            await kube.create(VOLUMES, volume())
        await kube.create(CLAIMS, claim(**asked))
        await kube.clock.sleep(2)
        return (await kube.get(f"{CLAIMS}/data"))["status"]["phase"], (await kube.events("PersistentVolumeClaim"))[-1]

    assert play(story, SandboxSettings(storage_classes=settings)) == ("Pending", event)


def test_an_unbound_immediate_claim_keeps_its_pod_off_all_nodes() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim())
        await kube.create(PODS, user())
        await kube.clock.sleep(3)
        return await kube.events("Pod")

    failing = StorageClassSpec(name="full", default=True, binding_mode="Immediate", problem="quota exceeded")
    assert play(story, SandboxSettings(storage_classes=(failing,))) == [
        (
            "FailedScheduling",
            (
                "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. "
                "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
            ),
        )
    ]


def test_a_claim_takes_the_smallest_volume_that_suits() -> None:
    async def story(kube: Kube) -> Any:
        for name, size in (("big", "50Gi"), ("right", "12Gi"), ("small", "5Gi")):
            body = volume(capacity={"storage": size})
            body["metadata"]["name"] = name
            await kube.create(VOLUMES, body)
        await kube.clock.sleep(1)
        free = (await kube.get(f"{VOLUMES}/big"))["status"]["phase"]
        await kube.create(CLAIMS, claim(storageClassName=""))
        await kube.clock.sleep(1)
        return free, (await kube.get(f"{CLAIMS}/data"))["spec"]["volumeName"]

    assert play(story) == ("Available", "right")


@pytest.mark.parametrize(
    ("policy", "deleted_first", "left"),
    [
        ("Retain", False, ("Bound", "Released")),
        ("Delete", False, ("Bound", None)),
        ("Retain", True, ("Bound", None)),
    ],
)
def test_a_deleted_volume_stays_until_its_claim_is_gone(policy: str, deleted_first: bool, left: Any) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(VOLUMES, volume(persistentVolumeReclaimPolicy=policy))
        await kube.create(CLAIMS, claim(storageClassName=""))
        await kube.clock.sleep(1)
        if deleted_first:
            await kube.delete(f"{VOLUMES}/static")
            await kube.clock.sleep(1)
        bound = (await kube.get(f"{VOLUMES}/static"))["status"]["phase"]
        await kube.delete(f"{CLAIMS}/data")
        await kube.clock.sleep(1)
        after = (await kube.get(VOLUMES))["items"]
        return bound, after[0]["status"]["phase"] if after else None

    assert play(story) == left


def test_a_volume_on_another_node_keeps_a_pod_from_starting_until_it_is_free() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim())
        await kube.create(PODS, user(nodeSelector={"kubernetes.io/hostname": "a"}))
        await kube.until(f"{PODS}/one", lambda obj: obj["status"]["phase"] == "Running")
        other = user(nodeSelector={"kubernetes.io/hostname": "b"})
        other["metadata"]["name"] = "two"
        await kube.create(PODS, other)
        await kube.clock.sleep(5)
        stuck = (await kube.get(f"{PODS}/two"))["status"]["containerStatuses"][0]["state"]
        events, bound = await kube.events("Pod"), (await kube.get(f"{CLAIMS}/data"))["spec"]["volumeName"]
        await kube.delete(f"{PODS}/one")
        await kube.until(f"{PODS}/two", lambda obj: obj["status"]["phase"] == "Running")
        return stuck, events[-1], bound

    stuck, event, bound = play(story, SandboxSettings(nodes=(NodeSpec(name="a"), NodeSpec(name="b"))))
    assert stuck == {"waiting": {"reason": "ContainerCreating"}}
    text = f'Multi-Attach error for volume "{bound}" Volume is already used by pod(s) one'
    assert event == ("FailedAttachVolume", text)


def service(**spec: Any) -> Any:
    ports = [{"port": 80, "targetPort": 8080}]
    return {"metadata": {"name": "web"}, "spec": {"type": "LoadBalancer", "ports": ports, **spec}}


def test_a_load_balancer_gets_an_address_when_the_cloud_has_one() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(SERVICES, service())
        await kube.clock.sleep(5)
        early = (await kube.get(f"{SERVICES}/web"))["status"]["loadBalancer"]
        await kube.clock.sleep(10)
        return early, (await kube.get(f"{SERVICES}/web"))["status"]["loadBalancer"], await kube.events("Service")

    early, late, events = play(story, SandboxSettings(load_balancers=LoadBalancers(delay=10)))
    assert early == {}
    assert [sorted(one) for one in late["ingress"]] == [["ip", "ipMode"]]
    assert events == [
        ("EnsuringLoadBalancer", "Ensuring load balancer"),
        ("EnsuredLoadBalancer", "Ensured load balancer"),
    ]


def test_a_cloud_that_refuses_a_load_balancer_says_why() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(SERVICES, service())
        await kube.clock.sleep(5)
        return (await kube.get(f"{SERVICES}/web"))["status"]["loadBalancer"], (await kube.events("Service"))[-1]

    settings = SandboxSettings(load_balancers=LoadBalancers(problem="PublicIPCountLimitReached"))
    text = "Error syncing load balancer: failed to ensure load balancer: PublicIPCountLimitReached"
    assert play(story, settings) == ({}, ("SyncLoadBalancerFailed", text))


def test_a_cluster_without_load_balancers_leaves_a_service_waiting() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(SERVICES, service())
        await kube.clock.sleep(60)
        return (await kube.get(f"{SERVICES}/web"))["status"]["loadBalancer"], await kube.events("Service")

    assert play(story, SandboxSettings(load_balancers=LoadBalancers(enabled=False))) == ({}, [])


@pytest.mark.parametrize(("name", "served"), [("nginx", True), ("traefik", False)])
def test_an_ingress_of_a_served_class_gets_an_address(name: str, served: bool) -> None:
    async def story(kube: Kube) -> Any:
        backend = {"service": {"name": "web", "port": {"number": 80}}}
        spec = {"ingressClassName": name, "defaultBackend": backend}
        await kube.create(INGRESSES, {"metadata": {"name": "web"}, "spec": spec})
        await kube.clock.sleep(2)
        return (await kube.get(f"{INGRESSES}/web"))["status"]["loadBalancer"], await kube.events("Ingress")

    balancer, events = play(story, SandboxSettings(load_balancers=LoadBalancers(ingress_classes=("nginx",))))
    assert bool(balancer.get("ingress")) is served
    assert events == ([("Sync", "Scheduled for sync")] if served else [])
