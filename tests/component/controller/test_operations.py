"""How an operation is carried out on a cluster: what is sent in which order, and what is recorded."""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import key_of
from syncline.controller.deliver.apply import TaskRunner
from syncline.controller.deliver.writing import ObjectWriter
from syncline.core.sync import hooks, task_results
from syncline.model import names
from syncline.model.operation import OperationPhase
from syncline.model.plan import HookDeletePolicy, Phase, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings.settings import Compat
from tests.support import manifests, stories
from tests.support.loops.simulated import run_simulated
from tests.support.objects import config_map, hook, hook_task, node_for, task
from tests.support.world import API, SETTINGS, Bed, SandboxBed

COMPATS = [Compat.SYNCLINE, Compat.ARGOCD]
AUTO = {"prune": True, "selfHeal": True}


def tell(story: Callable[[Bed], Awaitable[None]], compat: Compat = Compat.SYNCLINE) -> None:
    async def main() -> None:
        await stories.play(SandboxBed(0, settings=msgspec.structs.replace(SETTINGS, compat=compat)), story)

    run_simulated(main, seed=0)


def config(name: str, *, wave: int = 0, kind: str = "ConfigMap", **annotations: str) -> str:
    lines = "".join(f"    {key}: '{text}'\n" for key, text in {names.SYNC_WAVE: str(wave), **annotations}.items())
    return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n  annotations:\n{lines}"


def files(**texts: str) -> dict[str, str]:
    return {f"apps/web/{name}.yaml": text for name, text in texts.items()}


async def state(bed: Bed) -> dict[str, Any]:
    return (await bed.app_status()).get("operationState") or {}


async def sync(bed: Bed, **rest: Any) -> dict[str, Any]:
    """Ask for a sync, wait for its end and return its state."""
    before = (await state(bed)).get("finishedAt")
    await bed.clock.sleep(2)
    operation = {"sync": rest, "initiatedBy": {"username": "ann"}}
    await bed.patch("Application", "web", {"operation": operation}, API, bed.control)

    async def over() -> bool:
        found = await state(bed)
        return found.get("finishedAt") not in (None, before) and "operation" not in await bed.app()

    await bed.until(over, "the sync is over")
    return await state(bed)


def sent(bed: Bed, *names_: str) -> list[str]:
    """Return what was written of these objects, in order: the verb and the name."""
    found = []
    for line in bed.writes:
        verb, path = line.split(" ", 1)
        name = path.partition("?")[0].rsplit("/", 1)[-1]
        if name in names_:
            found.append(f"{verb} {name}")
    return found


@pytest.mark.parametrize("compat", COMPATS)
def test_what_the_server_refuses_does_not_keep_the_rest_of_its_wave_from_being_applied_but_the_next_wave(
    compat: Compat,
) -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit(
            files(a=config("Bad-Name"), b=config("good"), c=config("late", wave=1), d=config("hush", kind="Secret"))
        )
        await bed.apply(bed.application())
        found = await sync(bed)
        assert found["phase"] == "Failed"
        assert found["message"].startswith("one or more objects failed to apply, reason: ")
        assert "ConfigMap/Bad-Name" in found["message"]
        assert await bed.get("ConfigMap", "good", "v1") is not None
        assert await bed.get("Secret", "hush", "v1") is not None
        assert await bed.get("ConfigMap", "late", "v1") is None

    tell(story, compat)


@pytest.mark.parametrize(("compat", "pause"), [(Compat.SYNCLINE, 0.0), (Compat.ARGOCD, 2.0)])
def test_argo_cd_pauses_two_seconds_between_waves_and_not_after_the_last(compat: Compat, pause: float) -> None:
    async def story(bed: Bed) -> None:
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
        bed.source.commit(files(a=config("first"), b=config("second", wave=1)))
        await bed.apply(bed.application())
        await sync(bed)
        started, finished = (await state(bed))["startedAt"], (await state(bed))["finishedAt"]
        assert int(finished[17:19]) - int(started[17:19]) == pytest.approx(pause, abs=1)

    tell(story, compat)


def test_in_a_wave_prunes_come_first_then_kinds_in_their_order() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit(files(a=config("old"), b=config("map"), c=config("hush", kind="Secret")))
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        before = len(bed.writes)
        changed = "data: {a: MQ==}\n"
        bed.source.commit(files(b=config("map") + changed, c=config("hush", kind="Secret") + changed))
        await bed.until_delivered()

        async def gone() -> bool:
            return await bed.get("ConfigMap", "old", "v1") is None

        await bed.until(gone, "the old object is pruned")
        bed.writes[:before] = []
        assert sent(bed, "old", "hush", "map") == ["DELETE old", "PATCH hush", "PATCH map"]

    tell(story)


