"""Hooks on a cluster: when each type runs, what its delete policy does to it, and that it runs once per attempt."""

from typing import Any

import pytest

from syncline.apimachinery import times
from syncline.model import names
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.manifests import files
from tests.support.played import (
    COMPATS,
    PickyBed,
    app_with,
    ask,
    config,
    namespace,
    state,
    sync,
    tell,
    until_phase,
    until_told,
)
from tests.support.world import API, Bed

WEB = manifests.deployment()


def job(name: str, phase: str, *, bad: bool = False, wave: int = 0, policy: str = "BeforeHookCreation") -> str:
    """Return a hook; one that is bad fails."""
    text = manifests.hook(name, phase, policy=policy, image="example/job:bad" if bad else "example/job:1")
    return text.replace("  annotations:\n", f"  annotations:\n    {names.SYNC_WAVE}: '{wave}'\n", 1)


async def begin(bed: Bed, *options: str, **texts: str) -> None:
    await namespace(bed)
    bed.source.commit(files(**texts))
    await bed.apply(app_with(bed, *options))
    await bed.clock.sleep(1)


def made(bed: Bed) -> list[str]:
    """Return what was created or applied, in order, by kind."""
    kinds = {"jobs": "Job", "deployments": "Deployment", "configmaps": "ConfigMap"}
    found = []
    for line in bed.writes:
        verb, path = line.split(" ", 1)
        parts = path.partition("?")[0].split("/")
        plural = parts[-1] if verb == "POST" else parts[-2]
        if verb in ("POST", "PATCH") and plural in kinds and "finalizers" not in path:
            found.append(kinds[plural])
    return list(dict.fromkeys(found))


async def jobs(bed: Bed) -> list[str]:
    listed = await bed.user.list(await bed.resource("batch/v1", "Job"), namespace=bed.target)
    return sorted(item["metadata"]["name"] for item in listed.items)


@pytest.mark.parametrize(
    ("annotation", "word", "order"),
    [
        (names.HOOK, "PreSync", ["Job", "Deployment"]),
        (names.HELM_HOOK, "pre-install,pre-upgrade", ["Job", "Deployment"]),
        (names.HOOK, "Sync", ["Deployment", "Job"]),
        (names.HOOK, "PostSync", ["Deployment", "Job"]),
        (names.HELM_HOOK, "post-upgrade", ["Deployment", "Job"]),
        (names.HOOK, "SyncFail", ["Deployment"]),
        (names.HOOK, "Skip", ["Deployment"]),
        (names.HOOK, "Nonsense", ["Deployment"]),
        (names.HELM_HOOK, "test", ["Deployment"]),
        (names.HOOK, "PreDelete", ["Deployment"]),
        (names.HELM_HOOK, "post-delete", ["Deployment"]),
    ],
)
def test_a_hook_runs_in_its_phase_and_others_not_at_all(annotation: str, word: str, order: list[str]) -> None:
    async def story(bed: Bed) -> None:
        hook = job("hook", "Sync").replace(f"{names.HOOK}: Sync", f"{annotation}: '{word}'")
        await begin(bed, a=WEB, b=hook)
        found = await sync(bed)
        assert (found["phase"], made(bed)) == ("Succeeded", order)
        assert (await bed.status())[0] == "Synced", "no hook counts for the sync status"
        rows = [row for row in found["syncResult"]["resources"] if row["kind"] == "Job"]
        assert [(row["hookPhase"], row["status"]) for row in rows] == [("Succeeded", "Synced")] * (len(order) - 1)

    tell(story)


def test_after_sync_hooks_wait_until_everything_is_healthy() -> None:
    async def story(bed: Bed) -> None:
        await begin(bed, a=manifests.deployment(image="example/web:missing"), b=job("after", "PostSync"))
        await ask(bed)
        await until_told(bed, "waiting for healthy state of apps/Deployment/web")
        await bed.quiet()
        assert await jobs(bed) == []
        await bed.patch("Application", "web", {"operation": None, "status": {"operationState": None}}, API, bed.control)

    tell(story)


