"""A project that permits less than before: rows say so, and nothing is deleted or pruned because of it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.model import names
from syncline.model.settings.settings import Compat
from tests.support.manifests import files
from tests.support.played import AUTO, COMPATS, FINALIZER, app_with, config, namespace, sync, tell
from tests.support.world import API, Bed, default_project

ABROAD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: abroad, namespace: elsewhere}
data: {colour: blue}
"""


async def arranged(bed: Bed, **metadata: Any) -> None:
    await namespace(bed)
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})
    bed.source.commit(files(a=config("one"), b=ABROAD))
    app = app_with(bed, automated=AUTO)
    app["metadata"] |= metadata
    await bed.apply(app)
    await bed.until_status("Synced", "Healthy")


async def tighten(bed: Bed, **spec: Any) -> None:
    project = default_project(bed.control)
    await bed.apply({**project, "spec": {**project["spec"], **spec}})
    await bed.clock.sleep(15)


def only_home(bed: Bed) -> list[dict[str, str]]:
    return [{"server": "*", "namespace": bed.target}]


async def rows(bed: Bed) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in (await bed.app_status())["resources"]}


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("still_in_git", [True, False])
def test_objects_of_a_namespace_that_is_no_longer_permitted_stay(still_in_git: bool, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        await tighten(bed, destinations=only_home(bed))
        if not still_in_git:
            bed.source.commit(files(a=config("one", colour="red")))
            await bed.clock.sleep(30)
        found = (await rows(bed))["abroad"]
        assert (found["status"], found.get("health"), found.get("requiresPruning")) == ("Unknown", None, None)
        assert await bed.get("ConfigMap", "abroad", "v1", "elsewhere") is not None
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"]["colour"] == ("blue" if still_in_git else "red")

    tell(story, compat)


def test_objects_of_a_kind_that_is_no_longer_permitted_stay() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        await tighten(bed, namespaceResourceBlacklist=[{"group": "", "kind": "ConfigMap"}])
        bed.source.commit(files(c=config("two")))
        await bed.clock.sleep(30)
        assert {row["status"] for row in (await rows(bed)).values()} == {"Unknown"}
        assert await bed.get("ConfigMap", "one", "v1") is not None
        assert await bed.get("ConfigMap", "abroad", "v1", "elsewhere") is not None

    tell(story)


def test_deleting_the_app_leaves_what_is_no_longer_permitted() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed, finalizers=[FINALIZER])
        await tighten(bed, destinations=only_home(bed))
        await bed.delete("Application", "web", API, bed.control)

        async def gone() -> bool:
            return await bed.find_app() is None

        await bed.until(gone, "the app is gone")
        assert await bed.get("ConfigMap", "one", "v1") is None
        assert await bed.get("ConfigMap", "abroad", "v1", "elsewhere") is not None

    tell(story)


def test_what_comes_back_when_the_project_permits_it_again_is_as_before() -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed)
        uid = (await bed.get("ConfigMap", "abroad", "v1", "elsewhere") or {})["metadata"]["uid"]
        await tighten(bed, destinations=only_home(bed))
        await tighten(bed)
        await sync(bed)
        await bed.until_status("Synced", "Healthy")
        assert (await bed.get("ConfigMap", "abroad", "v1", "elsewhere") or {})["metadata"]["uid"] == uid

    tell(story)


def test_app_with_create_namespace_syncs_into_a_namespace_whose_object_is_not_permitted() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        await tighten(bed, clusterResourceWhitelist=[])
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, "CreateNamespace=true", automated=AUTO))
        await bed.until_status("Synced", "Healthy")

    tell(story)


def test_foreign_object_is_not_dry_run_and_not_written() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})
        theirs = {"name": "abroad", "namespace": "elsewhere"}
        await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": theirs, "data": {"colour": "theirs"}})
        await tighten(bed, destinations=only_home(bed))
        bed.source.commit(files(a=config("one"), b=ABROAD))
        app = app_with(bed, automated=AUTO)
        app["metadata"]["annotations"] = {names.COMPARE_OPTIONS: "ServerSideDiff=true,IncludeMutationWebhook=true"}
        bed.writes.clear()
        await bed.apply(app)
        await bed.clock.sleep(30)
        found = await sync(bed)
        assert found["phase"] == "Failed"
        assert "namespace elsewhere is not permitted in project 'default'" in found["message"]
        assert not [path for path in bed.writes if "elsewhere" in path]
        assert (await bed.get("ConfigMap", "abroad", "v1", "elsewhere") or {})["data"] == {"colour": "theirs"}

    tell(story)
