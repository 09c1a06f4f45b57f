"""Hooks of every phase are held to the project, as all other objects are."""

from __future__ import annotations

import pytest

from syncline.model.settings.settings import Compat
from tests.support.manifests import files
from tests.support.played import AUTO, COMPATS, FINALIZER, app_with, config, namespace, tell
from tests.support.world import API, Bed, default_project

PHASES = ("PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete")
SECONDS = 120


def foreign(phase: str) -> str:
    return f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: foreign, namespace: elsewhere, annotations: {{argocd.argoproj.io/hook: {phase}}}}}
"""


async def arranged(bed: Bed, **manifests: str) -> None:
    """Deliver with a project that permits the namespace of the app alone."""
    await namespace(bed)
    await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})
    project = default_project(bed.control)
    narrow = {"destinations": [{"server": "*", "namespace": bed.target}]}
    await bed.apply({**project, "spec": {**project["spec"], **narrow}})
    bed.source.commit(files(**manifests))
    app = app_with(bed, automated=AUTO)
    app["metadata"]["finalizers"] = [FINALIZER]
    await bed.apply(app)
    await bed.clock.sleep(30)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("phase", PHASES)
def test_hook_outside_the_project_is_not_created(phase: str, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        # What the server refuses fails the sync, so that SyncFail hooks are due.
        broken = config("Not_A_Name") if phase == "SyncFail" else config("one")
        await arranged(bed, a=broken, b=foreign(phase))
        assert await bed.get("ConfigMap", "foreign", "v1", "elsewhere") is None
        await bed.delete("Application", "web", API, bed.control)
        await bed.clock.sleep(SECONDS)
        assert await bed.get("ConfigMap", "foreign", "v1", "elsewhere") is None
        assert [line for line in bed.writes if "/namespaces/elsewhere/configmaps" in line] == []

    tell(story, compat)


@pytest.mark.parametrize("phase", ["PreDelete", "PostDelete"])
def test_deletion_waits_and_says_which_hook_the_project_denies(phase: str) -> None:
    async def story(bed: Bed) -> None:
        await arranged(bed, a=config("one"), b=foreign(phase))
        await bed.delete("Application", "web", API, bed.control)
        await bed.clock.sleep(SECONDS)
        conditions = {item["type"]: item["message"] for item in (await bed.app_status())["conditions"]}
        assert "namespace elsewhere is not permitted in project 'default'" in conditions["DeletionError"]
        bed.source.commit(files(a=config("one")))
        await bed.clock.sleep(SECONDS)
        assert await bed.find_app() is None

    tell(story)
