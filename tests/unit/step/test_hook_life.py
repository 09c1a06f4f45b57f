"""The life of hook objects within an operation."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.sync import hooks
from syncline.core.sync.step import Observed, next_step, settled
from syncline.model import names
from syncline.model.decision import Step, StepKind
from syncline.model.operation import OperationPhase
from syncline.model.plan import HookDeletePolicy, Phase, Plan, Task
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from tests.support.carrying import STAMP, made, result, unfinished
from tests.support.objects import by_key, hook_task, job, task

RUNNING, SUCCEEDED, FAILED = OperationPhase.RUNNING, OperationPhase.SUCCEEDED, OperationPhase.FAILED
BEFORE, ON_SUCCESS, ON_FAILURE = (
    HookDeletePolicy.BEFORE_CREATION,
    HookDeletePolicy.SUCCEEDED,
    HookDeletePolicy.FAILED,
)
BROKEN = result(task("bad"), ResultCode.SYNC_FAILED, FAILED)


def step(plan: Plan, *live: Object, results: tuple[TaskResult, ...] = (), terminating: bool = False) -> Step:
    return next_step(plan, Observed(results=results, live=by_key(*live), stamp=STAMP, terminating=terminating))


def stamped_by(one: Task, stamp: str, **rest: Any) -> Object:
    return hooks.stamped(job(one.key.name, done=True, **rest), one.key.name, hooks.for_phase(stamp, one.phase))


@pytest.mark.parametrize(
    ("conditions", "phase"),
    [
        ([], None),
        ([{"type": "Complete"}], SUCCEEDED),
        ([{"type": "Failed"}], FAILED),
        ([{"type": "Suspended", "status": "True"}], None),
    ],
)
def test_a_hook_follows_the_health_of_its_object(
    conditions: list[dict[str, str]], phase: OperationPhase | None
) -> None:
    one = hook_task()
    live = made(one) | {"status": {"conditions": conditions}}
    found = settled(result(one, ResultCode.SYNCED), one, live)
    assert (found.hook_phase if found else None) is phase


@pytest.mark.parametrize(
    ("live", "phase"),
    [
        ({"kind": "ConfigMap", "apiVersion": "v1"}, SUCCEEDED),
        ({"kind": "Pod", "apiVersion": "v1", "status": {"phase": "Unknown"}}, FAILED),
    ],
)
def test_a_hook_without_health_succeeds_at_once_and_one_of_unknown_health_fails(
    live: Object, phase: OperationPhase
) -> None:
    found = settled(result(hook_task(), ResultCode.SYNCED), hook_task(), live)
    assert found is not None
    assert found.hook_phase is phase


def test_a_result_without_its_task_is_still_known_as_a_hook() -> None:
    one = hook_task()
    assert settled(result(one, ResultCode.SYNCED), None, unfinished(one)) is None


def test_a_hook_of_an_earlier_sync_is_released_and_deleted_before_the_new_one_is_created() -> None:
    one = hook_task()
    found = step(Plan((one,)), stamped_by(one, "other.0"))
    assert (found.kind, found.release_hooks, found.delete_hooks, found.apply) == (StepKind.ACT, (one,), (one,), ())


def test_a_hook_of_an_earlier_attempt_or_another_phase_is_stale_too() -> None:
    one = hook_task(phase=Phase.POST_SYNC)
    assert step(Plan((one,)), stamped_by(one, "op.1")).delete_hooks == (one,)
    assert step(Plan((one,)), stamped_by(hook_task(), STAMP)).delete_hooks == (one,)


def test_a_stale_hook_that_is_on_its_way_out_is_waited_for() -> None:
    one = hook_task()
    leaving = stamped_by(one, "other.0", deletionTimestamp="2026-03-01T08:00:00Z")
    leaving["metadata"]["finalizers"] = ["foregroundDeletion"]
    found = step(Plan((one,)), leaving)
    assert (found.kind, found.reason) == (StepKind.WAIT, Reason.WAITING_FOR_DELETION)


def test_a_hook_this_attempt_created_before_it_was_killed_is_not_deleted() -> None:
    one = hook_task()
    found = step(Plan((one,)), stamped_by(one, STAMP))
    assert (found.delete_hooks, found.apply) == ((), (one,))


@pytest.mark.parametrize("policies", [(ON_SUCCESS,), (ON_FAILURE,), (ON_SUCCESS, ON_FAILURE)])
def test_without_before_creation_an_older_hook_object_is_kept(policies: tuple[HookDeletePolicy, ...]) -> None:
    one = hook_task(policies=policies)
    found = step(Plan((one,)), stamped_by(one, "other.0"))
    assert (found.delete_hooks, found.apply) == ((), (one,))


@pytest.mark.parametrize(
    ("policies", "ends", "deleted"),
    [
        ((BEFORE,), SUCCEEDED, False),
        ((BEFORE,), FAILED, False),
        ((ON_SUCCESS,), SUCCEEDED, True),
        ((ON_SUCCESS,), FAILED, False),
        ((ON_FAILURE,), SUCCEEDED, False),
        ((ON_FAILURE,), FAILED, True),
    ],
)
def test_hooks_are_deleted_by_how_the_whole_sync_ended_not_by_how_they_did(
    policies: tuple[HookDeletePolicy, ...], ends: OperationPhase, deleted: bool
) -> None:
    one = hook_task(policies=policies)
    results = (result(one, ResultCode.SYNCED, SUCCEEDED), *([BROKEN] if ends is FAILED else []))
    found = step(Plan((one,)), made(one), results=results)
    assert (found.kind, found.phase) == (StepKind.FINISH, ends)
    assert found.delete_hooks == ((one,) if deleted else ())
    assert found.release_hooks == (one,)


def test_hook_objects_of_other_syncs_are_left_alone_at_the_end() -> None:
    one = hook_task(policies=(ON_SUCCESS,))
    found = step(Plan((one,)), stamped_by(one, "other.0"), results=(result(one, ResultCode.SYNCED, SUCCEEDED),))
    assert (found.delete_hooks, found.release_hooks) == ((), ())


FAILING = hook_task("cleanup", Phase.SYNC_FAIL)


def test_sync_fail_hooks_run_only_after_a_failure() -> None:
    good = result(task("good"), ResultCode.SYNCED, SUCCEEDED)
    plan = Plan((task("good"), FAILING))
    assert step(plan, results=(good,)).phase is SUCCEEDED
    assert step(Plan((task("bad"), FAILING)), results=(BROKEN,)).apply == (FAILING,)


def test_the_operation_goes_on_until_sync_fail_hooks_are_through_and_then_fails_for_the_first_reason() -> None:
    plan = Plan((task("bad"), FAILING))
    recorded = (BROKEN, result(FAILING, ResultCode.SYNCED))
    assert step(plan, unfinished(FAILING), results=recorded).reason is Reason.WAITING_FOR_HOOK
    found = step(plan, made(FAILING), results=recorded)
    assert (found.kind, found.phase) == (StepKind.FINISH, FAILED)
    assert found.message == "one or more synchronization tasks completed unsuccessfully, reason: ConfigMap/bad: "


def test_later_waves_are_not_started_after_a_failure() -> None:
    found = step(Plan((task("bad"), task("later", wave=1))), results=(BROKEN,))
    assert (found.kind, found.phase) == (StepKind.FINISH, FAILED)


def test_a_failed_hook_fails_the_operation() -> None:
    one = hook_task()
    found = step(Plan((one, task())), job("migrate", done=False), results=(result(one, ResultCode.SYNCED),))
    assert (found.kind, found.phase) == (StepKind.FINISH, FAILED)


def test_termination_deletes_running_hooks_and_keeps_finished_ones() -> None:
    running, done = hook_task("running"), hook_task("done")
    results = (result(running, ResultCode.SYNCED), result(done, ResultCode.SYNCED, SUCCEEDED))
    plan = Plan((done, running, task("later")))
    found = step(plan, unfinished(running), made(done), results=results, terminating=True)
    assert (found.kind, found.phase, found.reason) == (StepKind.FINISH, FAILED, Reason.TERMINATED)
    assert found.message == "Operation terminated"
    assert found.delete_hooks == (running,)
    assert set(found.release_hooks) == {running, done}


def test_a_hook_deleted_by_its_time_to_live_is_assessed_while_our_finalizer_holds_it() -> None:
    one = hook_task()
    leaving = stamped_by(one, STAMP, deletionTimestamp="2026-03-01T08:00:00Z")
    assert names.HOOK_FINALIZER in leaving["metadata"]["finalizers"]
    found = step(Plan((one,)), leaving, results=(result(one, ResultCode.SYNCED),))
    assert found.phase is SUCCEEDED
