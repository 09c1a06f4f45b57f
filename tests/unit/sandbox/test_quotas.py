"""Quotas in a living namespace: full, freed by deletion, and counted for workloads' pods."""

from typing import Any

from tests.unit.sandbox.driving import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    PODS,
    REPLICA_SETS,
    Kube,
    config_map,
    play,
    pod_spec,
    workload,
)

QUOTAS = "/api/v1/namespaces/default/resourcequotas"


def quota(**hard: str) -> dict[str, Any]:
    return {"metadata": {"name": "q"}, "spec": {"hard": hard}}


def test_what_is_deleted_makes_room() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(QUOTAS, quota(configmaps="2"))
        await kube.until(f"{QUOTAS}/q", lambda obj: obj["status"].get("used") == {"configmaps": "1"})
        await kube.create(CONFIG_MAPS, config_map("a"))
        refused = await kube.refusal("POST", CONFIG_MAPS, config_map("b"))
        await kube.delete(f"{CONFIG_MAPS}/a")
        await kube.until(f"{QUOTAS}/q", lambda obj: obj["status"]["used"] == {"configmaps": "1"})
        await kube.create(CONFIG_MAPS, config_map("b"))
        return refused

    told = "exceeded quota: q, requested: configmaps=1, used: configmaps=2, limited: configmaps=2"
    assert play(story) == (403, "Forbidden", f'configmaps "b" is forbidden: {told}')


def test_a_workload_gets_as_many_pods_as_there_is_room_for() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(QUOTAS, quota(pods="2"))
        await kube.until(f"{QUOTAS}/q", lambda obj: obj["status"].get("used") == {"pods": "0"})
        await kube.create(DEPLOYMENTS, workload(replicas=3))
        await kube.until(f"{DEPLOYMENTS}/web", lambda obj: obj["status"].get("readyReplicas") == 2)
        sets = (await kube.get(REPLICA_SETS))["items"]
        failed = [one["reason"] for one in sets[0]["status"].get("conditions") or () if one["type"] == "ReplicaFailure"]
        return len(await kube.names(PODS)), failed

    assert play(story) == (2, ["FailedCreate"])


def test_amounts_that_nobody_named_come_from_the_limit_range() -> None:
    async def story(kube: Kube) -> Any:
        item = {"type": "Container", "default": {"cpu": "200m"}, "defaultRequest": {"cpu": "100m"}}
        ranges = "/api/v1/namespaces/default/limitranges"
        await kube.create(ranges, {"metadata": {"name": "l"}, "spec": {"limits": [item]}})
        await kube.create(QUOTAS, quota(**{"requests.cpu": "150m"}))
        await kube.until(f"{QUOTAS}/q", lambda obj: obj["status"].get("used") == {"requests.cpu": "0"})
        await kube.create(PODS, {"metadata": {"name": "a"}, "spec": pod_spec()})
        return await kube.refusal("POST", PODS, {"metadata": {"name": "b"}, "spec": pod_spec()})

    told = "exceeded quota: q, requested: requests.cpu=100m, used: requests.cpu=100m, limited: requests.cpu=150m"
    assert play(story) == (403, "Forbidden", f'pods "b" is forbidden: {told}')
