"""Creating Applications and changing their specs, also while others do."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.verbs.create import CreateOutcome, CreateRequest, create_application
from syncline.verbs.edit import (
    PatchRequest,
    SetRequest,
    patch_application,
    set_fields,
)
from syncline.verbs.errors import Conflict, InvalidRequest
from syncline.verbs.policy import PolicyChange
from syncline.verbs.settings import SpecSetting
from tests.support.asking import KEY, keep_unknown_fields, stored, tell
from tests.support.world import API, SandboxBed

SET = SetRequest(app=KEY, settings=(SpecSetting("targetRevision", "v2"),))


def created(bed: SandboxBed, **more: Any) -> CreateRequest:
    return CreateRequest(app=bed.application(), namespace="argocd", **more)


def test_an_application_is_created_once_and_overwritten_only_on_request() -> None:
    async def story(bed: SandboxBed) -> None:
        assert (await create_application(bed.user, created(bed))).outcome is CreateOutcome.CREATED
        assert (await create_application(bed.user, created(bed))).outcome is CreateOutcome.UNCHANGED
        other = (SpecSetting("targetRevision", "v2"),)
        with pytest.raises(Conflict, match="Application web already exists with a different spec"):
            await create_application(bed.user, created(bed, settings=other))
        await bed.patch("Application", "web", {"metadata": {"labels": {"team": "a"}}}, API, bed.control)
        found = await create_application(bed.user, created(bed, settings=other, labels={"tier": "web"}, upsert=True))
        assert found.outcome is CreateOutcome.UPDATED
        app = await bed.app()
        assert app["spec"]["source"]["targetRevision"] == "v2"
        assert app["metadata"]["labels"] == {"team": "a", "tier": "web"}

    tell(story)


def test_what_a_server_wrote_is_not_created_again() -> None:
    async def story(bed: SandboxBed) -> None:
        printed = await stored(bed, status={"health": {"status": "Healthy"}})
        request = CreateRequest(app=printed, name="copy", namespace="argocd")
        found = (await create_application(bed.user, request)).stored.obj
        assert found["metadata"]["uid"] != printed["metadata"]["uid"]
        assert found["spec"] == printed["spec"]
        assert "status" not in found

    tell(story)


def test_a_request_to_create_is_not_changed_by_carrying_it_out() -> None:
    async def story(bed: SandboxBed) -> None:
        given = bed.application()
        request = CreateRequest(app=given, namespace="argocd", settings=(SpecSetting("path", "elsewhere"),))
        await create_application(bed.user, request)
        assert given == bed.application()

    tell(story)


def test_an_edit_that_changes_nothing_writes_nothing() -> None:
    async def story(bed: SandboxBed) -> None:
        before = await stored(bed)
        found = await set_fields(bed.user, SetRequest(app=KEY, settings=(SpecSetting("targetRevision", "main"),)))
        assert not found.changed
        assert await bed.app() == before

    tell(story)


def test_fields_that_nobody_here_knows_survive_an_edit() -> None:
    async def story(bed: SandboxBed) -> None:
        await keep_unknown_fields(bed)
        app = bed.application(future={"a": 1})
        app["spec"]["source"]["future"] = ["b"]
        await bed.apply(app)
        await set_fields(bed.user, SetRequest(app=KEY, settings=SET.settings, policy=PolicyChange(automated=True)))
        spec = (await bed.app())["spec"]
        assert (spec["future"], spec["source"]["future"]) == ({"a": 1}, ["b"])
        assert (spec["source"]["targetRevision"], spec["syncPolicy"]["automated"]) == ("v2", {})

    tell(story)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (PatchRequest(app=KEY, patch={}, kind="json"), "a JSON patch is a list of operations"),
        (PatchRequest(app=KEY, patch=[], kind="merge"), "a merge patch is a mapping"),
        (
            PatchRequest(app=KEY, patch={"metadata": {"name": "x"}}, kind="merge"),
            "a patch cannot rename an Application",
        ),
        (
            PatchRequest(app=KEY, patch=[{"op": "remove", "path": "/spec/nothing"}]),
            "the patch does not apply",
        ),
        (
            PatchRequest(app=KEY, patch={"spec": {"source": None}}, kind="merge"),
            "the source has no repository",
        ),
    ],
)
def test_a_patch_that_makes_no_sense_is_told_and_changes_nothing(request_: PatchRequest, sentence: str) -> None:
    async def story(bed: SandboxBed) -> None:
        before = await stored(bed)
        with pytest.raises(InvalidRequest, match=sentence):
            await patch_application(bed.user, request_)
        assert await bed.app() == before

    tell(story)
