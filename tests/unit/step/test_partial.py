"""One object that cannot work does not hold up the others, and all failures are told at once."""

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.core.sync.settling import DISBELIEF, Observed
from syncline.core.sync.step import dry_run, next_step
from syncline.model.decision import StepKind
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase, Plan, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult
from tests.support.carrying import STAMP, Cluster, carry_out, made, result
from tests.support.objects import by_key, config_map, crd, deployment, hook_task, key, obj, task

SYNCED, FAILED = ResultCode.SYNCED, OperationPhase.FAILED
DONE = (StepKind.FINISH, OperationPhase.SUCCEEDED)
LOST = task("lost", reason=Reason.KIND_UNKNOWN, refusal="no such kind")
BANNED = task("banned", wave=2, reason=Reason.NOT_PERMITTED, refusal="not permitted")
LATE = task("late", wave=3)
AFTER = hook_task("after", Phase.POST_SYNC)
FAIL_HOOK = hook_task("tell", Phase.SYNC_FAIL)


def partial(*tasks: Task, problems: tuple[str, ...] = ()) -> Plan:
    found = problems or tuple(item.refusal for item in tasks if item.refusal)
    return Plan(tasks, problems=found, partial=True)


def on(*objects: Object, results: tuple[TaskResult, ...] = (), as_of: str = "", trusting: bool = True) -> Observed:
    return Observed(results=results, live=by_key(*objects), stamp=STAMP, as_of=as_of, trusting=trusting)


def test_refused_tasks_fail_at_once_and_the_others_are_carried_out_in_all_waves() -> None:
    plan = partial(task("a"), LOST, task("b", wave=1), BANNED, LATE)
    cluster = Cluster({})
    first = cluster.step(plan)
    assert [(item.key.name, item.code, item.message) for item in first.settled] == [
        ("lost", ResultCode.SYNC_FAILED, "no such kind"),
        ("banned", ResultCode.SYNC_FAILED, "not permitted"),
    ]
    last = carry_out(plan, cluster)
    assert cluster.log == ["apply a", "apply b", "apply late"]
    assert (last.kind, last.phase, last.reason) == (StepKind.FINISH, FAILED, Reason.TASK_FAILED)
    assert last.message == (
        "one or more objects failed to apply, reason: ConfigMap/lost: no such kind; ConfigMap/banned: not permitted"
    )


def test_without_partial_progress_nothing_is_done() -> None:
    plan = msgspec.structs.replace(partial(task("a"), LOST), partial=False)
    found = next_step(plan, on())
    assert (found.kind, found.phase) == (StepKind.FINISH, FAILED)
    assert [(row.key, row.code, row.message) for row in found.settled] == [
        (LOST.key, ResultCode.SYNC_FAILED, "no such kind")
    ]
    assert found.message == "one or more synchronization tasks are not valid: no such kind"


def test_after_a_failure_post_sync_hooks_do_not_run_and_sync_fail_hooks_do() -> None:
    cluster = Cluster({})
    last = carry_out(partial(task("a"), LOST, AFTER, FAIL_HOOK), cluster)
    assert cluster.log == ["apply a", "hook tell"]
    assert last.phase is FAILED


@pytest.mark.parametrize(
    "guard",
    [
        hook_task("guard", refusal="not permitted"),
        task("guard", kind="Namespace", phase=Phase.PRE_SYNC, refusal="not permitted"),
    ],
    ids=["hook", "namespace"],
)
def test_a_refused_hook_or_namespace_holds_up_everything(guard: Task) -> None:
    cluster = Cluster({})
    assert carry_out(partial(guard, task("a")), cluster).phase is FAILED
    assert cluster.log == []


def test_an_object_in_doubt_is_tried_and_its_failure_holds_up_nothing() -> None:
    doubtful = task("wrong", doubtful=True, reason=Reason.UNCOMPARABLE)
    plan = partial(doubtful, task("b", wave=1))
    refused = result(doubtful, ResultCode.SYNC_FAILED, FAILED)
    found = next_step(plan, on(results=(refused,)))
    assert [item.key.name for item in found.apply] == ["b"]
    ended = next_step(plan, on(config_map("b"), results=(refused, result(task("b", wave=1), SYNCED))))
    assert (ended.kind, ended.phase) == (StepKind.FINISH, FAILED)


def test_an_ordinary_failure_still_holds_up_the_next_wave() -> None:
    refused = result(task("a"), ResultCode.SYNC_FAILED, FAILED)
    found = next_step(partial(task("a"), LOST, task("b", wave=1)), on(results=(refused,)))
    assert (found.kind, found.phase) == (StepKind.FINISH, FAILED)


def test_problems_without_a_task_are_told_when_the_rest_is_done() -> None:
    cluster = Cluster({})
    last = carry_out(partial(task("a"), problems=("an object has no namespace",)), cluster)
    assert cluster.log == ["apply a"]
    assert (last.phase, last.message) == (
        FAILED,
        "one or more synchronization tasks completed unsuccessfully, reason: an object has no namespace",
    )


def test_a_dry_run_tells_all_problems() -> None:
    found = dry_run(partial(LOST, BANNED), on())
    assert found.message == "one or more synchronization tasks are not valid: no such kind; not permitted"


CRD = task("widgets.example.com", kind="CustomResourceDefinition", group="apiextensions.k8s.io")
WIDGET = task("one", kind="Widget", group="example.com", needs=(CRD.key,))


def established(value: bool) -> Object:
    served = {"type": "Established", "status": str(value), "reason": "InitialNamesAccepted" if value else "Installing"}
    conditions = [served, {"type": "NamesAccepted", "status": "True"}]
    return crd() | {"status": {"conditions": conditions}}


