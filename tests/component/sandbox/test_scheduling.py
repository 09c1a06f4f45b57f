"""Where pods run, in virtual time: the scheduler's sentences, company, spread, importance, volumes, more nodes."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import NodeGroup, NodeSpec, SandboxSettings, StorageClassSpec
from tests.unit.sandbox.driving import PODS, Kube, play, pod_spec, workload

CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims"
NODES = "/api/v1/nodes"
HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def pod(name: str = "one", labels: dict[str, str] | None = None, **spec: Any) -> Any:
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": pod_spec(**spec)}


def asking(**amounts: str) -> Any:
    return {"resources": {"requests": amounts}}


def nodes(*specs: dict[str, Any]) -> SandboxSettings:
    return SandboxSettings(nodes=tuple(NodeSpec(**spec) for spec in specs))


def anti(app: str, key: str = HOST) -> Any:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def near(app: str, key: str = ZONE) -> Any:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


DEV = {"key": "ameide.io/environment", "value": "dev", "effect": "NoSchedule"}
PROD = {"key": "ameide.io/environment", "value": "prod", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("settings", "spec", "message"),
    [
        pytest.param(
            nodes({"name": "a", "taints": (DEV,)}, {"name": "b", "taints": (PROD,)}, {"name": "c", "taints": (DEV,)}),
            {},
            "0/3 nodes are available: 1 node(s) had untolerated taint {ameide.io/environment: prod}, "
            "2 node(s) had untolerated taint {ameide.io/environment: dev}. "
            "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
            id="taints",
        ),
        pytest.param(
            nodes({"name": "a", "cpu": "2"}, {"name": "b", "cpu": "4", "unschedulable": True}),
            {"container": asking(cpu="3")},
            "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
            id="too small and cordoned",
        ),
        pytest.param(
            nodes({"name": "a", "resources": {"nvidia.com/gpu": "1"}}),
            {"container": {"resources": {"limits": {"nvidia.com/gpu": "2"}, "requests": {"nvidia.com/gpu": "2"}}}},
            "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            id="gpu",
        ),
        pytest.param(
            nodes({"name": "a"}),
            {"affinity": near("db")},
            "0/1 nodes are available: 1 node(s) didn't match pod affinity rules. "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            id="no company",
        ),
        pytest.param(
            nodes({"name": "a"}),
            {
                "topologySpreadConstraints": [
                    {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
                ]
            },
            "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label). "
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            id="no zone",
        ),
        pytest.param(
            nodes({"name": "a"}),
            {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "none"}}]},
            '0/1 nodes are available: persistentvolumeclaim "none" not found. '
            "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
            id="no claim",
        ),
    ],
)
def test_a_pod_that_fits_nowhere_says_why_of_every_node(settings: Any, spec: Any, message: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(**spec))
        await kube.clock.sleep(3)
        return await kube.events("Pod"), (await kube.get(f"{PODS}/one"))["status"]["conditions"][0]["reason"]

    assert play(story, settings) == ([("FailedScheduling", message)], "Unschedulable")


def test_full_nodes_name_that_nobody_can_be_sent_away() -> None:
    async def story(kube: Kube) -> Any:
        for name in ("one", "two"):
            await kube.create(PODS, pod(name, container=asking(cpu="2")))
            await kube.clock.sleep(2)
        return (await kube.events("Pod"))[-1]

    assert play(story, nodes({"name": "a", "cpu": "3"})) == (
        "FailedScheduling",
        (
            "0/1 nodes are available: 1 Insufficient cpu. "
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
        ),
    )


def test_pods_that_avoid_one_another_take_one_node_each() -> None:
    async def story(kube: Kube) -> Any:
        for name in ("one", "two", "three"):
            await kube.create(PODS, pod(name, {"app": "web"}, affinity=anti("web")))
        await kube.clock.sleep(3)
        pods = (await kube.get(PODS))["items"]
        told = [event for event in await kube.events("Pod") if event[0] == "FailedScheduling"]
        return sorted(one["spec"].get("nodeName", "") for one in pods), told

    where, told = play(story, nodes({"name": "a"}, {"name": "b"}))
    assert where == ["", "a", "b"]
    assert told == [
        (
            "FailedScheduling",
            (
                "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. "
                "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
            ),
        )
    ]


def test_a_pod_that_wants_no_neighbours_keeps_others_away() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod("lonely", {"app": "lonely"}, affinity=anti("web")))
        await kube.clock.sleep(2)
        await kube.create(PODS, pod("one", {"app": "web"}))
        await kube.clock.sleep(2)
        return [event for event in await kube.events("Pod") if event[0] == "FailedScheduling"]

    assert play(story, nodes({"name": "a"})) == [
        (
            "FailedScheduling",
            (
                "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules. "
                "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
            ),
        )
    ]


def test_a_pod_follows_the_pods_it_wants_to_be_near() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod("db", {"app": "db"}, nodeSelector={ZONE: "two"}))
        await kube.clock.sleep(2)
        await kube.create(PODS, pod("one", {"app": "web"}, affinity=near("db")))
        await kube.clock.sleep(2)
        return (await kube.get(f"{PODS}/one"))["spec"]["nodeName"]

    assert play(story, nodes({"name": "a", "labels": {ZONE: "one"}}, {"name": "b", "labels": {ZONE: "two"}})) == "b"


def test_pods_spread_over_zones() -> None:
    async def story(kube: Kube) -> Any:
        constraint = {
            "maxSkew": 1,
            "topologyKey": ZONE,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
        body = workload("Deployment", "web", replicas=6)
        body["spec"]["template"]["spec"]["topologySpreadConstraints"] = [constraint]
        await kube.create("/apis/apps/v1/namespaces/default/deployments", body)
        await kube.clock.sleep(5)
        pods = (await kube.get(PODS))["items"]
        where = [one["spec"]["nodeName"] for one in pods]
        return {name: where.count(name) for name in ("a", "b", "c")}

    zones = nodes(
        {"name": "a", "labels": {ZONE: "one"}},
        {"name": "b", "labels": {ZONE: "two"}},
        {"name": "c", "labels": {ZONE: "two"}},
    )
    spread = play(story, zones)
    assert (spread["a"], spread["b"] + spread["c"]) == (3, 3)


def test_an_important_pod_sends_a_less_important_one_away() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create("/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": "high"}, "value": 1000})
        await kube.create(PODS, pod("low", container=asking(cpu="2")))
        await kube.clock.sleep(2)
        await kube.create(PODS, pod("one", priorityClassName="high", container=asking(cpu="2")))
        await kube.clock.sleep(3)
        preempted = [event for event in await kube.events("Pod") if event[0] == "Preempted"]
        one = await kube.get(f"{PODS}/one")
        return await kube.names(PODS), one["status"]["phase"], preempted, one["metadata"]["uid"]

    names, phase, preempted, uid = play(story, nodes({"name": "a", "cpu": "3"}))
    assert (names, phase) == (["one"], "Running")
    assert preempted == [("Preempted", f"Preempted by pod {uid} on node a")]


def claim(name: str = "data", **spec: Any) -> Any:
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": name}, "spec": {**asked, **spec}}


def using(*claims: str) -> Any:
    return [{"name": one, "persistentVolumeClaim": {"claimName": one}} for one in claims]


def test_a_volume_does_not_leave_its_zone() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CLAIMS, claim())
        await kube.create(PODS, pod("first", volumes=using("data"), nodeSelector={ZONE: "one"}))
        await kube.clock.sleep(2)
        await kube.delete(f"{PODS}/first")
        await kube.clock.sleep(2)
        await kube.merge(f"{NODES}/a", {"spec": {"unschedulable": True}})
        await kube.create(PODS, pod("one", volumes=using("data")))
        await kube.clock.sleep(2)
        return (await kube.events("Pod"))[-1]

    settings = SandboxSettings(
        nodes=(NodeSpec(name="a", labels={ZONE: "one"}), NodeSpec(name="b", labels={ZONE: "two"})),
        storage_classes=(StorageClassSpec(name="zonal", default=True, topology=ZONE),),
    )
    assert play(story, settings) == (
        "FailedScheduling",
        (
            "0/2 nodes are available: 1 node(s) had volume node affinity conflict, 1 node(s) were unschedulable. "
            "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."
        ),
    )


def test_a_node_takes_only_so_many_volumes() -> None:
    async def story(kube: Kube) -> Any:
        for name in ("x", "y"):
            await kube.create(CLAIMS, claim(name))
        await kube.create(PODS, pod("one", volumes=using("x")))
        await kube.clock.sleep(2)
        await kube.create(PODS, pod("two", volumes=using("y")))
        await kube.clock.sleep(2)
        return (await kube.events("Pod"))[-1]

    assert play(story, nodes({"name": "a", "volume_limit": 1})) == (
        "FailedScheduling",
        (
            "0/1 nodes are available: 1 node(s) exceed max volume count. "
            "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
        ),
    )


def test_a_node_group_grows_for_pods_that_fit_nowhere() -> None:
    async def story(kube: Kube) -> Any:
        for name in ("one", "two"):
            await kube.create(PODS, pod(name, container=asking(cpu="3")))
        await kube.clock.sleep(30)
        before = await kube.names(NODES)
        await kube.until(f"{PODS}/one", lambda obj: obj["status"]["phase"] == "Running")
        await kube.until(f"{PODS}/two", lambda obj: obj["status"]["phase"] == "Running")
        return before, await kube.names(NODES), [one for one in await kube.events("Pod") if "Scale" in one[0]]

    settings = SandboxSettings(
        nodes=(NodeSpec(name="small", cpu="1"),),
        node_groups=(NodeGroup(name="workers", node=NodeSpec(cpu="8"), max=2, delay=45),),
    )
    before, after, events = play(story, settings)
    assert (before, after) == (["small"], ["small", "workers-000000"])
    assert events == [("TriggeredScaleUp", "pod triggered scale-up: [{workers 0->1 (max: 2)}]")]


def test_a_node_group_that_may_not_grow_says_why() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod(container=asking(cpu="3")))
        await kube.clock.sleep(5)
        return [one for one in await kube.events("Pod") if "Scale" in one[0]]

    settings = SandboxSettings(
        nodes=(NodeSpec(name="small", cpu="1"),),
        node_groups=(
            NodeGroup(name="full", node=NodeSpec(cpu="8"), max=0),
            NodeGroup(name="dev", node=NodeSpec(cpu="8", taints=(DEV,))),
            NodeGroup(name="tiny", node=NodeSpec(cpu="2")),
        ),
    )
    assert play(story, settings) == [
        (
            "NotTriggerScaleUp",
            (
                "pod didn't trigger scale-up: 1 Insufficient cpu, 1 max node group size reached, "
                "1 node(s) had untolerated taint {ameide.io/environment: dev}"
            ),
        )
    ]


def test_pods_leave_a_node_that_is_not_ready() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, pod())
        await kube.until(f"{PODS}/one", lambda obj: obj["status"]["phase"] == "Running")
        node = await kube.get(f"{NODES}/a")
        conditions = [
            {**one, "status": "False", "reason": "KubeletNotReady"} if one["type"] == "Ready" else one
            for one in node["status"]["conditions"]
        ]
        await kube.merge(f"{NODES}/a/status", {"status": {"conditions": conditions}})
        await kube.clock.sleep(10)
        tainted = (await kube.get(f"{NODES}/a"))["spec"]["taints"]
        early = await kube.names(PODS)
        await kube.clock.sleep(300)
        return [(one["key"], one["effect"]) for one in tainted], early, await kube.names(PODS), await kube.events("Pod")

    taints, early, late, events = play(story, nodes({"name": "a"}))
    assert taints == [
        ("node.kubernetes.io/not-ready", "NoSchedule"),
        ("node.kubernetes.io/not-ready", "NoExecute"),
    ]
    assert (early, late) == (["one"], [])
    assert ("NodeNotReady", "Node is not ready") in events
    assert ("TaintManagerEviction", "Marking for deletion Pod default/one") in events
