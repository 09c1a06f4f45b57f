"""Every write says who writes, where, and under which condition."""

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.ports.kube import ApiError
from tests.unit.kube_client.scripted import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    SECRETS,
    Scripted,
    config_map,
    json,
    refusal,
)

OBJ = config_map("settings", data={"a": "1"})
PATH = "/api/v1/namespaces/shop/configmaps"
Call = Callable[[KubeCluster], Awaitable[Any]]


def patch(kind: Any, body: Any) -> Call:
    return lambda kube: kube.patch(CONFIG_MAPS, "shop", "settings", body, kind=kind, manager="m", dry_run=True)


@pytest.mark.parametrize(
    ("call", "method", "path", "query", "content_type", "body"),
    [
        (
            lambda kube: kube.create(CONFIG_MAPS, OBJ, manager="m"),
            "POST",
            PATH,
            {"fieldManager": "m"},
            "application/json",
            OBJ,
        ),
        (
            lambda kube: kube.apply(CONFIG_MAPS, OBJ, manager="m", dry_run=True),
            "PATCH",
            f"{PATH}/settings",
            {"fieldManager": "m", "dryRun": "All", "force": "true"},
            "application/apply-patch+yaml",
            OBJ,
        ),
        (
            lambda kube: kube.apply(CONFIG_MAPS, OBJ, manager="m", force=False),
            "PATCH",
            f"{PATH}/settings",
            {"fieldManager": "m", "force": "false"},
            "application/apply-patch+yaml",
            OBJ,
        ),
        (
            lambda kube: kube.replace(CONFIG_MAPS, OBJ, manager="m"),
            "PUT",
            f"{PATH}/settings",
            {"fieldManager": "m"},
            "application/json",
            OBJ,
        ),
        (
            patch("merge", {"data": None}),
            "PATCH",
            f"{PATH}/settings",
            {"fieldManager": "m", "dryRun": "All"},
            "application/merge-patch+json",
            {"data": None},
        ),
        (
            patch("json", [{"op": "remove", "path": "/data"}]),
            "PATCH",
            f"{PATH}/settings",
            {"fieldManager": "m", "dryRun": "All"},
            "application/json-patch+json",
            [{"op": "remove", "path": "/data"}],
        ),
        (
            patch("strategic", {"data": {"b": "2"}}),
            "PATCH",
            f"{PATH}/settings",
            {"fieldManager": "m", "dryRun": "All"},
            "application/strategic-merge-patch+json",
            {"data": {"b": "2"}},
        ),
    ],
)
async def test_writes_as_requests(
    call: Call, method: str, path: str, query: dict[str, str], content_type: str, body: Any
) -> None:
    stored = {**OBJ, "metadata": {**OBJ["metadata"], "uid": "u"}}
    transport = Scripted(json(stored))
    assert await call(KubeCluster(transport)) == stored
    assert transport.asked() == [(method, path, query)]
    assert transport.requests[0].headers["Content-Type"] == content_type
    assert orjson.loads(transport.requests[0].body) == body
    assert transport.timeouts == [60.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda kube: kube.create(CONFIG_MAPS, OBJ, manager="m", validation="Strict"),
        lambda kube: kube.apply(CONFIG_MAPS, OBJ, manager="m", validation="Strict"),
        lambda kube: kube.replace(CONFIG_MAPS, OBJ, manager="m", validation="Strict"),
        lambda kube: kube.patch(CONFIG_MAPS, "shop", "settings", {}, manager="m", validation="Strict"),
    ],
    ids=["create", "apply", "replace", "patch"],
)
async def test_how_strictly_fields_are_looked_at_can_be_asked_for(call: Call) -> None:
    transport = Scripted(json(OBJ))
    await call(KubeCluster(transport))
    assert transport.asked()[0][2]["fieldValidation"] == "Strict"


@pytest.mark.parametrize(
    ("conditions", "options"),
    [
        ({}, {"propagationPolicy": "Foreground"}),
        ({"propagation": "Orphan"}, {"propagationPolicy": "Orphan"}),
        ({"uid": "u"}, {"propagationPolicy": "Foreground", "preconditions": {"uid": "u"}}),
        (
            {"uid": "u", "resource_version": "8"},
            {"propagationPolicy": "Foreground", "preconditions": {"uid": "u", "resourceVersion": "8"}},
        ),
    ],
)
async def test_deletes_carry_their_conditions(conditions: dict[str, str], options: dict[str, Any]) -> None:
    transport = Scripted(json({"kind": "Status", "status": "Success"}))
    await KubeCluster(transport).delete(DEPLOYMENTS, "shop", "web", **conditions)
    assert transport.asked() == [("DELETE", "/apis/apps/v1/namespaces/shop/deployments/web", {})]
    sent = orjson.loads(transport.requests[0].body)
    assert sent == {"apiVersion": "v1", "kind": "DeleteOptions", **options}


async def test_deleting_what_is_gone_is_fine() -> None:
    transport = Scripted(refusal(404, "NotFound", 'namespaces "x" not found'))
    await KubeCluster(transport).delete(NAMESPACES, "", "x")
    assert transport.asked() == [("DELETE", "/api/v1/namespaces/x", {})]


async def test_deleting_another_object_of_the_same_name_is_a_conflict() -> None:
    transport = Scripted(refusal(409, "Conflict", "the UID in the precondition does not match"))
    with pytest.raises(ApiError) as caught:
        await KubeCluster(transport).delete(NAMESPACES, "", "x", uid="old")
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")


async def test_an_object_that_is_not_there_reads_as_none() -> None:
    transport = Scripted(refusal(404, "NotFound", 'configmaps "x" not found'), json({"metadata": {}}))
    kube = KubeCluster(transport)
    assert await kube.get(CONFIG_MAPS, "shop", "x") is None
    assert await kube.get(CONFIG_MAPS, "shop", "system:x") == {
        "metadata": {},
        "apiVersion": "v1",
        "kind": "ConfigMap",
    }
    assert [path for _, path, _ in transport.asked()] == [f"{PATH}/x", f"{PATH}/system:x"]


@pytest.mark.parametrize("name", ["../pods/x", "..", ".", "a/b", "a%2fb"])
@pytest.mark.parametrize("resource", [CONFIG_MAPS, SECRETS])
async def test_a_name_that_leads_elsewhere_never_becomes_a_request(name: str, resource: Any) -> None:
    transport = Scripted()
    kube = KubeCluster(transport)
    obj = {"metadata": {"name": name, "namespace": "shop"}}
    calls: list[Call] = [
        lambda kube: kube.get(resource, "shop", name),
        lambda kube: kube.get(resource, name, "x"),
        lambda kube: kube.create(resource, obj, manager="m"),
        lambda kube: kube.apply(resource, obj, manager="m"),
        lambda kube: kube.delete(resource, "shop", name),
        lambda kube: kube.list(resource, namespace=name),
    ]
    for call in calls:
        with pytest.raises(ApiError) as caught:
            await call(kube)
        assert caught.value.reason == "Invalid"
    assert transport.requests == []


async def test_a_namespaced_object_without_namespace_is_refused_before_it_is_sent() -> None:
    with pytest.raises(ApiError, match=r"metadata\.namespace: Required value"):
        await KubeCluster(Scripted()).create(CONFIG_MAPS, {"metadata": {"name": "x"}}, manager="m")
