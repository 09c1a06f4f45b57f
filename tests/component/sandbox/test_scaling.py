"""Autoscalers of pods, disruption budgets and quotas, in virtual time and in the words of their controllers."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster.settings import SandboxSettings, Usage
from tests.unit.sandbox.driving import DEPLOYMENTS, PODS, REPLICA_SETS, Kube, play, pod_spec, workload

SCALERS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
QUOTAS = "/api/v1/namespaces/default/resourcequotas"


def scaler(*metrics: Any, **spec: Any) -> Any:
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return {
        "metadata": {"name": "web"},
        "spec": {"scaleTargetRef": reference, "minReplicas": 1, "maxReplicas": 5, "metrics": list(metrics), **spec},
    }


def cpu(percent: int) -> Any:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


EXTERNAL = {
    "type": "External",
    "external": {"metric": {"name": "queue"}, "target": {"type": "AverageValue", "averageValue": "10"}},
}


def web(replicas: int = 2, **requests: str) -> Any:
    body = workload("Deployment", "web", replicas=replicas)
    if requests:
        body["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": requests}
    return body


def conditions(obj: Any) -> dict[str, tuple[str, str, str]]:
    return {one["type"]: (one["status"], one["reason"], one["message"]) for one in obj["status"]["conditions"]}


async def settle(kube: Kube, deployment: Any, autoscaler: Any, seconds: float = 20) -> Any:
    if deployment is not None:
        await kube.create(DEPLOYMENTS, deployment)
        await kube.clock.sleep(2)
    await kube.create(SCALERS, autoscaler)
    await kube.clock.sleep(seconds)
    return await kube.get(f"{SCALERS}/web")


ABLE = ("True", "SucceededGetScale", "the HPA controller was able to get the target's current scale")
UNABLE = "the HPA was unable to compute the replica count: "


@pytest.mark.parametrize(
    ("usage", "metric", "replicas", "limited", "reason"),
    [
        pytest.param(
            Usage(percent=90),
            cpu(50),
            4,  # two pods at 90 % where 50 % is wished: ceil(2 × 90 ÷ 50)
            ("False", "DesiredWithinRange", "the desired count is within the acceptable range"),
            "New size: 4; reason: cpu resource utilization (percentage of request) above target",
            id="busy",
        ),
        pytest.param(
            Usage(percent=400),
            cpu(50),
            5,
            ("True", "TooManyReplicas", "the desired replica count is more than the maximum replica count"),
            "New size: 5; reason: cpu resource utilization (percentage of request) above target",
            id="more than allowed",
        ),
        pytest.param(
            Usage(metric="queue", value="35"),
            EXTERNAL,
            4,
            ("False", "DesiredWithinRange", "the desired count is within the acceptable range"),
            "New size: 4; reason: external metric queue above target",
            id="queue",
        ),
    ],
)
def test_busy_pods_get_company(usage: Usage, metric: Any, replicas: int, limited: Any, reason: str) -> None:
    async def story(kube: Kube) -> Any:
        await settle(kube, web(cpu="100m"), scaler(metric), 8)
        first = await kube.get(f"{SCALERS}/web")
        scaled = (await kube.get(f"{DEPLOYMENTS}/web"))["spec"]["replicas"]
        return first, scaled, await kube.events("HorizontalPodAutoscaler")

    first, scaled, events = play(story, SandboxSettings(usage=(usage,)))
    assert scaled == replicas
    assert events == [("SuccessfulRescale", reason)]
    found = conditions(first)
    text = f"the HPA controller was able to update the target scale to {replicas}"
    assert found["AbleToScale"] == ("True", "SucceededRescale", text)
    assert found["ScalingActive"][:2] == ("True", "ValidMetricFound")
    assert found["ScalingLimited"] == limited


def test_idle_pods_go_after_five_minutes() -> None:
    async def story(kube: Kube) -> Any:
        early = await settle(kube, web(3, cpu="100m"), scaler(cpu(50)), 60)
        before = (await kube.get(f"{DEPLOYMENTS}/web"))["spec"]["replicas"]
        await kube.clock.sleep(300)
        return early, before, (await kube.get(f"{DEPLOYMENTS}/web"))["spec"]["replicas"]

    early, before, after = play(story)
    assert (before, after) == (3, 1)
    assert conditions(early)["AbleToScale"] == (
        "True",
        "ScaleDownStabilized",
        "recent recommendations were higher than current one, applying the highest recent recommendation",
    )


@pytest.mark.parametrize(
    ("settings", "deployment", "metric", "found"),
    [
        pytest.param(
            SandboxSettings(),
            None,
            cpu(50),
            {
                "AbleToScale": (
                    "False",
                    "FailedGetScale",
                    (
                        "the HPA controller was unable to get the target's current scale: "
                        'deployments.apps "web" not found'
                    ),
                )
            },
            id="nothing to scale",
        ),
        pytest.param(
            SandboxSettings(metrics_server=False),
            web(cpu="1"),
            cpu(50),
            {
                "AbleToScale": ABLE,
                "ScalingActive": (
                    "False",
                    "FailedGetResourceMetric",
                    (
                        f"{UNABLE}failed to get cpu utilization: unable to get metrics for resource cpu: "
                        "unable to fetch metrics from resource metrics API: "
                        "the server could not find the requested resource "
                        "(get pods.metrics.k8s.io)"
                    ),
                ),
            },
            id="no metrics server",
        ),
        pytest.param(
            SandboxSettings(),
            web(cpu="1"),
            EXTERNAL,
            {
                "AbleToScale": ABLE,
                "ScalingActive": (
                    "False",
                    "FailedGetExternalMetric",
                    (
                        f"{UNABLE}unable to get external metric queue: "
                        "unable to fetch metrics from external metrics API: "
                        "the server could not find the requested resource (get queue.external.metrics.k8s.io)"
                    ),
                ),
            },
            id="no such metric",
        ),
        pytest.param(
            SandboxSettings(),
            web(0, cpu="1"),
            cpu(50),
            {
                "AbleToScale": ABLE,
                "ScalingActive": (
                    "False",
                    "ScalingDisabled",
                    "scaling is disabled since the replica count of the target is zero",
                ),
            },
            id="scaled to zero by hand",
        ),
    ],
)
def test_an_autoscaler_that_cannot_work_says_why(settings: Any, deployment: Any, metric: Any, found: Any) -> None:
    async def story(kube: Kube) -> Any:
        return conditions(await settle(kube, deployment, scaler(metric)))

    assert play(story, settings) == found


def test_pods_without_requests_have_no_utilization() -> None:
    async def story(kube: Kube) -> Any:
        obj = await settle(kube, web(1), scaler(cpu(50)))
        return conditions(obj)["ScalingActive"], (await kube.names(PODS))[0]

    active, name = play(story)
    text = f"{UNABLE}failed to get cpu utilization: missing request for cpu in container app of Pod {name}"
    assert active == ("False", "FailedGetResourceMetric", text)


@pytest.mark.parametrize(
    ("spec", "numbers", "condition"),
    [
        ({"minAvailable": 2}, (3, 2, 1, 3), ("True", "SufficientPods")),
        ({"minAvailable": 3}, (3, 3, 0, 3), ("False", "InsufficientPods")),
        ({"minAvailable": "50%"}, (3, 2, 1, 3), ("True", "SufficientPods")),
        ({"maxUnavailable": 1}, (3, 2, 1, 3), ("True", "SufficientPods")),
        ({"maxUnavailable": "67%"}, (3, 0, 3, 3), ("True", "SufficientPods")),
    ],
)
def test_a_budget_counts_what_may_go(spec: Any, numbers: Any, condition: Any) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, web(3))
        selector = {"matchLabels": {"app": "web"}}
        await kube.create(BUDGETS, {"metadata": {"name": "web"}, "spec": {"selector": selector, **spec}})
        await kube.clock.sleep(5)
        return (await kube.get(f"{BUDGETS}/web"))["status"]

    status = play(story)
    names = ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods")
    assert tuple(status[name] for name in names) == numbers
    (found,) = status["conditions"]
    assert (found["type"], found["status"], found["reason"]) == ("DisruptionAllowed", *condition)


def test_a_quota_shows_what_is_used_and_keeps_pods_out_until_there_is_room() -> None:
    async def story(kube: Kube) -> Any:
        hard = {"pods": "2", "requests.cpu": "1", "count/deployments.apps": "5"}
        await kube.create(QUOTAS, {"metadata": {"name": "small"}, "spec": {"hard": hard}})
        await kube.clock.sleep(1)
        await kube.create(DEPLOYMENTS, web(3, cpu="250m"))
        await kube.clock.sleep(5)
        used = (await kube.get(f"{QUOTAS}/small"))["status"]["used"]
        told = [event for event in await kube.events("ReplicaSet") if event[0] == "FailedCreate"]
        deployment = await kube.get(f"{DEPLOYMENTS}/web")
        await kube.merge(f"{QUOTAS}/small", {"spec": {"hard": {"pods": "4"}}})
        await kube.clock.sleep(10)
        return used, told, conditions(deployment), len(await kube.names(PODS)), await kube.names(REPLICA_SETS)

    used, told, found, pods, (owner,) = play(story)
    assert used == {"count/deployments.apps": "1", "pods": "2", "requests.cpu": "500m"}
    assert told[0][1].startswith(f'Error creating: pods "{owner}-')
    assert told[0][1].endswith("is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2")
    assert found["ReplicaFailure"][:2] == ("True", "FailedCreate")
    assert pods == 3


def test_a_quota_gives_back_what_is_deleted() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(QUOTAS, {"metadata": {"name": "small"}, "spec": {"hard": {"pods": "2"}}})
        await kube.create(PODS, {"metadata": {"name": "one"}, "spec": pod_spec()})
        await kube.clock.sleep(2)
        before = (await kube.get(f"{QUOTAS}/small"))["status"]["used"]
        await kube.delete(f"{PODS}/one")
        await kube.clock.sleep(2)
        return before, (await kube.get(f"{QUOTAS}/small"))["status"]["used"]

    assert play(story) == ({"pods": "1"}, {"pods": "0"})
