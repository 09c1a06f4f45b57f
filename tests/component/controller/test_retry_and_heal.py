"""Automated syncs in time: retries and their pauses, self-heal, the sync timeout, and the guards that say no."""

import itertools
from typing import Any

import pytest

from syncline.apimachinery import times
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.manifests import files
from tests.support.played import (
    AUTO,
    COMPATS,
    PickyBed,
    app_with,
    ask,
    conditions,
    config,
    namespace,
    sent,
    state,
    sync,
    tell,
    until_condition,
    until_phase,
    until_told,
)
from tests.support.world import API, Bed

BAD = manifests.hook("bad", "PreSync", image="example/job:bad")


async def refused(bed: PickyBed, *, automated: dict[str, Any] | None = None, **policy: Any) -> str:
    """Begin an app of which the server refuses the one object; return the revision."""
    await namespace(bed)
    bed.forbidden.add(("PATCH", "/configmaps/one"))
    sha = bed.source.commit(files(a=config("one")))
    app = app_with(bed, automated=automated, **policy)
    if not policy:
        del app["spec"]["syncPolicy"]["retry"]
    await bed.apply(app)
    return sha


async def attempts(bed: Bed, count: int) -> list[float]:
    """Wait until an operation is at its n-th retry; return when each attempt ended, in seconds."""
    ends: list[float] = []
    while len(ends) < count:
        found = await state(bed)
        ended = found.get("finishedAt")
        if ended and times.parse(ended).timestamp() not in ends:
            ends.append(times.parse(ended).timestamp())
        await bed.clock.sleep(2)
    return ends


def test_an_automated_sync_is_retried_five_times_after_10_20_40_80_and_160_seconds() -> None:
    async def story(bed: PickyBed) -> None:
        sha = await refused(bed, automated={})
        ends = await attempts(bed, 6)
        assert [round(after - before) for before, after in itertools.pairwise(ends)] == [10, 20, 40, 80, 160]
        found = await until_phase(bed, "Failed")
        words = "one or more objects failed to apply, reason: ConfigMap/one: simulated Forbidden"
        assert (found["retryCount"], found["message"]) == (5, f"{words} (retried 5 times).")
        assert "operation" not in await bed.app()
        told = await until_condition(bed, "SyncError")
        assert told == f"Failed last sync attempt to [{sha}]: {words} (retried 5 times)."

    tell(story)


def test_between_attempts_an_operation_runs_with_an_end_and_says_when_it_goes_on() -> None:
    async def story(bed: PickyBed) -> None:
        await refused(bed, retry={"limit": 1, "backoff": {"duration": "90s", "factor": 2, "maxDuration": "1h"}})
        await ask(bed)
        found = await until_told(bed, "Retrying attempt #1")
        ended = times.parse(found["finishedAt"])
        assert (found["phase"], found["retryCount"]) == ("Running", 1)
        assert (ended.hour, ended.minute) == (0, 0)
        assert found["message"].endswith("simulated Forbidden. Retrying attempt #1 at 12:03AM.")
        bed.forbidden.clear()
        found = await until_phase_after(bed, "Succeeded", 200)
        assert times.parse(found["finishedAt"]).timestamp() - ended.timestamp() == pytest.approx(180, abs=1)
        assert found["message"] == "successfully synced (all tasks run)"

    tell(story)


async def until_phase_after(bed: Bed, phase: str, seconds: float) -> dict[str, Any]:
    await bed.clock.sleep(seconds)
    return await until_phase(bed, phase)


@pytest.mark.parametrize(
    ("policy", "request_", "count"),
    [
        ({}, None, 0),
        ({"retry": {"limit": 2, "backoff": {"duration": "1s", "factor": 1}}}, None, 2),
        ({"retry": {"limit": 2, "backoff": {"duration": "1s", "factor": 1}}}, {"limit": 0}, 0),
        ({}, {"limit": 3, "backoff": {"duration": "1s", "factor": 1}}, 3),
    ],
    ids=["nobody says", "the app says", "the request says no", "the request says"],
)
def test_a_sync_by_hand_is_retried_as_asked_else_as_the_app_says_else_not(
    policy: dict[str, Any], request_: dict[str, Any] | None, count: int
) -> None:
    async def story(bed: PickyBed) -> None:
        await refused(bed, **policy)
        operation: dict[str, Any] = {"sync": {}, "initiatedBy": {"username": "ann"}}
        if request_ is not None:
            operation["retry"] = request_
        await bed.patch("Application", "web", {"operation": operation}, API, bed.control)
        found = await until_phase(bed, "Failed")
        assert found.get("retryCount", 0) == count
        assert found["message"].endswith(f" (retried {count} times).") is bool(count)

    tell(story)


def test_minus_one_retries_without_end() -> None:
    async def story(bed: PickyBed) -> None:
        await refused(bed, retry={"limit": -1, "backoff": {"duration": "1s", "factor": 1}})
        await ask(bed)
        await bed.clock.sleep(60)
        found = await state(bed)
        assert found["phase"] == "Running"
        assert found["retryCount"] > 20

    tell(story)


def test_a_retry_begins_anew_with_the_same_revision() -> None:
    async def story(bed: PickyBed) -> None:
        sha = await refused(bed, retry={"limit": 1, "backoff": {"duration": "10s", "factor": 1}})
        await ask(bed)
        await until_told(bed, "Retrying attempt #1")
        bed.source.commit(files(a=config("one", colour="red")))
        bed.forbidden.clear()
        found = await until_phase(bed, "Succeeded")
        assert found["syncResult"]["revision"] == sha
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue"}

    tell(story)


