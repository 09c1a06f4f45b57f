"""What a running operation does next, and what it waits for."""

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.sync.step import Observed, dry_run, end_early, next_step
from syncline.model import names
from syncline.model.decision import StepKind, Wait
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase, Plan, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from tests.support.carrying import STAMP, Cluster, carry_out, made, result, unfinished
from tests.support.objects import by_key, config_map, deployment, hook_task, key, task

SYNCED, PRUNED, SKIPPED = ResultCode.SYNCED, ResultCode.PRUNED, ResultCode.PRUNE_SKIPPED
WEB = task("web", kind="Deployment", group="apps")
NEXT = task("next", wave=1)
DONE = (StepKind.FINISH, OperationPhase.SUCCEEDED)


def on(*objects: Object, results: tuple[TaskResult, ...] = ()) -> Observed:
    return Observed(results=results, live=by_key(*objects), stamp=STAMP)


def test_an_empty_plan_is_done_at_once() -> None:
    found = next_step(Plan(()), on())
    assert (found.kind, found.phase, found.message) == (*DONE, "successfully synced (no more tasks)")


def test_the_tasks_of_the_lowest_phase_and_wave_are_carried_out_together() -> None:
    plan = Plan((task("a"), task("gone", action=TaskAction.PRUNE), task("b"), NEXT))
    found = next_step(plan, on())
    assert (found.kind, [item.key.name for item in found.apply], [item.key.name for item in found.prune]) == (
        StepKind.ACT,
        ["a", "b"],
        ["gone"],
    )


def test_a_plan_with_one_stage_does_not_wait_for_health() -> None:
    found = next_step(Plan((WEB,)), on(deployment(ready=0), results=(result(WEB, SYNCED),)))
    assert (found.kind, found.phase, found.message) == (*DONE, "successfully synced (all tasks run)")


def test_a_plan_with_two_stages_waits_for_health_between_them() -> None:
    found = next_step(Plan((WEB, NEXT)), on(deployment(ready=0), results=(result(WEB, SYNCED),)))
    text = "Waiting for rollout to finish: 0 of 1 updated replicas are available..."
    assert (found.kind, found.reason) == (StepKind.WAIT, Reason.WAITING_FOR_HEALTH)
    assert found.waits == (Wait(key=WEB.key, reason=Reason.WAITING_FOR_HEALTH, message=text),)
    assert found.message == f"waiting for healthy state of apps/Deployment/web ({text})"


def test_a_plan_with_two_stages_does_not_wait_after_the_last() -> None:
    last = task("web", kind="Deployment", group="apps", wave=1)
    results = (result(task("a"), SYNCED, OperationPhase.SUCCEEDED), result(last, SYNCED))
    found = next_step(Plan((task("a"), last)), on(deployment(ready=0), results=results))
    assert (found.kind, found.phase) == DONE


def test_objects_beside_a_hook_of_the_last_stage_are_awaited_with_it() -> None:
    last = task("web", kind="Deployment", group="apps", wave=1)
    check = hook_task("check", Phase.SYNC, wave=1)
    plan = Plan((task("a"), last, check))
    results = (
        result(task("a"), SYNCED, OperationPhase.SUCCEEDED),
        result(last, SYNCED),
        result(check, SYNCED, OperationPhase.SUCCEEDED),
    )
    found = next_step(plan, on(deployment(ready=0), made(check), results=results))
    assert (found.kind, [wait.key for wait in found.waits]) == (StepKind.WAIT, [last.key])


def test_sync_fail_hooks_and_prunes_count_as_stages() -> None:
    for other in (hook_task("failing", Phase.SYNC_FAIL), task("gone", wave=1, action=TaskAction.PRUNE)):
        plan = Plan((WEB, task("more"), other))
        found = next_step(plan, on(deployment(ready=0), results=(result(WEB, SYNCED),)))
        assert found.kind is StepKind.WAIT


def test_with_one_stage_what_was_left_over_is_carried_out_while_others_are_not_healthy_yet() -> None:
    plan = Plan((task("a"), WEB))
    found = next_step(plan, on(deployment(ready=0), results=(result(WEB, SYNCED),)))
    assert (found.kind, [item.key.name for item in found.apply]) == (StepKind.ACT, ["a"])


def test_a_healthy_object_lets_the_next_wave_start() -> None:
    found = next_step(Plan((WEB, NEXT)), on(deployment(ready=1), results=(result(WEB, SYNCED),)))
    assert [item.key.name for item in found.apply] == ["next"]
    assert [(item.key, item.hook_phase) for item in found.settled] == [(WEB.key, OperationPhase.SUCCEEDED)]


def test_a_kind_without_health_does_not_hold_up_anything() -> None:
    found = next_step(Plan((task("a"), NEXT)), on(config_map("a"), results=(result(task("a"), SYNCED),)))
    assert [item.key.name for item in found.apply] == ["next"]


