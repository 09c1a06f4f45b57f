"""The client against the embedded cluster: every call of the port, through the transport port."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import GroupKind
from syncline.ports.kube import ApiError, ApiResource, EventType
from syncline.sandbox.server import Sandbox
from tests.support.clocks import LoopClock, SeededIds


@pytest.fixture
async def kube() -> AsyncIterator[KubeCluster]:
    sandbox = Sandbox(LoopClock(), SeededIds())
    await sandbox.start()
    yield KubeCluster(sandbox.transport())
    await sandbox.stop()


async def kind(kube: KubeCluster, name: str, group: str = "") -> ApiResource:
    found = (await kube.discover()).find(GroupKind(group, name))
    assert found is not None
    return found


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": data,
    }


async def test_discovery_knows_kinds_and_scopes(kube: KubeCluster) -> None:
    found = await kube.discover()
    assert found.failed == {}
    assert found.version.startswith("v1.")
    deployments = found.find(GroupKind("apps", "Deployment"))
    assert deployments is not None
    assert (deployments.plural, deployments.namespaced, deployments.gvk.version) == ("deployments", True, "v1")
    assert {"get", "list", "watch", "patch", "create", "delete"} <= deployments.verbs
    namespaces = found.find(GroupKind("", "Namespace"))
    assert namespaces is not None
    assert not namespaces.namespaced


async def test_an_object_through_its_whole_life(kube: KubeCluster) -> None:
    maps = await kind(kube, "ConfigMap")
    assert await kube.get(maps, "default", "settings") is None
    dry = await kube.create(maps, config_map("settings", a="1"), manager="m", dry_run=True)
    assert dry["data"] == {"a": "1"}
    assert await kube.get(maps, "default", "settings") is None
    created = await kube.create(maps, config_map("settings", a="1"), manager="m")
    with pytest.raises(ApiError) as caught:
        await kube.create(maps, config_map("settings"), manager="m")
    assert (caught.value.code, caught.value.reason) == (409, "AlreadyExists")
    applied = await kube.apply(maps, config_map("settings", b="2"), manager="applier")
    assert applied["data"] == {"a": "1", "b": "2"}
    with pytest.raises(ApiError) as caught:
        await kube.apply(maps, config_map("settings", a="9"), manager="applier", force=False)
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    merged = await kube.patch(maps, "default", "settings", {"data": {"a": None}}, manager="m")
    assert merged["data"] == {"b": "2"}
    operations = [{"op": "add", "path": "/data/c", "value": "3"}]
    patched = await kube.patch(maps, "default", "settings", operations, kind="json", manager="m")
    assert patched["data"] == {"b": "2", "c": "3"}
    replaced = await kube.replace(maps, {**patched, "data": {"d": "4"}}, manager="m")
    assert replaced["data"] == {"d": "4"}
    with pytest.raises(ApiError) as caught:
        await kube.replace(maps, {**created, "data": {}}, manager="m")
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    with pytest.raises(ApiError) as caught:
        await kube.delete(maps, "default", "settings", uid="another")
    assert (caught.value.code, caught.value.reason) == (409, "Conflict")
    await kube.delete(maps, "default", "settings", uid=created["metadata"]["uid"], propagation="Background")
    assert await kube.get(maps, "default", "settings") is None
    await kube.delete(maps, "default", "settings")


async def test_a_list_of_several_pages_is_whole(kube: KubeCluster) -> None:
    maps = await kind(kube, "ConfigMap")
    names = [f"m-{number:04}" for number in range(1001)]
    for name in names:
        await kube.create(maps, config_map(name), manager="m")
    listed = await kube.list(maps, namespace="default")
    found = [item["metadata"]["name"] for item in listed.items]
    assert [name for name in found if name.startswith("m-")] == names
    assert {(item["apiVersion"], item["kind"]) for item in listed.items} == {("v1", "ConfigMap")}


async def test_a_watch_continues_where_the_list_ended(kube: KubeCluster) -> None:
    maps = await kind(kube, "ConfigMap")
    listed = await kube.list(maps)
    events = kube.watch(maps, resource_version=listed.resource_version, namespace="default")
    await kube.create(maps, config_map("a", x="1"), manager="m")
    await kube.patch(maps, "default", "a", {"data": {"x": "2"}}, manager="m")
    await kube.delete(maps, "default", "a", propagation="Background")
    async with asyncio.timeout(50), aclosing(events):
        seen = [await anext(events) for _ in range(3)]
    assert [(event.type, event.obj["data"]) for event in seen] == [
        (EventType.ADDED, {"x": "1"}),
        (EventType.MODIFIED, {"x": "2"}),
        (EventType.DELETED, {"x": "2"}),
    ]