@pytest.mark.parametrize("compat", COMPATS)
def test_history_is_written_by_full_syncs_that_succeed_and_not_by_partial_or_dry_ones(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": bed.target}})
        sha = bed.source.commit(files(a=config("one"), b=config("two")))
        await bed.apply(bed.application())
        for partial in ({"dryRun": True}, {"resources": [{"kind": "ConfigMap", "name": "one"}]}):
            assert (await sync(bed, **partial))["phase"] == "Succeeded"
            assert "history" not in await bed.app_status()
        assert await bed.get("ConfigMap", "two", "v1") is None
        await sync(bed)
        (entry,) = (await bed.app_status())["history"]
        assert (entry["id"], entry["revision"]) == (0, sha)
        bed.source.commit(files(a=config("Bad-Name")))
        refresh = {"metadata": {"annotations": {names.REFRESH: "normal"}}}
        await bed.patch("Application", "web", refresh, API, bed.control)
        await bed.clock.sleep(2)
        assert (await sync(bed))["phase"] == "Failed"
        assert len((await bed.app_status())["history"]) == 1

    tell(story, compat)


def test_a_finished_operation_is_taken_off_the_app_and_every_object_has_its_row() -> None:
    async def story(bed: Bed) -> None:
        bed.source.commit(files(a=config("one"), b=manifests.hook("before", "PreSync")))
        await bed.apply(bed.application())
        found = await sync(bed)
        assert "operation" not in await bed.app()
        assert (found["phase"], found["message"]) == ("Succeeded", "successfully synced (all tasks run)")
        rows = [
            (row["kind"], row["name"], row["status"], row["hookPhase"], row["syncPhase"], row.get("hookType"))
            for row in found["syncResult"]["resources"]
        ]
        assert sorted(rows) == [
            ("ConfigMap", "one", "Synced", "Succeeded", "Sync", None),
            ("Job", "before", "Synced", "Succeeded", "PreSync", "PreSync"),
            ("Namespace", bed.target, "Synced", "Succeeded", "PreSync", None),
        ]

    tell(story)


def test_a_terminated_operation_ends_failed_and_is_not_tried_again() -> None:
    async def story(bed: Bed) -> None:
        slow = manifests.deployment(image="example/web:missing")
        bed.source.commit(files(a=slow, b=config("late", wave=1)))
        app = bed.application()
        app["spec"]["syncPolicy"]["retry"] = {"limit": 3, "backoff": {"duration": "1s"}}
        await bed.apply(app)
        operation = {"sync": {}, "initiatedBy": {"username": "ann"}}
        await bed.patch("Application", "web", {"operation": operation}, API, bed.control)

        async def waits() -> bool:
            return "waiting for healthy state" in (await state(bed)).get("message", "")

        await bed.until(waits, "the sync waits")
        ending = {"status": {"operationState": {"phase": "Terminating"}}}
        await bed.patch("Application", "web", ending, API, bed.control)

        async def over() -> bool:
            return (await state(bed)).get("phase") == "Failed" and "operation" not in await bed.app()

        await bed.until(over, "it ended")
        await bed.quiet()
        found = await state(bed)
        assert (found["phase"], found["message"], found.get("retryCount", 0)) == ("Failed", "Operation terminated", 0)
        assert await bed.get("ConfigMap", "late", "v1") is None

    tell(story)


def hands(bed: Bed, resource: Any) -> TaskRunner:
    writing = ObjectWriter(bed.user, manager=names.FIELD_MANAGER, node_for=node_for, sleep=bed.clock.sleep)
    return TaskRunner(
        bed.user,
        lambda _task: resource,
        manager=names.FIELD_MANAGER,
        writing=writing,
        trial=writing,
        health_of=lambda _obj: None,
    )


def prune(name: str, **rest: Any) -> Task:
    return task(name, action=TaskAction.PRUNE, **rest)


def on_a_bare_bed(story: Callable[[SandboxBed], Awaitable[None]]) -> None:
    async def main() -> None:
        bed = SandboxBed(0)
        bed.target = "shop"
        await bed.start()
        try:
            await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
            await story(bed)
        finally:
            await bed.stop()

    run_simulated(main, seed=0)


def test_a_prune_hits_only_the_very_version_that_was_looked_at() -> None:
    async def story(bed: SandboxBed) -> None:
        resource = await bed.resource("v1", "ConfigMap")
        seen = await bed.apply(config_map("gone"))
        await bed.apply(config_map("gone", {"changed": "yes"}))
        assert await hands(bed, resource).prune(prune("gone"), seen) is None
        assert await bed.get("ConfigMap", "gone", "v1") is not None
        now = await bed.get("ConfigMap", "gone", "v1")
        done = await hands(bed, resource).prune(prune("gone"), now)
        assert done is not None
        assert (done.code, done.hook_phase) == (ResultCode.PRUNED, OperationPhase.RUNNING)

        async def gone() -> bool:
            return await bed.get("ConfigMap", "gone", "v1") is None

        await bed.until(gone, "the garbage collector takes it away")

    on_a_bare_bed(story)


def test_the_row_of_a_pruned_workload_says_its_images() -> None:
    """As with Argo CD."""

    async def story(bed: SandboxBed) -> None:
        spec = {"containers": [{"name": "main", "image": "example/app:1"}]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "gone", "namespace": "shop"}, "spec": spec}
        made = await bed.apply(pod)
        done = await hands(bed, await bed.resource("v1", "Pod")).prune(prune("gone"), made)
        assert done is not None
        assert (done.code, done.images) == (ResultCode.PRUNED, ("example/app:1",))

    on_a_bare_bed(story)


