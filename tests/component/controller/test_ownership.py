"""One object, several Applications: one of them owns and writes it, and the others say so and leave it alone."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.settings.settings import Compat, Settings
from tests.support import manifests
from tests.support.fleet import Fleet, describe
from tests.support.loops.simulated import run_simulated
from tests.support.world import API, SETTINGS, SandboxBed, default_project

AUTO = {"prune": True, "selfHeal": True}
CASCADE = [names.RESOURCES_FINALIZER]
Told = Callable[[SandboxBed], Awaitable[None]]


def config(name: str, colour: str) -> str:
    return manifests.CONFIG.replace("name: settings", f"name: {name}").replace("blue", colour)


def files(**apps: dict[str, str]) -> dict[str, str]:
    """Return a commit with one folder per app; every app has an object of its own."""
    found = {}
    for app, objects in apps.items():
        found[f"apps/{app}/own.yaml"] = config(f"own-{app}", "white")
        for name, colour in objects.items():
            found[f"apps/{app}/{name}.yaml"] = config(name, colour)
    return found


def application(bed: SandboxBed, name: str, automated: dict[str, Any] | None = AUTO, **metadata: Any) -> Object:
    app = bed.application(name, automated=automated)
    app["spec"]["source"]["path"] = f"apps/{name.removesuffix('-twin')}"
    app["metadata"] |= metadata
    return app


def play(told: Told, settings: Settings = SETTINGS) -> None:
    async def main() -> None:
        bed = SandboxBed(settings=settings)
        await bed.start()
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
        controller = bed.controller()
        await controller.start()
        await told(bed)
        assert not bed.failures
        assert not bed.violations
        await controller.stop()
        await bed.stop()

    run_simulated(main)


async def colour(bed: SandboxBed, name: str = "shared") -> str:
    found = await bed.get("ConfigMap", name, "v1")
    return str(found["data"]["colour"]) if found else ""


async def owner(bed: SandboxBed, name: str = "shared") -> str:
    found = await bed.get("ConfigMap", name, "v1") or {}
    mark = ((found.get("metadata") or {}).get("annotations") or {}).get(names.TRACKING_ID, "")
    return str(mark).partition(":")[0]


def writes_of(bed: SandboxBed, name: str = "shared") -> list[str]:
    return [write for write in bed.writes if f"/configmaps/{name}" in write]


async def until_owned(bed: SandboxBed, by: str, name: str = "shared") -> None:
    async def owned() -> bool:
        return await owner(bed, name) == by

    await bed.until(owned, f"{by} owns {name}")


async def warnings(bed: SandboxBed, app: str, namespace: str = "") -> list[str]:
    found = await bed.get("Application", app, API, namespace or bed.control) or {}
    conditions = (found.get("status") or {}).get("conditions") or ()
    return [one["message"] for one in conditions if one["type"] == "SharedResourceWarning"]


async def result_of(bed: SandboxBed, app: str, name: str = "shared") -> str:
    state = (await bed.app_status(app)).get("operationState") or {}
    rows = (state.get("syncResult") or {}).get("resources") or ()
    return next((row["message"] for row in rows if row["name"] == name), "")


async def both(bed: SandboxBed, **shared: dict[str, str]) -> None:
    """Deliver `first`, then `second`, which desire what is said."""
    bed.source.commit(files(**shared))
    await bed.apply(application(bed, "first"))
    await bed.until_delivered("first")
    await bed.clock.sleep(2.0)
    await bed.apply(application(bed, "second"))

    async def synced() -> bool:
        return await bed.get("ConfigMap", "own-second", "v1") is not None and await bed.phase("second") == "Succeeded"

    await bed.until(synced, "second is synced")
    await bed.quiet()


def test_of_two_new_apps_one_writes_the_object_once_and_the_other_never() -> None:
    async def told(bed: SandboxBed) -> None:
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        await bed.apply(application(bed, "second"))
        await bed.apply(application(bed, "first"))
        await bed.quiet()
        await bed.quiet()
        assert len(writes_of(bed)) == 1
        assert (await colour(bed), await owner(bed)) in (("red", "first"), ("green", "second"))
        for app in ("first", "second"):
            assert await bed.get("ConfigMap", f"own-{app}", "v1") is not None

    play(told)


def test_a_newcomer_leaves_the_object_to_its_owner_and_both_say_so_with_both_places() -> None:
    async def told(bed: SandboxBed) -> None:
        await both(bed, first={"shared": "red"}, second={"shared": "green"})
        assert (await colour(bed), await owner(bed), len(writes_of(bed))) == ("red", "first", 1)
        assert await bed.status("first") == ("Synced", "Healthy")
        assert (await bed.status("second"))[0] == "OutOfSync"
        sentence = (
            "argocd/first (apps/first/shared.yaml:1) owns it,"
            " argocd/second (apps/second/shared.yaml:1) does not write it"
        )
        mine, theirs = await warnings(bed, "first"), await warnings(bed, "second")
        assert mine == [f"ConfigMap/shared is part of applications argocd/first and argocd/second: {sentence}"]
        assert theirs == [f"ConfigMap/shared is part of applications argocd/second and argocd/first: {sentence}"]

    play(told)


def test_a_newcomer_that_desires_the_same_content_is_synced() -> None:
    async def told(bed: SandboxBed) -> None:
        await both(bed, first={"shared": "red"}, second={"shared": "red"})
        assert (await owner(bed), len(writes_of(bed))) == ("first", 1)
        assert await bed.status("second") == ("Synced", "Healthy")

    play(told)


def test_drift_of_a_shared_object_is_healed_by_its_owner_alone() -> None:
    async def told(bed: SandboxBed) -> None:
        await both(bed, first={"shared": "red"}, second={"shared": "green"})
        await bed.patch("ConfigMap", "shared", {"data": {"colour": "odd"}}, "v1")

        async def healed() -> bool:
            return await colour(bed) == "red"

        await bed.until(healed, "healed")
        await bed.delete("ConfigMap", "shared", "v1")
        await bed.until(healed, "made again")
        await bed.quiet()
        assert (await colour(bed), await owner(bed), len(writes_of(bed))) == ("red", "first", 3)

    play(told)


@pytest.mark.parametrize("slow", ["first", "second", ""])
@pytest.mark.parametrize("heals", [True, False])
def test_an_object_that_one_commit_moves_changes_hands_and_is_never_deleted(slow: str, heals: bool) -> None:
    async def told(bed: SandboxBed) -> None:
        automated = {"prune": True, "selfHeal": heals}
        bed.source.commit(files(first={"shared": "red"}, second={}))
        for app in ("first", "second"):
            await bed.apply(application(bed, app, automated))
            await bed.until_delivered(app)
        before = await bed.must_get("ConfigMap", "shared", "v1")

        async def wait() -> None:
            await bed.clock.sleep(10.0)

        if slow:
            bed.source.slow[f"apps/{slow}"] = wait
        bed.source.commit(files(first={}, second={"shared": "green"}))
        await until_owned(bed, "second")
        await bed.quiet()
        after = await bed.must_get("ConfigMap", "shared", "v1")
        assert after["metadata"]["uid"] == before["metadata"]["uid"]
        assert after["data"]["colour"] == "green"
        assert [await bed.status(app) for app in ("first", "second")] == [("Synced", "Healthy")] * 2
        assert "taken over from application argocd/first, which no longer desires it" in await result_of(bed, "second")
        assert await warnings(bed, "second") == []

    play(told)


@pytest.mark.parametrize("finalizers", [CASCADE, []])
def test_when_its_owner_is_deleted_the_object_goes_to_the_app_that_desires_it(finalizers: list[str]) -> None:
    async def told(bed: SandboxBed) -> None:
        bed.source.commit(files(first={"shared": "red", "lonely": "red"}, second={"shared": "green"}))
        await bed.apply(application(bed, "first", finalizers=finalizers))
        await bed.until_delivered("first")
        await bed.apply(application(bed, "second"))
        await bed.quiet()
        before = await bed.must_get("ConfigMap", "shared", "v1")
        await bed.delete("Application", "first", API, bed.control)
        await until_owned(bed, "second")
        await bed.quiet()
        after = await bed.must_get("ConfigMap", "shared", "v1")
        assert (after["metadata"]["uid"], after["data"]["colour"]) == (before["metadata"]["uid"], "green")
        assert (await bed.get("ConfigMap", "lonely", "v1") is None) is bool(finalizers)
        assert "taken over from application argocd/first, which no longer" in await result_of(bed, "second")

    play(told)


def test_deleting_an_app_that_does_not_own_the_object_leaves_it() -> None:
    async def told(bed: SandboxBed) -> None:
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        await bed.apply(application(bed, "first"))
        await bed.until_delivered("first")
        await bed.apply(application(bed, "second", finalizers=CASCADE))
        await bed.quiet()
        await bed.delete("Application", "second", API, bed.control)

        async def gone() -> bool:
            return await bed.find_app("second") is None

        await bed.until(gone, "second is gone")
        await bed.quiet()
        assert (await colour(bed), await owner(bed), len(writes_of(bed))) == ("red", "first", 1)
        assert await bed.get("ConfigMap", "own-second", "v1") is None
        assert await warnings(bed, "first") == []

    play(told)


def test_an_owner_that_cannot_be_rendered_keeps_what_it_has() -> None:
    async def told(bed: SandboxBed) -> None:
        bed.source.commit(files(first={"shared": "red"}, second={}))
        for app in ("first", "second"):
            await bed.apply(application(bed, app))
            await bed.until_delivered(app)
        broken = {"apps/first/shared.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"}
        bed.source.commit({**files(second={"shared": "green"}), **broken})

        async def told_so() -> bool:
            return any("desires is unknown" in one for one in await warnings(bed, "second"))

        await bed.until(told_so, "second says why it does not write")
        await bed.quiet()
        assert (await colour(bed), await owner(bed), len(writes_of(bed))) == ("red", "first", 1)
        bed.source.commit(files(first={}, second={"shared": "green"}))
        await until_owned(bed, "second")
        await bed.quiet()
        assert await colour(bed) == "green"

    play(told)


def test_a_deleted_owner_leaves_the_object_to_an_app_that_was_not_rendered_since_the_start() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
        former = bed.controller()
        await former.start()
        await both(bed, first={"shared": "red"}, second={"shared": "red"})
        await former.stop()
        broken = {"apps/second/shared.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"}
        bed.source.commit({**files(first={"shared": "red"}), **broken})
        controller = bed.controller()
        await controller.start()
        await bed.until_status("Unknown", "Healthy", "second")
        await bed.patch("Application", "first", {"metadata": {"finalizers": CASCADE}}, API, bed.control)
        await bed.delete("Application", "first", API, bed.control)

        async def gone() -> bool:
            return await bed.find_app("first") is None

        await bed.until(gone, "first is gone")
        assert await bed.get("ConfigMap", "own-first", "v1") is None
        assert await colour(bed) == "red"
        await controller.stop()
        await bed.stop()

    run_simulated(main)


def test_apps_of_other_namespaces_and_projects_own_objects_like_any_other() -> None:
    settings = msgspec.structs.replace(SETTINGS, application_namespaces=("team",))

    async def told(bed: SandboxBed) -> None:
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
        project = default_project(bed.control)
        project["metadata"]["name"], project["spec"]["sourceNamespaces"] = "team", ["team"]
        await bed.apply(project)
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        first = application(bed, "first", namespace="team")
        first["spec"]["project"] = "team"
        await bed.apply(first)
        await until_owned(bed, "team_first")
        await bed.apply(application(bed, "second"))
        await bed.quiet()
        assert (await colour(bed), await owner(bed), len(writes_of(bed))) == ("red", "team_first", 1)
        (sentence,) = await warnings(bed, "second")
        assert "applications argocd/second and team/first: team/first (apps/first/shared.yaml:1) owns it" in sentence
        await bed.delete("Application", "first", API, "team")
        await until_owned(bed, "second")

    play(told, settings)


def test_an_app_whose_project_does_not_permit_an_object_does_not_keep_it_from_others() -> None:
    async def told(bed: SandboxBed) -> None:
        project = default_project(bed.control)
        project["metadata"]["name"] = "narrow"
        project["spec"]["namespaceResourceBlacklist"] = [{"group": "", "kind": "ConfigMap"}]
        await bed.apply(project)
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        first = application(bed, "first")
        first["spec"]["project"] = "narrow"
        await bed.apply(first)
        await bed.quiet()
        await bed.apply(application(bed, "second"))
        await bed.until_delivered("second")
        assert (await owner(bed), await warnings(bed, "second")) == ("second", [])

    play(told)


def test_the_same_object_on_another_cluster_is_another_object() -> None:
    async def main() -> None:
        bed, fleet = SandboxBed(), Fleet("east")
        bed.connector = fleet
        await bed.start()
        await fleet.start()
        for member in fleet.members.values():
            await bed.apply(describe(bed.control, member.name, member.server))
        controller = bed.controller()
        await controller.start()
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        far = application(bed, "second")
        far["spec"]["destination"] = {"name": "east", "namespace": bed.target}
        await bed.apply(application(bed, "first"))
        await bed.apply(far)
        await bed.until_delivered("first")
        await bed.until_delivered("second")
        await bed.quiet()
        assert [await warnings(bed, app) for app in ("first", "second")] == [[], []]
        there = await fleet.members["east"].get("configmaps", "ConfigMap", "v1", bed.target, "shared")
        assert (await colour(bed), (there or {})["data"]["colour"]) == ("red", "green")
        await controller.stop()
        await fleet.stop()
        await bed.stop()

    run_simulated(main)


def test_an_object_of_another_installation_is_left_to_it() -> None:
    settings = msgspec.structs.replace(SETTINGS, installation_id="ours")

    async def told(bed: SandboxBed) -> None:
        mark = {names.TRACKING_ID: "first:/ConfigMap:web/shared", names.INSTALLATION_ID: "theirs"}
        metadata = {"name": "shared", "namespace": bed.target, "annotations": mark}
        await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"colour": "theirs"}})
        bed.source.commit(files(first={"shared": "red"}))
        await bed.apply(application(bed, "first"))
        await bed.quiet()
        assert (await colour(bed), writes_of(bed)) == ("theirs", [])
        assert await bed.get("ConfigMap", "own-first", "v1") is not None
        (sentence,) = await warnings(bed, "first")
        assert sentence.startswith("ConfigMap/shared belongs to an application of installation theirs")
        await bed.patch("ConfigMap", "shared", {"metadata": {"annotations": {names.INSTALLATION_ID: None}}}, "v1")
        await bed.until_delivered("first")
        assert await colour(bed) == "red"

    play(told, settings)


def test_fail_on_shared_resource_fails_the_newcomer_and_not_the_owner() -> None:
    async def told(bed: SandboxBed) -> None:
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        for app in ("first", "second"):
            made = application(bed, app)
            made["spec"]["syncPolicy"]["syncOptions"].append("FailOnSharedResource=true")
            made["spec"]["syncPolicy"]["retry"] = {"limit": 0}
            await bed.apply(made)
            await bed.clock.sleep(10.0)
        bed.source.commit(files(first={"shared": "blue"}, second={"shared": "green"}))

        async def delivered() -> bool:
            return await colour(bed) == "blue"

        await bed.until(delivered, "the owner is synced")
        await bed.until_delivered("first")
        assert await bed.phase("second") == "Failed"
        state = (await bed.app_status("second"))["operationState"]
        assert state["message"].startswith("Shared resource found: ConfigMap/shared is part of applications")

    play(told)


def test_under_argo_cds_rules_the_last_writer_has_the_object() -> None:
    settings = msgspec.structs.replace(SETTINGS, compat=Compat.ARGOCD)

    async def told(bed: SandboxBed) -> None:
        bed.source.commit(files(first={"shared": "red"}, second={"shared": "green"}))
        await bed.apply(application(bed, "first", {}))
        await bed.until_delivered("first")
        await bed.apply(application(bed, "second", {}))
        await until_owned(bed, "second")
        await bed.quiet()
        assert await colour(bed) == "green"
        assert await warnings(bed, "first") == ["ConfigMap/shared is part of applications argocd/first and second"]

    play(told, settings)


def test_a_hook_of_another_app_is_neither_deleted_nor_replaced() -> None:
    async def told(bed: SandboxBed) -> None:
        hook = manifests.hook("before", "PreSync")
        shared = files(first={}, second={})
        bed.source.commit({**shared, "apps/first/hook.yaml": hook, "apps/second/hook.yaml": hook})
        await bed.apply(application(bed, "first"))
        await bed.until_delivered("first")
        before = await bed.must_get("Job", "before", "batch/v1")
        second = application(bed, "second")
        second["spec"]["syncPolicy"]["retry"] = {"limit": 0}
        await bed.apply(second)

        async def failed() -> bool:
            return await bed.phase("second") in ("Failed", "Error")

        await bed.until(failed, "the hook is refused")
        assert (await bed.must_get("Job", "before", "batch/v1"))["metadata"]["uid"] == before["metadata"]["uid"]
        assert "argocd/first (apps/first/hook.yaml:1) owns it" in await result_of(bed, "second", "before")

    play(told)


def test_the_namespace_that_an_app_owns_keeps_what_it_says_when_another_creates_namespaces() -> None:
    async def told(bed: SandboxBed) -> None:
        namespace = f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {bed.target}, labels: {{team: first}}}}\n"
        bed.source.commit({**files(first={}, second={}), "apps/first/namespace.yaml": namespace})
        await bed.apply(application(bed, "first"))
        await bed.until_delivered("first")
        second = application(bed, "second")
        second["spec"]["syncPolicy"]["managedNamespaceMetadata"] = {"labels": {"team": "second"}}
        writes = len(bed.writes)
        await bed.apply(second)
        await bed.until_delivered("second")
        await bed.quiet()
        assert [write for write in bed.writes[writes:] if f"/api/v1/namespaces/{bed.target}?" in f"{write}?"] == []
        found = await bed.user.get(await bed.resource("v1", "Namespace"), "", bed.target)
        assert found is not None
        assert found["metadata"]["labels"]["team"] == "first"

    play(told)
