"""When a wait is labelled as stuck: after a grace for each cause, from recorded times alone."""

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.sync import stuck
from syncline.core.sync.step import Observed, next_step
from syncline.model.decision import Step, StepKind, Wait
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import Plan, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode
from tests.support.carrying import STAMP, made, result
from tests.support.objects import by_key, config_map, deployment, hook_task, key, task

STARTED = "2026-03-01T08:00:00Z"
WEB, NEXT = task("web", kind="Deployment", group="apps"), task("next", wave=1)


def at(minutes: int, seconds: int = 0) -> str:
    return f"2026-03-01T08:{minutes:02}:{seconds:02}Z"


def waiting(one: Task, live: Object, as_of: str, health: Health | None = None) -> Step:
    code = ResultCode.PRUNED if one.action is TaskAction.PRUNE else ResultCode.SYNCED
    observed = Observed(results=(result(one, code),), live=by_key(live), stamp=STAMP, as_of=as_of, started_at=STARTED)
    if health is not None:
        observed = Observed(
            results=observed.results, live=observed.live, stamp=STAMP, as_of=as_of, started_at=STARTED,
            health_of=lambda _obj: health,
        )  # fmt: skip
    return next_step(Plan((one, NEXT)), observed)


def progressing(reason: str = "", since: str = "") -> Health:
    return Health(HealthCode.PROGRESSING, "not there yet", reason, since=since)


@pytest.mark.parametrize(
    ("reason", "seconds"),
    [
        ("", 300),
        ("RolloutIncomplete", 300),
        ("ImagePullBackOff", 60),
        ("CreateContainerConfigError", 30),
        ("Unschedulable", 120),
        ("Pending", 120),
        ("NoAddress", 180),
    ],
)
def test_every_cause_has_its_grace(reason: str, seconds: int) -> None:
    early = waiting(WEB, deployment(ready=0), at(*divmod(seconds - 1, 60)), progressing(reason))
    assert [(wait.stuck, wait.cause, wait.since) for wait in early.waits] == [(False, reason, STARTED)]
    assert early.look_again.seconds == 1
    late = waiting(WEB, deployment(ready=0), at(*divmod(seconds, 60)), progressing(reason))
    assert [wait.stuck for wait in late.waits] == [True]
    assert late.look_again.seconds is None


def test_the_label_is_in_the_message_and_fails_nothing() -> None:
    found = waiting(WEB, deployment(ready=0), at(20), progressing("ImagePullBackOff"))
    assert (found.kind, found.phase) == (StepKind.WAIT, OperationPhase.RUNNING)
    assert found.message == (
        "waiting for healthy state of apps/Deployment/web (not there yet),"
        " stuck since 2026-03-01T08:00:00Z: ImagePullBackOff"
    )


@pytest.mark.parametrize(
    ("created", "written", "since", "expected"),
    [
        ("", "", "", STARTED),
        (at(3), "", "", at(3)),
        ("2026-02-01T00:00:00Z", "", "", STARTED),
        ("2026-02-01T00:00:00Z", at(5), "", at(5)),
        (at(3), at(5), at(7), at(7)),
        (at(3), at(5), "nonsense", at(5)),
    ],
)
def test_a_wait_lasts_since_the_latest_time_before_which_it_cannot_have_begun(
    created: str, written: str, since: str, expected: str
) -> None:
    live = deployment(ready=0)
    live["metadata"]["creationTimestamp"] = created
    live["metadata"]["managedFields"] = [
        {"manager": "argocd-controller", "operation": "Apply", "time": written},
        {"manager": "kubelet", "operation": "Update", "subresource": "status", "time": at(50)},
    ]
    found = waiting(WEB, live, at(55), progressing(since=since))
    assert [wait.since for wait in found.waits] == [expected]


def test_a_deletion_lasts_since_it_was_asked_for() -> None:
    gone = task("gone", action=TaskAction.PRUNE)
    leaving = config_map("gone", finalizers=["example.com/hold"], deletionTimestamp=at(1))
    assert [wait.stuck for wait in waiting(gone, leaving, at(2, 59)).waits] == [False]
    found = waiting(gone, leaving, at(3))
    assert [wait.stuck for wait in found.waits] == [True]
    assert found.message == (
        "waiting for deletion of /ConfigMap/gone (held by example.com/hold), stuck since 2026-03-01T08:01:00Z: Deleting"
    )


def test_a_hook_may_take_fifteen_minutes() -> None:
    check = hook_task("check")
    running = {**made(check), "status": {}}
    assert [wait.stuck for wait in waiting(check, running, at(14, 59)).waits] == [False]
    assert [wait.stuck for wait in waiting(check, running, at(15)).waits] == [True]


def test_waiting_for_people_is_never_stuck() -> None:
    wait = Wait(key=key("ConfigMap", "gone"), reason=Reason.WAITING_FOR_CONFIRMATION)
    assert stuck.labelled(wait, None, None, started_at=STARTED, as_of="2027-01-01T00:00:00Z").stuck is False


def test_a_stuck_object_is_named_before_one_that_still_gets_on() -> None:
    fresh = deployment("a", ready=0)
    fresh["metadata"]["creationTimestamp"] = at(9)
    one, other = task("a", kind="Deployment", group="apps"), task("b", kind="Deployment", group="apps")
    observed = Observed(
        results=(result(one, ResultCode.SYNCED), result(other, ResultCode.SYNCED)),
        live=by_key(fresh, deployment("b", ready=0)), stamp=STAMP, as_of=at(10), started_at=STARTED,
    )  # fmt: skip
    found = next_step(Plan((one, other, NEXT)), observed)
    assert found.message.startswith("waiting for healthy state of apps/Deployment/b and 1 more resources")