def test_an_object_that_is_terminating_already_is_not_deleted_again() -> None:
    async def story(bed: SandboxBed) -> None:
        resource = await bed.resource("v1", "ConfigMap")
        held = config_map("gone")
        held["metadata"]["finalizers"] = ["example.com/hold"]
        await bed.apply(held)
        await bed.delete("ConfigMap", "gone", "v1")
        leaving = await bed.must_get("ConfigMap", "gone", "v1")
        done = await hands(bed, resource).prune(prune("gone"), leaving)
        assert done is not None
        assert (done.code, done.hook_phase) == (ResultCode.PRUNED, OperationPhase.RUNNING)
        after = await bed.must_get("ConfigMap", "gone", "v1")
        assert after["metadata"]["resourceVersion"] == leaving["metadata"]["resourceVersion"]

    on_a_bare_bed(story)


def test_a_hook_that_this_attempt_created_before_a_kill_counts_and_one_of_another_attempt_does_not() -> None:
    async def story(bed: SandboxBed) -> None:
        resource = await bed.resource("batch/v1", "Job")
        pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example/job:1"}]}
        wanted = hook() | {"spec": {"template": {"spec": pod}}}
        before = hook_task("migrate")

        async def created(task: Task, stamp: str) -> TaskResult:
            result = await hands(bed, resource).create_hook(task, wanted, stamp)
            assert result is not None
            return result

        first = await created(before, "op.0.PreSync")
        assert (first.code, first.message) == (ResultCode.SYNCED, "job.batch/migrate created")
        uid = (await bed.must_get("Job", "migrate", "batch/v1"))["metadata"]["uid"]
        again = await created(before, "op.0.PreSync")
        assert (again.code, again.message) == (ResultCode.SYNCED, "job.batch/migrate created")
        other = await created(before, "op.1.PreSync")
        assert other.code is ResultCode.SYNC_FAILED
        live = await bed.must_get("Job", "migrate", "batch/v1")
        assert (live["metadata"]["uid"], hooks.stamp_of(live)) == (uid, "op.0.PreSync")
        kept = hook_task("migrate", policies=(HookDeletePolicy.SUCCEEDED,))
        assert (await created(kept, "op.1.PreSync")).code is ResultCode.SYNCED
        live = await bed.must_get("Job", "migrate", "batch/v1")
        assert (live["metadata"]["uid"], hooks.stamp_of(live)) == (uid, "op.1.PreSync")

    on_a_bare_bed(story)


@pytest.mark.parametrize(
    ("reason", "detail", "words"),
    [
        (Reason.PRUNE_NOT_REQUESTED, "", "ignored (requires pruning)"),
        (Reason.PRUNE_FORBIDDEN, "", "ignored (no prune)"),
        (Reason.DESIRED_ELSEWHERE, "", "ignored (another app desires it)"),
        (Reason.PRUNE_UNSAFE, "a group did not answer", "ignored (a group did not answer; so nothing is deleted)"),
    ],
)
def test_a_prune_that_is_not_done_says_why_in_argo_cds_words(reason: Reason, detail: str, words: str) -> None:
    found = task_results.skipped(prune("gone", reason=reason, detail=detail, prune_allowed=False))
    assert (found.key, found.phase, found.code, found.hook_phase, found.message) == (
        key_of(config_map("gone")),
        Phase.SYNC,
        ResultCode.PRUNE_SKIPPED,
        OperationPhase.SUCCEEDED,
        words,
    )