def test_a_degraded_object_fails_the_operation_between_stages() -> None:
    late = deployment(ready=0)
    late["status"]["conditions"] = [{"type": "Progressing", "reason": "ProgressDeadlineExceeded"}]
    found = next_step(Plan((WEB, NEXT)), on(late, results=(result(WEB, SYNCED),)))
    assert (found.kind, found.phase, found.reason) == (StepKind.FINISH, OperationPhase.FAILED, Reason.TASK_FAILED)
    assert found.message == (
        "one or more synchronization tasks completed unsuccessfully, reason: Deployment/web: "
        'Deployment "web" exceeded its progress deadline'
    )


def test_a_failure_waits_until_the_others_of_its_wave_are_through() -> None:
    bad = task("bad")
    results = (result(WEB, SYNCED), result(bad, ResultCode.SYNC_FAILED, OperationPhase.FAILED))
    plan = Plan((bad, WEB, NEXT))
    assert next_step(plan, on(deployment(ready=0), results=results)).kind is StepKind.WAIT
    found = next_step(plan, on(deployment(ready=1), results=results))
    assert (found.kind, found.phase) == (StepKind.FINISH, OperationPhase.FAILED)


def test_a_running_task_whose_object_vanished_fails_the_operation() -> None:
    found = next_step(Plan((WEB, NEXT)), on(results=(result(WEB, SYNCED),)))
    assert found.phase is OperationPhase.FAILED
    assert (found.settled[0].hook_phase, found.settled[0].code) == (OperationPhase.ERROR, ResultCode.SYNC_FAILED)
    assert found.settled[0].message == "Resource apps/Deployment:shop/web is missing, it might have been deleted"


def test_a_result_whose_task_is_no_longer_planned_holds_up_what_is_to_come() -> None:
    found = next_step(Plan((NEXT,)), on(deployment(ready=0), results=(result(WEB, SYNCED),)))
    assert (found.kind, [wait.key for wait in found.waits]) == (StepKind.WAIT, [WEB.key])
    found = next_step(Plan((NEXT,)), on(deployment(ready=1), results=(result(WEB, SYNCED),)))
    assert [item.key.name for item in found.apply] == ["next"]


def test_a_result_whose_task_is_no_longer_planned_does_not_hold_up_the_end() -> None:
    found = next_step(Plan(()), on(deployment(ready=0), results=(result(WEB, SYNCED),)))
    assert (found.kind, found.phase) == DONE


GONE = task("gone", action=TaskAction.PRUNE)


def test_the_next_wave_waits_until_pruned_objects_are_gone() -> None:
    leaving = config_map("gone", finalizers=["example.com/hold"], deletionTimestamp="2026-03-01T08:00:00Z")
    found = next_step(Plan((GONE, NEXT)), on(leaving, results=(result(GONE, PRUNED),)))
    assert (found.kind, found.reason, found.message) == (
        StepKind.WAIT,
        Reason.WAITING_FOR_DELETION,
        "waiting for deletion of /ConfigMap/gone (held by example.com/hold)",
    )
    found = next_step(Plan((GONE, NEXT)), on(results=(result(GONE, PRUNED),)))
    assert [item.key.name for item in found.apply] == ["next"]


def test_a_pruned_object_whose_row_vanished_with_it_is_done() -> None:
    found = next_step(Plan((NEXT,)), on(results=(result(GONE, PRUNED),)))
    assert [item.hook_phase for item in found.settled] == [OperationPhase.SUCCEEDED]
    assert [item.key.name for item in found.apply] == ["next"]


def test_the_end_does_not_wait_for_pruned_objects_and_records_them_as_done() -> None:
    found = next_step(Plan((GONE,)), on(config_map("gone"), results=(result(GONE, PRUNED),)))
    assert (found.kind, found.phase) == DONE
    assert [item.hook_phase for item in found.settled] == [OperationPhase.SUCCEEDED]


def test_a_prune_that_was_skipped_is_done() -> None:
    skipped = result(GONE, SKIPPED, OperationPhase.SUCCEEDED)
    found = next_step(Plan((GONE, NEXT)), on(config_map("gone"), results=(skipped,)))
    assert [item.key.name for item in found.apply] == ["next"]


def test_a_wave_with_a_prune_to_be_approved_waits_as_a_whole() -> None:
    asking = task("gone", action=TaskAction.PRUNE, reason=Reason.WAITING_FOR_CONFIRMATION)
    found = next_step(Plan((task("a"), asking, NEXT)), on())
    assert (found.kind, found.reason, found.message) == (
        StepKind.WAIT,
        Reason.WAITING_FOR_CONFIRMATION,
        "waiting for approval to prune ConfigMap/gone",
    )


def test_a_plan_with_problems_fails_before_anything_is_done() -> None:
    found = next_step(Plan((WEB,), problems=("no such kind", "nor this")), on())
    assert (found.kind, found.phase, found.reason) == (StepKind.FINISH, OperationPhase.FAILED, Reason.TASK_FAILED)
    assert found.message == "one or more synchronization tasks are not valid: no such kind; nor this"


