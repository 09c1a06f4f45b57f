"""Stories of hooks and of attempts: which hook runs when, what becomes of it, and how often a failing sync is tried.

Told with the others of `tests.support.stories`, which takes `STORIES` in.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from syncline.model import names
from tests.support import manifests
from tests.support.world import Bed

AUTO = {"prune": True, "selfHeal": True}


def _config(name: str, **annotations: str) -> str:
    return manifests.annotated(name, annotations)


def _hook(name: str, *phases: str, policy: str = "BeforeHookCreation", wave: int = 0) -> str:
    """Return a hook of a kind without health, which is done as soon as it is there."""
    annotations = {names.HOOK: ",".join(phases), names.HOOK_DELETE_POLICY: policy, names.SYNC_WAVE: str(wave)}
    return _config(name, **annotations)


def _app(bed: Bed, retry: dict[str, Any]) -> Any:
    app = bed.application(automated=AUTO)
    app["spec"]["syncPolicy"]["retry"] = retry
    return app


async def _hooks(bed: Bed) -> dict[str, tuple[str, str]]:
    """Return type and phase of the hooks that the last operation recorded."""
    rows = (await bed.app_status())["operationState"]["syncResult"]["resources"]
    return {row["name"]: (row["hookType"], row["hookPhase"]) for row in rows if row.get("hookType")}


def _created(bed: Bed, plural: str) -> int:
    return len([line for line in bed.writes if line.startswith("POST") and f"/{bed.target}/{plural}" in line])


async def every_type_of_hook_runs_in_its_place_and_a_skipped_object_is_not_applied(bed: Bed) -> None:
    bed.source.commit(
        {
            "apps/web/own.yaml": _config("own"),
            "apps/web/early.yaml": _hook("early", "PreSync", wave=-1),
            "apps/web/before.yaml": manifests.hook("before", "PreSync"),
            "apps/web/during.yaml": _hook("during", "Sync", wave=1),
            "apps/web/after.yaml": manifests.hook("after", "PostSync"),
            "apps/web/rescue.yaml": _hook("rescue", "SyncFail"),
            "apps/web/skipped.yaml": _hook("skipped", "Skip"),
        }
    )
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_delivered()
    assert await _hooks(bed) == {
        "early": ("PreSync", "Succeeded"),
        "before": ("PreSync", "Succeeded"),
        "during": ("Sync", "Succeeded"),
        "after": ("PostSync", "Succeeded"),
    }
    assert [await bed.get("ConfigMap", name, "v1") for name in ("rescue", "skipped")] == [None, None]
    versions = []
    for kind, name, version in (
        ("ConfigMap", "early", "v1"),
        ("Job", "before", "batch/v1"),
        ("ConfigMap", "own", "v1"),
        ("ConfigMap", "during", "v1"),
        ("Job", "after", "batch/v1"),
    ):
        found = await bed.must_get(kind, name, version)
        versions.append((found["metadata"]["creationTimestamp"], name))
    assert [name for _, name in sorted(versions, key=lambda item: item[0])] == [name for _, name in versions]


async def when_a_sync_fails_its_rescue_hooks_run_and_hooks_of_failures_are_deleted(bed: Bed) -> None:
    bed.source.commit(
        {
            "apps/web/own.yaml": _config("own"),
            "apps/web/well.yaml": _hook("well", "PreSync", policy="HookFailed", wave=-1),
            "apps/web/kept.yaml": _hook("kept", "PreSync", policy="HookSucceeded", wave=-1),
            "apps/web/bad.yaml": manifests.hook("bad", "PreSync", policy="HookFailed", image="example/job:bad"),
            "apps/web/late.yaml": _hook("late", "PostSync"),
            "apps/web/rescue.yaml": _hook("rescue", "SyncFail"),
        }
    )
    await bed.apply(_app(bed, {"limit": 0}))

    async def failed() -> bool:
        return await bed.phase() == "Failed" and "operation" not in await bed.app()

    await bed.until(failed, "the sync failed")
    found = await _hooks(bed)
    assert (found["bad"], found["rescue"]) == (("PreSync", "Failed"), ("SyncFail", "Succeeded"))
    assert "late" not in found
    assert await bed.get("ConfigMap", "own", "v1") is None
    assert await bed.get("ConfigMap", "rescue", "v1") is not None
    assert await bed.get("ConfigMap", "kept", "v1") is not None

    async def cleared() -> bool:
        # All hooks of the policy go when the sync failed, those that ended well too.
        return await bed.get("ConfigMap", "well", "v1") is None and await bed.get("Job", "bad", "batch/v1") is None

    await bed.until(cleared, "the hooks of failures are deleted")


async def a_failing_sync_is_tried_again_as_often_as_it_may_and_its_hook_runs_once_in_each(bed: Bed) -> None:
    bad = manifests.hook("bad", "PreSync", image="example/job:bad")
    bed.source.commit({"apps/web/own.yaml": _config("own"), "apps/web/bad.yaml": bad})
    await bed.apply(_app(bed, {"limit": 2, "backoff": {"duration": "1s", "factor": 1, "maxDuration": "1s"}}))

    async def failed() -> bool:
        return await bed.phase() == "Failed" and "operation" not in await bed.app()

    await bed.until(failed, "the last attempt failed")
    await bed.quiet()
    state = (await bed.app_status())["operationState"]
    assert (state["phase"], state["retryCount"]) == ("Failed", 2)
    assert _created(bed, "jobs") == 3
    assert await bed.get("ConfigMap", "own", "v1") is None


async def a_commit_that_mends_what_fails_ends_the_retries_well(bed: Bed) -> None:
    own = _config("own")
    bed.source.commit(
        {"apps/web/own.yaml": own, "apps/web/job.yaml": manifests.hook("job", "PreSync", image="example/job:bad")}
    )
    await bed.apply(_app(bed, {"limit": -1, "backoff": {"duration": "1s", "factor": 1}}))

    async def tried_again() -> bool:
        return int((await bed.app_status()).get("operationState", {}).get("retryCount") or 0) >= 1

    await bed.until(tried_again, "the first attempt failed")
    bed.source.commit({"apps/web/own.yaml": own, "apps/web/job.yaml": manifests.hook("job", "PreSync")})
    await bed.until_delivered()
    assert await bed.get("ConfigMap", "own", "v1") is not None


async def a_wave_that_does_not_get_well_keeps_the_next_from_being_applied_and_fails_the_sync(bed: Bed) -> None:
    bed.source.commit(
        {
            "apps/web/first.yaml": _config("first", **{names.SYNC_WAVE: "-5"}),
            "apps/web/job.yaml": _plain_job("work", wave=1),
            "apps/web/last.yaml": _config("last", **{names.SYNC_WAVE: "2"}),
        }
    )
    await bed.apply(_app(bed, {"limit": 0}))

    async def failed() -> bool:
        return await bed.phase() == "Failed" and "operation" not in await bed.app()

    await bed.until(failed, "the sync failed")
    assert await bed.get("ConfigMap", "first", "v1") is not None
    assert await bed.get("ConfigMap", "last", "v1") is None


def _plain_job(name: str, *, wave: int) -> str:
    """Return a Job that is no hook, and fails."""
    text = manifests.hook(name, "X", image="example/job:bad")
    start = text.index(f"    {names.HOOK}:")
    end = text.index("spec:")
    return f"{text[:start]}    {names.SYNC_WAVE}: '{wave}'\n{text[end:]}"


STORIES: tuple[Callable[[Bed], Awaitable[None]], ...] = (
    every_type_of_hook_runs_in_its_place_and_a_skipped_object_is_not_applied,
    when_a_sync_fails_its_rescue_hooks_run_and_hooks_of_failures_are_deleted,
    a_failing_sync_is_tried_again_as_often_as_it_may_and_its_hook_runs_once_in_each,
    a_commit_that_mends_what_fails_ends_the_retries_well,
    a_wave_that_does_not_get_well_keeps_the_next_from_being_applied_and_fails_the_sync,
)
