"""Asking for a sync, for a rollback, and for the end of what runs, on a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.model.operation import SyncStrategy, SyncStrategyHook
from syncline.verbs.errors import NotFound, Refused
from syncline.verbs.sync import RollbackRequest, SyncRequest, rollback, sync, terminate
from tests.support.asking import KEY, keep_unknown_fields, meddled, stored, tell
from tests.support.world import API, SandboxBed

REQUEST = SyncRequest(app=KEY, username="ann", prune=True, strategy=SyncStrategy(hook=SyncStrategyHook()))
OPERATION = {
    "sync": {"prune": True, "syncStrategy": {"hook": {}}},
    "initiatedBy": {"username": "ann"},
    "retry": {},
}
SOURCE = {"repoURL": "https://git.example/repo.git", "path": "apps/old", "targetRevision": "main"}
STATE = {
    "phase": "Succeeded",
    "message": "successfully synced",
    "startedAt": "2026-01-01T00:00:00Z",
    "operation": {"sync": {}},
}


def entry(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "revision": str(number) * 40,
        "deployedAt": "2026-01-01T00:00:00Z",
        "source": SOURCE,
        **more,
    }


def test_a_sync_is_written_with_what_the_last_one_left_behind_removed() -> None:
    async def story(bed: SandboxBed) -> None:
        before = await stored(bed, status={"operationState": STATE, "health": {"status": "Healthy"}})
        found = await sync(bed.user, REQUEST)
        app = await bed.app()
        assert found.changed
        assert found.obj == app
        assert app["operation"] == OPERATION
        assert app["status"] == {"health": {"status": "Healthy"}}
        assert app["spec"] == before["spec"]

    tell(story)


def test_a_second_operation_is_refused_with_how_far_the_first_is() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed)
        await sync(bed.user, REQUEST)
        with pytest.raises(Refused) as refused:
            await sync(bed.user, REQUEST)
        assert str(refused.value) == "another operation is already in progress on web (waiting to start)"

    tell(story)


def test_an_application_that_is_being_deleted_is_not_synced() -> None:
    async def story(bed: SandboxBed) -> None:
        app = bed.application()
        app["metadata"]["finalizers"] = ["example.com/keep"]
        await bed.apply(app)
        await bed.delete("Application", "web", API, bed.control)
        with pytest.raises(Refused, match="Application web is being deleted"):
            await sync(bed.user, REQUEST)

    tell(story)


def test_an_application_that_is_not_there_is_told_with_those_that_are() -> None:
    async def story(bed: SandboxBed) -> None:
        await bed.apply(bed.application("other"))
        with pytest.raises(NotFound) as missing:
            await sync(bed.user, REQUEST)
        assert str(missing.value) == "Application web not found in namespace argocd (known: other)"

    tell(story)


def test_a_rollback_applies_an_entry_of_the_history_with_its_source_and_the_options_of_the_app() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed, status={"history": [entry(3), entry(7), entry(8)]}, syncOptions=["PruneLast=true"])
        found = await rollback(bed.user, RollbackRequest(app=KEY, username="ann", id=3))
        assert found.obj["operation"] == {
            "sync": {
                "revision": "3" * 40,
                "syncStrategy": {"apply": {}},
                "syncOptions": ["PruneLast=true"],
                "source": SOURCE,
            },
            "initiatedBy": {"username": "ann"},
            "retry": {},
        }

    tell(story)


def test_a_rollback_without_a_number_goes_to_the_entry_before_the_last() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed, status={"history": [entry(3), entry(7), entry(8)]})
        found = await rollback(bed.user, RollbackRequest(app=KEY))
        assert found.obj["operation"]["sync"]["revision"] == "7" * 40

    tell(story)


@pytest.mark.parametrize(
    ("history", "number", "sentence"),
    [
        ([], None, "there is no earlier sync to roll back to"),
        ([3], None, "there is no earlier sync to roll back to"),
        ([3, 7], 4, "the history has no entry 4 (known: 3, 7)"),
    ],
)
def test_a_rollback_to_nowhere_is_told(history: list[int], number: int | None, sentence: str) -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed, status={"history": [entry(one) for one in history]})
        with pytest.raises(NotFound) as missing:
            await rollback(bed.user, RollbackRequest(app=KEY, id=number))
        assert str(missing.value) == sentence

    tell(story)


def test_a_rollback_is_refused_when_auto_sync_is_on() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed, status={"history": [entry(3), entry(7)]}, automated={})
        with pytest.raises(Refused) as refused:
            await rollback(bed.user, RollbackRequest(app=KEY, id=3))
        assert refused.value.what == (
            "rollback cannot be initiated when auto-sync is enabled: it would be reverted immediately"
        )
        assert "operation" not in await bed.app()

    tell(story)


def test_fields_of_a_source_that_nobody_here_knows_come_along_in_a_rollback() -> None:
    async def story(bed: SandboxBed) -> None:
        await keep_unknown_fields(bed)
        old = entry(3, source={**SOURCE, "future": {"kept": True}})
        await stored(bed, status={"history": [old, entry(7)]})
        found = await rollback(bed.user, RollbackRequest(app=KEY, id=3))
        assert found.obj["operation"]["sync"]["source"]["future"] == {"kept": True}

    tell(story)


def test_an_operation_that_runs_is_terminated_and_keeps_what_it_did() -> None:
    async def story(bed: SandboxBed) -> None:
        running = {**STATE, "phase": "Running", "syncResult": {"revision": "a" * 40}}
        await stored(bed, status={"operationState": running})
        await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)
        found = await terminate(bed.user, KEY, bed.clock)
        assert found.obj["status"]["operationState"] == {**running, "phase": "Terminating"}
        assert found.obj["operation"] == {"sync": {}}

    tell(story)


def test_an_operation_that_waits_to_be_started_is_terminated_too() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed)
        await sync(bed.user, REQUEST)
        found = await terminate(bed.user, KEY, bed.clock)
        state = found.obj["status"]["operationState"]
        assert (state["phase"], state["operation"]) == ("Terminating", OPERATION)

    tell(story)


def test_nothing_to_terminate_is_refused() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed, status={"operationState": STATE})
        with pytest.raises(Refused, match="Application web has no operation in progress"):
            await terminate(bed.user, KEY, bed.clock)

    tell(story)


def test_a_termination_is_tried_again_when_the_controller_writes_in_between() -> None:
    async def story(bed: SandboxBed) -> None:
        await stored(bed, status={"operationState": {**STATE, "phase": "Running"}})
        await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)
        progress = {"status": {"operationState": {"message": "waiting for Deployment/web"}}}
        await terminate(meddled(bed, progress, 2), KEY, bed.clock)
        state = (await bed.app_status())["operationState"]
        assert (state["phase"], state["message"]) == ("Terminating", "waiting for Deployment/web")

    tell(story)