def test_a_plan_whose_problems_come_up_later_goes_on() -> None:
    plan = Plan((task("a"), NEXT), problems=("no such kind",))
    found = next_step(plan, on(config_map("a"), results=(result(task("a"), SYNCED),)))
    assert found.kind is StepKind.ACT


@pytest.mark.parametrize(
    ("one", "code"),
    [(task("a"), SYNCED), (GONE, PRUNED), (task("kept", action=TaskAction.PRUNE, prune_allowed=False), SKIPPED)],
)
def test_a_dry_run_shows_every_task_as_done_and_writes_nothing(one: Task, code: ResultCode) -> None:
    found = dry_run(Plan((one, hook_task("failing", Phase.SYNC_FAIL))), on())
    assert (found.kind, found.phase, found.apply, found.prune) == (*DONE, (), ())
    assert [(item.key, item.code, item.hook_phase) for item in found.settled] == [
        (one.key, code, OperationPhase.SUCCEEDED)
    ]


def test_an_operation_that_is_given_up_lets_its_hooks_go() -> None:
    before = hook_task()
    found = end_early(
        Plan((before, WEB)), on(made(before), results=(result(before, SYNCED),)),
        OperationPhase.FAILED, Reason.NEW_REVISION, "superseded",
    )  # fmt: skip
    assert (found.kind, found.phase, found.reason, found.message) == (
        StepKind.FINISH,
        OperationPhase.FAILED,
        Reason.NEW_REVISION,
        "superseded",
    )
    assert found.release_hooks == (before,)


FULL = Plan(
    (
        hook_task("before", Phase.PRE_SYNC),
        task("early", wave=-1),
        task("web", kind="Deployment", group="apps"),
        task("gone", action=TaskAction.PRUNE),
        task("kept", action=TaskAction.PRUNE, prune_allowed=False),
        hook_task("during", Phase.SYNC, wave=1),
        hook_task("before", Phase.POST_SYNC),
        hook_task("failing", Phase.SYNC_FAIL),
    )
)


def ready(one: Task) -> Object:
    return deployment(ready=1) if one.key.kind == "Deployment" else made(one)


def start() -> Cluster:
    return Cluster(by_key(config_map("gone"), config_map("kept")), ready)


def test_a_whole_plan_is_carried_out_in_order() -> None:
    cluster = start()
    assert carry_out(FULL, cluster).phase is OperationPhase.SUCCEEDED
    assert cluster.log == [
        "hook before",
        "apply early",
        "prune gone",
        "apply web",
        "hook during",
        "delete before",
        "hook before",
    ]


@pytest.mark.parametrize("killed_after", range(8))
def test_an_operation_that_is_killed_before_recording_goes_on_where_it_was(killed_after: int) -> None:
    """Each step is done twice: once lost, once recorded."""
    whole = start()
    carry_out(FULL, whole)
    cluster = start()
    for _ in range(killed_after):
        step = cluster.step(FULL)
        if step.kind is StepKind.FINISH:
            break
        cluster.do(step)
    lost = dict(cluster.results)
    cluster.do(cluster.step(FULL))
    cluster.results = lost
    assert carry_out(FULL, cluster).phase is OperationPhase.SUCCEEDED
    hooks_run = [line for line in cluster.log if line.startswith("hook")]
    assert hooks_run == [line for line in whole.log if line.startswith("hook")]
    assert cluster.live.keys() == whole.live.keys()


def test_several_waits_are_told_in_argo_cds_words() -> None:
    """Its engine prints group, kind and name, also where the group is empty, and what the others are."""
    several = Plan((hook_task("a", Phase.SYNC), hook_task("b", Phase.SYNC), hook_task("c", Phase.SYNC)))
    assert carry_out(several, Cluster({}, unfinished)).message == (
        "waiting for completion of hook batch/Job/a and 2 more hooks"
    )
    service, other = task("web", kind="Service"), task("web2", kind="Service")
    pending = {"apiVersion": "v1", "kind": "Service", "spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {}}}
    live = [{**pending, "metadata": {"name": one.key.name, "namespace": one.key.namespace}} for one in (service, other)]
    results = (result(service, SYNCED), result(other, SYNCED))
    found = next_step(Plan((service, other, NEXT)), on(*live, results=results))
    assert found.message.startswith("waiting for healthy state of /Service/web and 1 more resources")


def test_where_hooks_come_last_there_are_no_more_tasks() -> None:
    plan = Plan((task("a"), hook_task("after", Phase.POST_SYNC)))
    assert carry_out(plan, Cluster({})).message == "successfully synced (no more tasks)"


def test_a_hook_that_runs_is_waited_for_even_in_a_plan_with_one_stage() -> None:
    only = hook_task("only", Phase.SYNC)
    cluster = Cluster({}, unfinished)
    found = carry_out(Plan((only,)), cluster)
    assert (found.kind, found.reason, found.message) == (
        StepKind.WAIT,
        Reason.WAITING_FOR_HOOK,
        "waiting for completion of hook batch/Job/only",
    )
    assert key("Job", "only", group="batch") in cluster.live
    assert names.HOOK_FINALIZER in cluster.live[only.key]["metadata"]["finalizers"]