def test_objects_of_a_custom_kind_follow_when_the_cluster_serves_it() -> None:
    plan = partial(task("a"), CRD, WIDGET)
    first = next_step(plan, on())
    assert [item.key.name for item in first.apply] == ["a", "widgets.example.com"]
    results = (result(task("a"), SYNCED, OperationPhase.SUCCEEDED), result(CRD, SYNCED))
    waiting = next_step(plan, on(config_map("a"), established(False), results=results))
    assert (waiting.kind, waiting.reason) == (StepKind.WAIT, Reason.WAITING_FOR_KIND)
    assert [wait.key for wait in waiting.waits] == [CRD.key]
    found = next_step(plan, on(config_map("a"), established(True), results=results))
    assert [item.key.name for item in found.apply] == ["one"]


def test_objects_of_a_custom_kind_fail_with_its_crd() -> None:
    plan = partial(msgspec.structs.replace(CRD, doubtful=True), WIDGET, task("b", wave=1))
    found = next_step(plan, on(results=(result(CRD, ResultCode.SYNC_FAILED, FAILED),)))
    assert [(item.key.name, item.message) for item in found.settled] == [
        ("one", "its kind is not served, because CustomResourceDefinition/widgets.example.com failed")
    ]
    assert [item.key.name for item in found.apply] == ["b"]


WEB = task("web", kind="Deployment", group="apps")
NEXT = task("next", wave=1)


def late(written: str = "2026-03-01T08:00:00Z") -> Object:
    found = deployment(ready=0)
    found["status"]["conditions"] = [{"type": "Progressing", "reason": "ProgressDeadlineExceeded"}]
    found["metadata"]["managedFields"] = [
        {"manager": "argocd-controller", "operation": "Apply", "time": written},
        {"manager": "kubelet", "operation": "Update", "subresource": "status", "time": "2026-03-01T09:00:00Z"},
    ]
    return found


def test_a_degraded_object_of_the_last_stage_does_not_fail_the_operation() -> None:
    found = next_step(Plan((WEB,)), on(late(), results=(result(WEB, SYNCED),)))
    assert (found.kind, found.phase, found.settled) == (*DONE, ())


def test_a_degraded_object_beside_a_hook_of_the_last_stage_fails_the_operation() -> None:
    check = hook_task("check", Phase.SYNC)
    results = (result(WEB, SYNCED), result(check, SYNCED, OperationPhase.SUCCEEDED))
    found = next_step(Plan((WEB, check)), on(late(), made(check), results=results))
    assert found.phase is FAILED


@pytest.mark.parametrize(
    ("as_of", "trusting", "kind"),
    [
        ("2026-03-01T08:00:04Z", False, StepKind.WAIT),
        ("2026-03-01T08:00:05Z", False, StepKind.FINISH),
        ("2026-03-01T08:00:04Z", True, StepKind.FINISH),
    ],
)
def test_degraded_right_after_a_write_is_believed_a_little_later(as_of: str, trusting: bool, kind: StepKind) -> None:
    observed = on(late(), results=(result(WEB, SYNCED),), as_of=as_of, trusting=trusting)
    found = next_step(Plan((WEB, NEXT)), observed)
    assert found.kind is kind
    if kind is StepKind.WAIT:
        assert found.look_again.seconds == DISBELIEF - 4


@pytest.mark.parametrize(
    ("status", "gating", "goes_on"),
    [
        (HealthCode.HEALTHY, True, True),
        (HealthCode.PROGRESSING, True, False),
        (HealthCode.SUSPENDED, True, False),
        (HealthCode.MISSING, True, False),
        (HealthCode.UNKNOWN, True, False),
        (HealthCode.PROGRESSING, False, True),
        (None, True, True),
    ],
)
def test_only_no_health_and_healthy_let_the_next_wave_start(
    status: HealthCode | None, gating: bool, goes_on: bool
) -> None:
    health = Health(status, gating=gating) if status else None
    thing = task("thing", kind="Thing", group="example.com")
    observed = Observed(
        results=(result(thing, SYNCED),),
        live=by_key(obj("Thing", "thing", api="example.com/v1")),
        stamp=STAMP,
        health_of=lambda _obj: health,
    )
    assert (next_step(Plan((thing, NEXT)), observed).kind is StepKind.ACT) is goes_on


def test_a_pending_claim_deadlocks_a_sync_unless_its_health_knows_that_it_waits_for_a_consumer() -> None:
    claim = task("data", kind="PersistentVolumeClaim")
    consumer = task("web", kind="Deployment", group="apps", wave=1)
    live = by_key(obj("PersistentVolumeClaim", "data", status={"phase": "Pending"}))
    results = (result(claim, SYNCED),)
    plan = Plan((claim, consumer))
    stuck = next_step(plan, Observed(results=results, live=live, stamp=STAMP))
    assert (stuck.kind, [wait.key for wait in stuck.waits]) == (StepKind.WAIT, [claim.key])
    awaiting = Health(HealthCode.HEALTHY, "awaiting first consumer", "WaitForFirstConsumer")
    found = next_step(plan, Observed(results=results, live=live, stamp=STAMP, health_of=lambda _obj: awaiting))
    assert [item.key for item in found.apply] == [consumer.key]


def test_a_prune_that_another_app_desires_is_skipped_like_any_other() -> None:
    given = task("given", action=TaskAction.PRUNE, prune_allowed=False, reason=Reason.DESIRED_ELSEWHERE)
    cluster = Cluster(by_key(config_map("given")))
    assert carry_out(partial(given, NEXT), cluster).phase is OperationPhase.SUCCEEDED
    assert key("ConfigMap", "given") in cluster.live