def test_hooks_of_a_phase_run_wave_by_wave() -> None:
    async def story(bed: Bed) -> None:
        await begin(bed, a=job("second", "PreSync", wave=2), b=job("first", "PreSync", wave=-3), c=config("one"))
        await ask(bed)

        async def both() -> bool:
            return await jobs(bed) == ["first", "second"]

        await bed.until(both, "the second hook runs")
        first = await bed.must_get("Job", "first", "batch/v1")
        second = await bed.must_get("Job", "second", "batch/v1")
        assert first["status"]["completionTime"] <= second["metadata"]["creationTimestamp"]
        await until_phase(bed, "Succeeded")

    tell(story)


ALL = ("BeforeHookCreation", "HookSucceeded", "HookFailed", "HookSucceeded,HookFailed")


@pytest.mark.parametrize("compat", COMPATS)
@pytest.mark.parametrize(
    ("bad", "left"),
    [
        (False, ["beforehookcreation", "hookfailed"]),
        (True, ["beforehookcreation", "hooksucceeded", "last"]),
    ],
    ids=["the sync succeeds", "the sync fails"],
)
def test_policies_go_by_how_the_whole_sync_ended(bad: bool, left: list[str], compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        texts = {f"p{number}": job(policy.lower().replace(",", "-"), "PreSync", policy=policy)
                 for number, policy in enumerate(ALL)}  # fmt: skip
        last = {"z": job("last", "PostSync", bad=True)} if bad else {}
        await begin(bed, a=config("one"), **texts, **last)
        await sync(bed)
        await bed.clock.sleep(5)
        assert await jobs(bed) == left

    tell(story, compat)


def test_by_default_a_hook_object_goes_right_before_the_next_one_and_its_finalizer_with_its_end() -> None:
    async def story(bed: Bed) -> None:
        await begin(bed, a=config("one"), b=job("hook", "PreSync", policy="Unheard-of"))
        await sync(bed)
        first = await bed.must_get("Job", "hook", "batch/v1")
        assert names.HOOK_FINALIZER not in (first["metadata"].get("finalizers") or [])
        await sync(bed)
        second = await bed.must_get("Job", "hook", "batch/v1")
        assert second["metadata"]["uid"] != first["metadata"]["uid"]
        created = [line for line in bed.writes if line.startswith("POST") and "/jobs" in line]
        assert len(created) == 2

    tell(story)


def test_a_generated_name_is_prefix_seven_of_the_revision_phase_and_start() -> None:
    async def story(bed: Bed) -> None:
        named = job("hook", "PreSync").replace("  name: hook", "  generateName: run-")
        await begin(bed, a=config("one"), b=named)
        found = await sync(bed)
        started = int(times.parse(found["startedAt"]).timestamp())
        revision = found["syncResult"]["revision"]
        assert await jobs(bed) == [f"run-{revision[:7]}-presync-{started}"]

    tell(story)


@pytest.mark.parametrize("compat", COMPATS)
def test_a_failed_hook_runs_the_hooks_of_failure_and_nothing_after_it(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await begin(
            bed,
            a=job("bad", "PreSync", bad=True),
            b=config("one"),
            c=job("after", "PostSync"),
            d=job("cleanup", "SyncFail"),
        )
        found = await sync(bed)
        assert found["phase"] == "Failed"
        assert found["message"].startswith("one or more synchronization tasks completed unsuccessfully, reason: ")
        assert await jobs(bed) == ["bad", "cleanup"]
        assert await bed.get("ConfigMap", "one", "v1") is None
        rows = {row["name"]: (row["hookType"], row["hookPhase"]) for row in found["syncResult"]["resources"]}
        assert rows == {"bad": ("PreSync", "Failed"), "cleanup": ("SyncFail", "Succeeded")}

    tell(story, compat)


@pytest.mark.parametrize("limit", [0, 2])
def test_a_hook_runs_once_per_attempt(limit: int) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one"), b=job("bad", "PreSync", bad=True)))
        await bed.apply(app_with(bed, retry={"limit": limit, "backoff": {"duration": "1s", "factor": 1}}))
        found = await sync(bed)
        created = [line for line in bed.writes if line.startswith("POST") and "/jobs" in line]
        assert (found["phase"], found.get("retryCount", 0), len(created)) == ("Failed", limit, limit + 1)

    tell(story)


def test_a_hook_that_is_gone_is_no_row_any_more() -> None:
    async def story(bed: Bed) -> None:
        await begin(bed, a=config("one"), b=job("before", "PreSync", policy="HookSucceeded"))
        await sync(bed)
        await bed.quiet()
        assert await jobs(bed) == []
        assert [row["kind"] for row in (await bed.app_status())["resources"]] == ["ConfigMap"]

    tell(story)


def test_terminating_deletes_the_running_hook_and_keeps_the_finished_one() -> None:
    async def story(bed: Bed) -> None:
        slow = job("slow", "PreSync", wave=1).replace("example/job:1", "example/job:missing")
        await begin(bed, a=config("one"), b=job("done", "PreSync"), c=slow)
        await ask(bed)
        await until_told(bed, "waiting for completion of hook batch/Job/slow")
        ending = {"status": {"operationState": {"phase": "Terminating"}}}
        await bed.patch("Application", "web", ending, API, bed.control)
        found = await until_phase(bed, "Failed")
        await bed.clock.sleep(3)
        assert (found["message"], await jobs(bed)) == ("Operation terminated", ["done"])
        assert "operation" not in await bed.app()

    tell(story)


@pytest.mark.parametrize(
    "how",
    [{"syncStrategy": {"apply": {}}}, {"resources": [{"kind": "ConfigMap", "name": "one"}]}],
    ids=["apply strategy", "partial"],
)
def test_no_hook_runs_where_only_objects_are_applied(how: dict[str, Any]) -> None:
    async def story(bed: Bed) -> None:
        await begin(bed, a=config("one"), b=job("before", "PreSync"), c=job("after", "PostSync"))
        found = await sync(bed, **how)
        assert (found["phase"], await jobs(bed)) == ("Succeeded", [])
        assert await bed.get("ConfigMap", "one", "v1") is not None

    tell(story)


def test_a_hook_that_cannot_be_deleted_is_an_error_of_the_hook_and_the_sync_still_ends() -> None:
    async def story(bed: PickyBed) -> None:
        await begin(bed, a=config("one"), b=job("hook", "PreSync", policy="HookSucceeded"))
        bed.forbidden.add(("DELETE", "/jobs/hook"))
        found = await sync(bed)
        (row,) = [row for row in found["syncResult"]["resources"] if row["kind"] == "Job"]
        assert found["phase"] == "Succeeded"
        assert (row["hookPhase"], row["message"]) == ("Error", "failed to delete resource: simulated Forbidden")

    tell(story)


def test_a_hook_whose_predecessor_cannot_be_deleted_fails_the_sync() -> None:
    async def story(bed: PickyBed) -> None:
        await begin(bed, a=config("one"), b=job("hook", "PreSync"))
        await sync(bed)
        bed.forbidden.add(("DELETE", "/jobs/hook"))
        found = await sync(bed)
        assert found["phase"] == "Failed"
        assert "failed to delete resource: simulated Forbidden" in found["message"]
        assert (await state(bed)).get("finishedAt")

    tell(story)


def test_a_hook_object_that_lives_only_for_seconds_is_judged_all_the_same() -> None:
    async def story(bed: Bed) -> None:
        brief = job("brief", "PreSync").replace(
            "spec:\n  backoffLimit: 0", "spec:\n  ttlSecondsAfterFinished: 0\n  backoffLimit: 0"
        )
        await begin(bed, a=config("one"), b=brief)
        found = await sync(bed)
        assert found["phase"] == "Succeeded"
        await bed.clock.sleep(5)
        assert await jobs(bed) == []

    tell(story)
