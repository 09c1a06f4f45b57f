"""Deleting: finalizers, preconditions, dependents, namespaces."""

from typing import Any

import pytest

from tests.unit.sandbox.driving import CONFIG_MAPS, DEPLOYMENTS, PODS, REPLICA_SETS, Kube, config_map, play, workload


def owned_by(owner: Any, name: str, *, blocking: bool = True) -> Any:
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": blocking,
    }
    return config_map(name, metadata={"ownerReferences": [reference]})


def test_a_finalizer_holds_an_object_until_it_is_removed() -> None:
    async def story(kube: Kube) -> Any:
        path = f"{CONFIG_MAPS}/settings"
        await kube.create(CONFIG_MAPS, config_map(metadata={"finalizers": ["example.io/wait"]}))
        marked = await kube.delete(path)
        again = await kube.delete(path)
        await kube.merge(path, {"metadata": {"finalizers": None}})
        return marked, again, await kube.refusal("GET", path)

    marked, again, gone = play(story)
    assert marked["metadata"]["deletionTimestamp"] == "2030-01-01T00:00:00Z"
    assert again["metadata"]["resourceVersion"] == marked["metadata"]["resourceVersion"]
    assert gone[0] == 404


@pytest.mark.parametrize(
    ("preconditions", "text"),
    [
        ({"uid": "x"}, "the UID in the precondition (x) does not match the UID in record"),
        ({"resourceVersion": "1"}, "the ResourceVersion in the precondition (1) does not match"),
    ],
)
def test_preconditions_must_hold(preconditions: Any, text: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(CONFIG_MAPS, config_map())
        return await kube.refusal("DELETE", f"{CONFIG_MAPS}/settings", {"preconditions": preconditions})

    code, reason, message = play(story)
    assert (code, reason) == (409, "Conflict")
    assert text in message


@pytest.mark.parametrize(
    ("policy", "at_once", "in_the_end"),
    [
        ("Background", ["child"], []),
        ("Foreground", ["child", "owner"], []),
        ("Orphan", ["child", "owner"], ["child"]),
    ],
)
def test_propagation_decides_what_happens_to_dependents(policy: str, at_once: list[str], in_the_end: list[str]) -> None:
    async def story(kube: Kube) -> Any:
        owner = await kube.create(CONFIG_MAPS, config_map("owner"))
        await kube.create(CONFIG_MAPS, owned_by(owner, "child"))
        await kube.sandbox.settled()
        backend = kube.sandbox.backend
        kube.sandbox.handle(
            "DELETE",
            f"{CONFIG_MAPS}/owner?propagationPolicy={policy}",
            {},
            b"",
            kube.transport._user,
        )
        resource = backend.resource("", "ConfigMap")
        first = [row.place.name for row in backend.store.rows(resource.bucket, "default")]
        await kube.clock.sleep(1)
        last = (await kube.get(CONFIG_MAPS))["items"]
        return first, last

    first, last = play(story)
    assert [name for name in first if name != "kube-root-ca.crt"] == at_once
    left = [item for item in last if item["metadata"]["name"] != "kube-root-ca.crt"]
    assert [item["metadata"]["name"] for item in left] == in_the_end
    assert all("ownerReferences" not in item["metadata"] for item in left)


def test_an_object_whose_owner_never_existed_is_collected() -> None:
    async def story(kube: Kube) -> Any:
        ghost = {"metadata": {"name": "ghost", "uid": "00000000-0000-4000-8000-000000000000"}}
        await kube.create(CONFIG_MAPS, owned_by(ghost, "child"))
        await kube.clock.sleep(1)
        return await kube.names(CONFIG_MAPS)

    assert play(story) == ["kube-root-ca.crt"]


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_deleting_a_deployment_takes_its_sets_and_pods(policy: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=2))
        await kube.until(f"{DEPLOYMENTS}/web", lambda obj: obj["status"].get("readyReplicas") == 2)
        await kube.delete(f"{DEPLOYMENTS}/web", propagationPolicy=policy)
        await kube.clock.sleep(5)
        return [await kube.names(path) for path in (DEPLOYMENTS, REPLICA_SETS, PODS)]

    assert play(story) == [[], [], []]


def test_a_deleted_namespace_empties_itself_and_takes_nothing_new() -> None:
    async def story(kube: Kube) -> Any:
        inside = "/api/v1/namespaces/team/configmaps"
        await kube.create("/api/v1/namespaces", {"metadata": {"name": "team"}})
        await kube.create(inside, config_map("held", metadata={"finalizers": ["example.io/wait"]}))
        await kube.sandbox.settled()
        await kube.delete("/api/v1/namespaces/team")
        await kube.clock.sleep(1)
        refused = await kube.refusal("POST", inside, config_map("late"))
        waiting = await kube.get("/api/v1/namespaces/team")
        await kube.merge(f"{inside}/held", {"metadata": {"finalizers": None}})
        await kube.clock.sleep(1)
        return refused, waiting, await kube.refusal("GET", "/api/v1/namespaces/team")

    refused, waiting, gone = play(story)
    assert refused == (
        403,
        "Forbidden",
        'configmaps "late" is forbidden: unable to create new content in namespace team because it is being terminated',
    )
    assert waiting["status"]["phase"] == "Terminating"
    told = {one["type"]: one["message"] for one in waiting["status"]["conditions"]}
    assert told["NamespaceContentRemaining"] == ("Some resources are remaining: configmaps. has 1 resource instances")
    assert told["NamespaceFinalizersRemaining"] == (
        "Some content in the namespace has finalizers remaining: example.io/wait in 1 resource instances"
    )
    assert gone[0] == 404
