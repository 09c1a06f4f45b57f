"""What is asked before something is deleted, and what keeps everything from being deleted."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.operating import plan_of, unsafe_to_prune
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.core.sync.step import next_step
from syncline.model import names
from syncline.model.decision import StepKind
from syncline.model.operation import Operation, OperationPhase, OperationState, SyncOperation
from syncline.model.plan import Plan, Task
from syncline.model.reason import Reason
from syncline.model.settings.parts import Safety
from syncline.model.settings.settings import Compat, Settings
from syncline.model.sync_options import SyncOptions
from tests.support.carrying import Cluster
from tests.support.objects import (
    application_object,
    as_applied,
    assessed,
    by_key,
    compared,
    config_map,
    crd,
    desired,
    obj,
    prepared,
    tracked,
    with_wave,
)

OURS, ARGOCD = Compat.SYNCLINE, Compat.ARGOCD
ASKS, GOES = Reason.WAITING_FOR_CONFIRMATION, Reason.IN_ORDER
RELEASED = SyncOptions.parse(("Prune=true",))


def claim(options: str = "") -> Object:
    return obj("PersistentVolumeClaim", "gone", annotations={names.SYNC_OPTIONS: options} if options else {})


def planned(*wanted: Object, live: tuple[Object, ...] = (), **rest: Any) -> Plan:
    ready = prepared(*wanted)
    context = PlanContext(**{"sync": SyncOperation(prune=True), "destination_namespace": "shop", **rest})
    return make_plan(ready, compared(ready, *live, owned=live), by_key(*live), context)


def pruned(plan: Plan, name: str = "gone") -> Task:
    (found,) = [task for task in plan.tasks if task.key.name == name]
    return found


@pytest.mark.parametrize(
    "live",
    [
        claim(),
        obj("PersistentVolume", "gone", namespace=""),
        obj("Namespace", "gone", namespace=""),
        {**crd(), "metadata": {"name": "gone"}},
    ],
    ids=lambda value: value["kind"],
)
def test_kinds_that_hold_data_or_objects_of_others_ask_before_they_are_pruned_but_not_with_argo_cd(
    live: Object,
) -> None:
    ours = pruned(planned(live=(live,)))
    assert (ours.reason, ours.detail) == (
        ASKS,
        f"deleting a {live['kind']} may delete data or other objects with it",
    )
    assert pruned(planned(live=(live,), compat=ARGOCD)).reason is GOES


@pytest.mark.parametrize(
    ("live", "context", "reason"),
    [
        (claim(), {"approved": True}, GOES),
        (claim("Prune=true"), {}, GOES),
        (claim(), {"app_options": RELEASED}, GOES),
        (claim("Prune=false"), {}, Reason.PRUNE_FORBIDDEN),
        (claim(), {"sync": SyncOperation()}, Reason.PRUNE_NOT_REQUESTED),
        (obj("StatefulSet", "gone", api="apps/v1"), {}, GOES),
        (obj("Namespace", "gone", api="example.com/v1"), {}, GOES),
    ],
)
def test_nobody_is_asked_who_answered_before_or_about_other_kinds(
    live: Object, context: dict[str, Any], reason: Reason
) -> None:
    assert pruned(planned(live=(live,), **context)).reason is reason


def test_what_is_asked_about_comes_last_so_that_the_rest_is_done_by_then() -> None:
    plan = planned(with_wave(config_map("late"), 3), config_map("early"), live=(claim(),))
    assert [(task.key.name, task.wave) for task in plan.tasks] == [("early", 0), ("late", 3), ("gone", 4)]
    cluster = Cluster(by_key(claim()))
    for _ in range(2):
        cluster.do(cluster.step(plan))
    waiting = next_step(plan, cluster.observed())
    assert (waiting.kind, waiting.reason, waiting.message) == (
        StepKind.WAIT,
        ASKS,
        (
            "waiting for approval to prune PersistentVolumeClaim/gone"
            " (deleting a PersistentVolumeClaim may delete data or other objects with it)"
        ),
    )
    approved = planned(with_wave(config_map("late"), 3), config_map("early"), live=(claim(),), approved=True)
    acting = next_step(approved, cluster.observed())
    assert (acting.kind, [task.key.name for task in acting.prune]) == (StepKind.ACT, ["gone"])


def test_what_the_options_ask_about_keeps_its_wave() -> None:
    gone = config_map("gone", annotations={names.SYNC_OPTIONS: "Prune=confirm"})
    assert pruned(planned(with_wave(config_map("late"), 3), live=(gone,))).wave == 0


def many(count: int) -> tuple[Object, ...]:
    return tuple(config_map(f"gone-{number:02}") for number in range(count))


@pytest.mark.parametrize(
    ("gone", "kept", "safety", "asks"),
    [
        # Up to five are never a large part of an app.
        (5, 0, Safety(), False),
        (6, 6, Safety(), False),
        (7, 6, Safety(), True),
        (6, 5, Safety(), True),
        (6, 54, Safety(prune_percent=10), False),
        (7, 54, Safety(prune_percent=10), True),
        (20, 0, Safety(prune_percent=100), False),
        (3, 97, Safety(prune_objects=3), False),
        (4, 97, Safety(prune_objects=3), True),
    ],
)
def test_more_deletions_than_the_budget_permits_are_asked_about(
    gone: int, kept: int, safety: Safety, asks: bool
) -> None:
    staying = tuple(as_applied(prepared(config_map(f"kept-{number}")).objects[0].obj) for number in range(kept))
    wanted = tuple(config_map(f"kept-{number}") for number in range(kept))
    plan = planned(*wanted, live=(*many(gone), *staying), safety=safety)
    reasons = {task.reason for task in plan.tasks if task.key.name.startswith("gone")}
    assert reasons == {ASKS if asks else GOES}


@pytest.mark.parametrize("context", [{"approved": True}, {"compat": ARGOCD}, {"app_options": RELEASED}], ids=str)
def test_the_budget_does_not_hold_once_approved_or_with_argo_cd(context: dict[str, Any]) -> None:
    plan = planned(live=many(20), **context)
    assert {task.reason for task in plan.tasks} == {GOES}


def test_the_budget_says_how_many_and_counts_what_is_deleted_only() -> None:
    plan = planned(live=many(8))
    assert plan.tasks[0].detail == "8 of 8 objects would be deleted, more than the 50 % allowed without confirmation"
    kept = tuple(
        config_map(f"gone-{number:02}", annotations={names.SYNC_OPTIONS: "Prune=false"}) for number in range(8)
    )
    assert {task.reason for task in planned(live=kept).tasks} == {Reason.PRUNE_FORBIDDEN}


def test_an_object_that_moves_in_one_commit_waits_until_the_other_apps_were_looked_at() -> None:
    gone = config_map("gone")
    unseen = planned(live=(gone,), unseen=("argocd/pay", "argocd/search"))
    held = next_step(unseen, Cluster(by_key(gone)).observed())
    assert (held.kind, held.reason, held.look_again.seconds, held.message) == (
        StepKind.WAIT,
        Reason.WAITING_FOR_OTHERS,
        1.0,
        "waiting for other apps to be checked before pruning ConfigMap/gone (another app may desire it)",
    )
    given = planned(live=(gone,), desired_elsewhere=frozenset(by_key(gone)))
    assert (pruned(given).prune_allowed, pruned(given).reason) == (False, Reason.DESIRED_ELSEWHERE)
    nobody = planned(live=(gone,))
    assert (pruned(nobody).prune_allowed, pruned(nobody).reason) == (True, GOES)


def test_other_apps_are_not_waited_for_without_pruning_and_not_with_argo_cd() -> None:
    gone = config_map("gone")
    assert pruned(planned(live=(gone,), unseen=("argocd/pay",), compat=ARGOCD)).reason is GOES
    unasked = planned(live=(gone,), unseen=("argocd/pay",), sync=SyncOperation())
    assert pruned(unasked).reason is Reason.PRUNE_NOT_REQUESTED


EXTRA = tracked(config_map("gone"))
EMPTY = "Git has no objects for this app at all; automated.allowEmpty would permit deleting everything"
LOST = (
    "the render has invalid objects:"
    " Namespace for lost /v1, Kind=ConfigMap is missing."
    " (deploy/web.yaml:1: set metadata.namespace there, or spec.destination.namespace in the Application)"
)


@pytest.mark.parametrize(
    ("wanted", "spec", "rest", "ours", "theirs"),
    [
        ((config_map(),), {}, {}, "", ""),
        (
            (config_map(),),
            {},
            {"complete": False, "incomplete_groups": ("metrics.k8s.io",)},
            "not everything could be read: metrics.k8s.io",
            "not everything could be read: metrics.k8s.io",
        ),
        (
            (config_map(),),
            {},
            {"desired_stale": True},
            "the source could not be fetched or rendered",
            "the source could not be fetched or rendered",
        ),
        (None, {}, {}, "the source could not be fetched or rendered", "the source could not be fetched or rendered"),
        ((), {}, {}, EMPTY, ""),
        ((), {"syncPolicy": {"automated": {"allowEmpty": True}}}, {}, "", ""),
        ((config_map("lost", namespace=""), config_map()), {"destination": {"name": "in-cluster"}}, {}, LOST, ""),
    ],
)
def test_nothing_is_pruned_after_a_failed_partial_or_empty_render_or_discovery(
    wanted: tuple[Object, ...] | None, spec: dict[str, Any], rest: dict[str, Any], ours: str, theirs: str
) -> None:
    state = OperationState(Operation(sync=SyncOperation(prune=True)), OperationPhase.RUNNING, "2026-03-01T08:00:00Z")
    for compat, why in ((OURS, ours), (ARGOCD, theirs)):
        found = assessed(
            application_object(**spec),
            wanted=None if wanted is None else desired(*wanted),
            live=(EXTRA,),
            settings=Settings(compat=compat),
            **rest,
        )
        assert unsafe_to_prune(found) == why
        tasks = [task for task in plan_of(found, state).tasks if task.key.name == "gone"]
        assert [(task.prune_allowed, task.detail) for task in tasks] == ([(not why, why)] if tasks else [])
