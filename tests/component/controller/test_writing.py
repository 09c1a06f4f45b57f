"""The ways of getting an object into a cluster, one by one, on the sandbox."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.controller.deliver.writing import ObjectWriter, WrittenObject
from syncline.model.names import LAST_APPLIED
from syncline.model.plan import ApplyMethod, Method, Phase, Task, TaskAction
from syncline.ports.kube import ApiError
from tests.support.loops.simulated import run_simulated
from tests.support.objects import config_map, crd, deployment, node_for, obj
from tests.support.world import SandboxBed

MANAGER = "argocd-controller"
Story = Callable[["Desk"], Awaitable[None]]


class Desk:
    """Writes objects to a sandbox and looks them up again."""

    def __init__(self, bed: SandboxBed) -> None:
        self.bed = bed
        self.writing = self.with_()

    def with_(self, **rest: Any) -> ObjectWriter:
        return ObjectWriter(self.bed.user, manager=MANAGER, node_for=node_for, sleep=self.bed.clock.sleep, **rest)

    async def write(self, desired: Object, **how: Any) -> WrittenObject:
        gvk = gvk_of(desired)
        resource = await self.bed.resource(desired["apiVersion"], desired["kind"])
        key = key_of(desired)
        task = Task(
            key=key, version=gvk.version, phase=Phase.SYNC, wave=0, action=TaskAction.APPLY, how=ApplyMethod(**how)
        )
        live = await self.find(key, desired["apiVersion"])
        return await self.writing.write(task, resource, desired, live)

    async def find(self, key: ObjectKey, api_version: str) -> Object | None:
        resource = await self.bed.resource(api_version, key.kind)
        return await self.bed.user.get(resource, key.namespace, key.name) if key.name else None


def tell(story: Story) -> None:
    async def main() -> None:
        bed = SandboxBed(0)
        await bed.start()
        try:
            await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
            await story(Desk(bed))
        finally:
            await bed.stop()

    run_simulated(main, seed=0)


def selecting(label: str) -> Object:
    found = deployment()
    spec = found["spec"]
    template = {**spec["template"], "metadata": {"labels": {"app": label}}}
    return found | {"spec": {**spec, "selector": {"matchLabels": {"app": label}}, "template": template}}


METHODS = [Method.SERVER_SIDE, Method.CLIENT_SIDE, Method.REPLACE]


@pytest.mark.parametrize("method", METHODS)
def test_force_makes_an_object_anew_where_a_field_must_not_change(method: Method) -> None:
    async def story(desk: Desk) -> None:
        first = await desk.write(selecting("old"), method=method)
        with pytest.raises(ApiError, match="field is immutable"):
            await desk.write(selecting("new"), method=method)
        second = await desk.write(selecting("new"), method=method, force=True)
        assert second.obj["metadata"]["uid"] != first.obj["metadata"]["uid"]
        assert second.obj["spec"]["selector"] == {"matchLabels": {"app": "new"}}

    tell(story)


@pytest.mark.parametrize("method", [Method.SERVER_SIDE, Method.CLIENT_SIDE])
def test_force_deletes_nothing_while_the_server_agrees(method: Method) -> None:
    async def story(desk: Desk) -> None:
        first = await desk.write(deployment(image="shop/web:1"), method=method)
        second = await desk.write(deployment(image="shop/web:2"), method=method, force=True)
        assert second.obj["metadata"]["uid"] == first.obj["metadata"]["uid"]

    tell(story)


def test_replace_with_force_makes_an_object_anew_every_time_but_once_in_an_operation() -> None:
    async def story(desk: Desk) -> None:
        first = await desk.write(config_map(), method=Method.REPLACE, force=True)
        second = await desk.write(config_map(), method=Method.REPLACE, force=True)
        assert second.obj["metadata"]["uid"] != first.obj["metadata"]["uid"]
        desk.writing = desk.with_(since=second.obj["metadata"]["creationTimestamp"])
        third = await desk.write(config_map(data={"a": "1"}), method=Method.REPLACE, force=True)
        assert third.obj["metadata"]["uid"] == second.obj["metadata"]["uid"]
        assert third.obj["data"] == {"a": "1"}

    tell(story)


@pytest.mark.parametrize("method", METHODS)
def test_a_trial_asks_and_writes_nothing(method: Method) -> None:
    async def story(desk: Desk) -> None:
        desk.writing = desk.with_(trial=True)
        await desk.write(selecting("old"), method=method)
        assert await desk.find(key_of(selecting("old")), "apps/v1") is None
        desk.writing = desk.with_()
        first = await desk.write(selecting("old"), method=method)
        desk.writing = desk.with_(trial=True)
        with pytest.raises(ApiError, match="field is immutable"):
            await desk.write(selecting("new"), method=method)
        forced = await desk.write(selecting("new"), method=method, force=True)
        assert forced.before is not None
        left = await desk.find(key_of(first.obj), "apps/v1")
        assert left is not None
        assert (left["metadata"]["uid"], left["spec"]) == (first.obj["metadata"]["uid"], first.obj["spec"])

    tell(story)


def test_an_object_that_does_not_go_away_is_not_made_anew() -> None:
    async def story(desk: Desk) -> None:
        held = selecting("old")
        await desk.write(held | {"metadata": {**held["metadata"], "finalizers": ["example.com/hold"]}})
        with pytest.raises(ApiError, match="still terminating, held by example"):
            await desk.write(selecting("new"), force=True)

    tell(story)


def test_replacing_a_crd_updates_it_and_never_deletes_it() -> None:
    async def story(desk: Desk) -> None:
        first = await desk.write(crd(), method=Method.CREATE)
        labelled = crd(labels={"team": "shop"})
        second = await desk.write(labelled, method=Method.REPLACE, force=True)
        assert second.obj["metadata"]["uid"] == first.obj["metadata"]["uid"]
        assert second.obj["metadata"]["labels"] == {"team": "shop"}
        wrong = crd(scope="Cluster")
        with pytest.raises(ApiError, match="immutable"):
            await desk.write(wrong, method=Method.REPLACE, force=True)
        kept = await desk.find(key_of(wrong), wrong["apiVersion"])
        assert kept is not None
        assert kept["metadata"]["uid"] == first.obj["metadata"]["uid"]

    tell(story)


def binding(role: str) -> Object:
    ref = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}
    return obj("RoleBinding", "readers", api="rbac.authorization.k8s.io/v1", roleRef=ref, subjects=[])


def test_client_side_a_binding_to_another_role_is_made_anew() -> None:
    async def story(desk: Desk) -> None:
        first = await desk.write(binding("old"), method=Method.CLIENT_SIDE)
        second = await desk.write(binding("new"), method=Method.CLIENT_SIDE)
        assert second.obj["roleRef"]["name"] == "new"
        assert second.obj["metadata"]["uid"] != first.obj["metadata"]["uid"]

    tell(story)


def test_client_side_apply_of_the_same_writes_nothing() -> None:
    async def story(desk: Desk) -> None:
        first = await desk.write(deployment(), method=Method.CLIENT_SIDE)
        second = await desk.write(deployment(), method=Method.CLIENT_SIDE)
        assert first.obj["metadata"]["annotations"][LAST_APPLIED].startswith('{"apiVersion":"apps/v1"')
        assert first.before is None
        assert second.obj is second.before

    tell(story)


@pytest.mark.parametrize("method", [Method.CLIENT_SIDE, Method.REPLACE, Method.CREATE])
def test_unknown_fields_are_refused_unless_they_are_not_to_be_validated(method: Method) -> None:
    async def story(desk: Desk) -> None:
        wrong = config_map("wrong") | {"dta": {}}
        with pytest.raises(ApiError, match='unknown field "dta"'):
            await desk.write(wrong, method=method)
        written = await desk.write(wrong, method=method, validate=False)
        assert "dta" not in written.obj

    tell(story)


def test_an_object_without_a_name_is_created_under_a_new_one_each_time() -> None:
    async def story(desk: Desk) -> None:
        nameless = obj("ConfigMap", "", generateName="run-")
        one = await desk.write(nameless, method=Method.CREATE)
        other = await desk.write(nameless, method=Method.CREATE)
        found = {one.obj["metadata"]["name"], other.obj["metadata"]["name"]}
        assert len(found) == 2
        assert all(name.startswith("run-") for name in found)

    tell(story)


@pytest.mark.parametrize(("migrate", "left"), [(True, {"Apply"}), (False, {"Apply", "Update"})])
def test_fields_of_client_side_apply_are_taken_over_unless_migration_is_off(migrate: bool, left: set[str]) -> None:
    async def story(desk: Desk) -> None:
        await desk.write(config_map(), method=Method.CLIENT_SIDE)
        found = await desk.write(config_map(data={"a": "1"}), migrate=migrate)
        assert {entry["operation"] for entry in found.obj["metadata"]["managedFields"]} == left
        assert ("colour" in found.obj["data"]) is not migrate

    tell(story)


@pytest.mark.parametrize(("named", "left"), [((), {"old-operator", MANAGER}), (("old-operator",), {MANAGER})])
def test_a_manager_that_the_app_names_is_taken_over_too(named: tuple[str, ...], left: set[str]) -> None:
    async def story(desk: Desk) -> None:
        resource = await desk.bed.resource("v1", "ConfigMap")
        await desk.bed.user.create(resource, config_map(data={"a": "1", "b": "2"}), manager="old-operator")
        desk.writing = desk.with_(earlier_managers=named)
        found = await desk.write(config_map(data={"a": "1"}))
        assert {entry["manager"] for entry in found.obj["metadata"]["managedFields"]} == left
        assert ("b" in found.obj["data"]) is not bool(named)

    tell(story)