@pytest.mark.parametrize(("compat", "more"), [(Compat.SYNCLINE, ": it took longer"), (Compat.ARGOCD, "")])
def test_the_sync_timeout_ends_an_operation_without_a_retry(compat: Compat, more: str) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=manifests.deployment(image="example/web:missing"), b=config("late", wave=1)))
        await bed.apply(app_with(bed, retry={"limit": 3}))
        await ask(bed)
        found = await until_phase(bed, "Failed")
        lasted = times.parse(found["finishedAt"]) - times.parse(found["startedAt"])
        assert lasted.total_seconds() == pytest.approx(30, abs=1)
        assert found["message"].startswith(f"Operation terminated{more}")
        assert found.get("retryCount", 0) == 0

    tell(story, compat, sync_timeout=30.0)


@pytest.mark.parametrize("compat", COMPATS)
def test_a_failed_revision_is_told_and_left_until_there_is_another(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        sha = bed.source.commit(files(a=config("one"), b=BAD))
        await bed.apply(app_with(bed, automated=AUTO))
        told = await until_condition(bed, "SyncError")
        failed = await state(bed)
        assert told == f"Failed last sync attempt to [{sha}]: {failed['message']}"
        await bed.quiet()
        assert (await state(bed))["finishedAt"] == failed["finishedAt"]
        bed.source.commit(files(a=config("one")))
        await bed.until_delivered()
        assert await conditions(bed) == []

    tell(story, compat)


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize("allow_empty", [False, True])
def test_an_app_that_would_lose_everything_is_not_synced_by_itself(allow_empty: bool, compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one"), b=config("two")))
        app = app_with(bed, automated={**AUTO, "allowEmpty": allow_empty})
        await bed.apply(app)
        await bed.until_delivered()
        sha = bed.source.commit(files(c="# nothing is left\n"))
        if allow_empty:
            await bed.until_status("Synced", "Healthy")
            await bed.clock.sleep(5)
            assert await bed.get("ConfigMap", "one", "v1") is None
        else:
            told = await until_condition(bed, "SyncError")
            assert told == f"Skipping sync attempt to [{sha}]: auto-sync will wipe out all resources"
            await bed.quiet()
            assert await bed.get("ConfigMap", "one", "v1") is not None

    tell(story, compat)


@pytest.mark.parametrize("compat", COMPATS)
def test_self_heal_is_partial_without_hooks_and_without_history(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        hook = manifests.hook("before", "PreSync")
        bed.source.commit(files(a=config("one"), b=config("two"), c=hook))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.until_delivered()
        job = await bed.must_get("Job", "before", "batch/v1")
        await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")

        async def healed() -> bool:
            return bool((await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue"})

        await bed.until(healed, "healed")
        await bed.until_delivered()
        found = await state(bed)
        asked = [(row["kind"], row["name"]) for row in found["operation"]["sync"]["resources"]]
        assert asked == [("ConfigMap", "one")]
        assert found["operation"]["sync"]["autoHealAttemptsCount"] == 1
        assert found["operation"]["initiatedBy"] == {"automated": True}
        assert [row["name"] for row in found["syncResult"]["resources"]] == ["one"]
        assert len((await bed.app_status())["history"]) == 1
        assert (await bed.must_get("Job", "before", "batch/v1"))["metadata"]["uid"] == job["metadata"]["uid"]

    tell(story, compat)


def test_without_self_heal_a_change_by_hand_stays_until_the_next_commit() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, automated={}))
        await bed.until_delivered()
        await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")
        await bed.until_status("OutOfSync", "Healthy")
        await bed.quiet()
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "red"}
        bed.source.commit(files(a=config("one"), b=config("two")))
        await bed.until_delivered()
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue"}

    tell(story)


def test_where_pauses_do_not_grow_self_heal_waits_its_fixed_delay() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.until_delivered()
        for _ in range(3):
            before = times.parse((await state(bed))["finishedAt"]).timestamp()
            await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")

            async def healed() -> bool:
                return bool((await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue"})

            await bed.until(healed, "healed")
            await bed.until_delivered()
            assert times.parse((await state(bed))["finishedAt"]).timestamp() - before == pytest.approx(9, abs=1.1)

    tell(story, self_heal_backoff=0.0, self_heal_delay=9.0)


@pytest.mark.parametrize(
    ("automated", "phase"), [(None, ""), ({"enabled": False, "selfHeal": True}, ""), ({"enabled": True}, "Succeeded")]
)
def test_an_app_syncs_by_itself_only_where_that_is_switched_on(automated: dict[str, Any] | None, phase: str) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, automated=automated))
        await bed.quiet()
        assert await bed.phase() == phase

    tell(story)


def test_without_prune_an_app_that_needs_nothing_else_is_left_alone() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one"), b=config("extra")))
        await bed.apply(app_with(bed, automated={"selfHeal": True}))
        await bed.until_delivered()
        first = await state(bed)
        bed.source.commit(files(a=config("one")))
        await bed.until_status("OutOfSync", "Healthy")
        await bed.quiet()
        assert (await state(bed))["startedAt"] == first["startedAt"]
        assert sent(bed, "extra") == ["PATCH extra"]

    tell(story)


def test_only_one_operation_at_a_time_and_the_next_starts_after_it() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=manifests.hook("before", "PreSync"), b=config("one")))
        await bed.apply(app_with(bed))
        await bed.clock.sleep(1)
        await ask(bed)
        await until_told(bed, "waiting for completion of hook")
        first = await state(bed)
        await ask(bed, prune=True)
        await until_phase(bed, "Succeeded")
        found = await state(bed)
        assert found["startedAt"] == first["startedAt"], "what is asked for meanwhile does not replace what runs"
        await sync(bed)
        assert (await state(bed))["startedAt"] > first["startedAt"]

    tell(story)
