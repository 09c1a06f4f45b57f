"""The order of a sync: phases, waves, kinds, names; prunes mirrored; namespaces and CRDs before what needs them."""

from collections.abc import Iterable
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.model import names
from syncline.model.operation import SyncOperation
from syncline.model.plan import Phase, Plan, TaskAction
from syncline.model.reason import Reason
from syncline.model.sync_options import SyncOptions
from tests.support.objects import (
    by_key,
    compared,
    config_map,
    crd,
    deployment,
    hook,
    obj,
    prepared,
    secret,
    service,
    tracked,
    with_wave,
)

PRUNING = SyncOperation(prune=True)


def planned(
    *wanted: Object,
    extra: Iterable[Object] = (),
    live: Iterable[Object] = (),
    sync: SyncOperation = PRUNING,
    **rest: Any,
) -> Plan:
    """Return the plan for desired objects; `extra` are live objects of the app that Git lacks."""
    ready, extra = prepared(*wanted), list(extra)
    comparison = compared(ready, *extra, *live, owned=extra)
    context = PlanContext(sync=sync, destination_namespace="shop", revision="abcdef1234", started_unix=100, **rest)
    return make_plan(ready, comparison, by_key(*extra, *live), context)


def order(plan: Plan) -> list[tuple[str, int, str]]:
    return [(task.phase.value, task.wave, task.key.name) for task in plan.tasks]


def test_phases_come_first_then_waves_then_kinds_then_names() -> None:
    plan = planned(
        deployment("b"),
        deployment("a"),
        with_wave(service("late"), 1),
        with_wave(deployment("early"), -1),
        config_map("z"),
        secret("y"),
        hook("after", "PostSync", wave=-5),
        hook("before", "PreSync", wave=5),
        hook("failing", "SyncFail"),
    )
    assert order(plan) == [
        ("PreSync", 5, "before"),
        ("Sync", -1, "early"),
        ("Sync", 0, "y"),
        ("Sync", 0, "z"),
        ("Sync", 0, "a"),
        ("Sync", 0, "b"),
        ("Sync", 1, "late"),
        ("PostSync", -5, "after"),
        ("SyncFail", 0, "failing"),
    ]


def test_the_rank_of_a_kind_ignores_its_group_and_unknown_kinds_come_last() -> None:
    plan = planned(
        obj("Anything", "a", api="example.com/v1"), deployment("b"), obj("Service", "c", api="serving.example.com/v1")
    )
    assert [task.key.name for task in plan.tasks] == ["c", "b", "a"]


def test_a_hook_with_two_phases_has_two_tasks() -> None:
    assert order(planned(hook("both", "PreSync,PostSync"))) == [("PreSync", 0, "both"), ("PostSync", 0, "both")]


@pytest.mark.parametrize(
    ("waves", "mirrored"),
    [
        ({"a": 0}, {"a": 0}),
        ({"a": 0, "b": 1}, {"a": 1, "b": 0}),
        ({"a": 0, "b": 2, "c": 7}, {"a": 7, "b": 2, "c": 0}),
        ({"a": -1, "b": 0, "c": 1, "d": 5}, {"a": 5, "b": 1, "c": 0, "d": -1}),
        ({"a": 1, "b": 1, "c": 2}, {"a": 2, "b": 2, "c": 1}),
    ],
)
def test_waves_of_prunes_are_swapped_first_with_last(waves: dict[str, int], mirrored: dict[str, int]) -> None:
    plan = planned(with_wave(config_map("kept"), 9), extra=[with_wave(config_map(n), w) for n, w in waves.items()])
    assert {task.key.name: task.wave for task in plan.tasks if task.action is TaskAction.PRUNE} == mirrored
    assert [task.wave for task in plan.tasks if task.key.name == "kept"] == [9]


@pytest.mark.parametrize(("highest", "last"), [(3, 4), (-3, 1), (0, 1)])
def test_prune_last_is_one_wave_behind_the_highest_of_the_sync_phase_at_least_one(highest: int, last: int) -> None:
    extra = config_map("gone", annotations={names.SYNC_OPTIONS: "PruneLast=true", names.SYNC_WAVE: str(highest)})
    plan = planned(with_wave(config_map("kept"), highest), hook("after", "PostSync", wave=50), extra=[extra])
    assert [task.wave for task in plan.tasks if task.key.name == "gone"] == [last]


def test_prune_last_for_the_whole_app_moves_all_prunes() -> None:
    extra = [with_wave(config_map("a"), 1), with_wave(config_map("b"), 2)]
    plan = planned(config_map("kept"), extra=extra, app_options=SyncOptions.parse(("PruneLast=true",)))
    assert order(plan) == [("Sync", 0, "kept"), ("Sync", 3, "a"), ("Sync", 3, "b")]


def test_a_namespace_is_moved_before_its_first_tenant_with_its_phase_and_wave() -> None:
    plan = planned(
        with_wave(obj("Namespace", "shop"), 5),
        with_wave(config_map("late"), 7),
        hook("early", "PreSync", wave=-2),
    )
    assert order(plan) == [("PreSync", -2, "shop"), ("PreSync", -2, "early"), ("Sync", 7, "late")]
    assert plan.tasks[0].reason is Reason.PULLED_FORWARD


def test_a_namespace_that_comes_before_its_tenants_stays_where_it_is() -> None:
    plan = planned(with_wave(obj("Namespace", "shop"), -1), config_map())
    assert order(plan) == [("Sync", -1, "shop"), ("Sync", 0, "settings")]
    assert plan.tasks[0].reason is Reason.IN_ORDER


def test_a_crd_is_moved_before_the_first_object_of_its_kind_with_its_phase_and_wave() -> None:
    widget = with_wave(obj("Widget", "one", api="example.com/v1"), -3)
    plan = planned(with_wave(crd(), 2), widget, config_map())
    assert order(plan) == [("Sync", -3, "widgets.example.com"), ("Sync", -3, "one"), ("Sync", 0, "settings")]


def test_prunes_do_not_pull_their_namespace_forward() -> None:
    plan = planned(with_wave(obj("Namespace", "shop"), 5), extra=[with_wave(config_map("gone"), -1)])
    assert order(plan) == [("Sync", -1, "gone"), ("Sync", 5, "shop")]


def test_skipped_objects_and_hooks_without_phase_have_no_task() -> None:
    wanted = (
        config_map("skipped", annotations={names.HOOK: "Skip"}),
        hook("misspelt", "presync"),
        hook("deleting", "PreDelete"),
    )
    assert planned(*wanted).tasks == ()


def test_a_generated_hook_name_holds_for_the_operation_and_two_with_one_prefix_differ() -> None:
    one, two = hook("", generateName="run-"), hook("", generateName="run-")
    plan = planned(one, two)
    assert [task.key.name for task in plan.tasks] == ["run-abcdef1-presync-100", "run-abcdef1-presync-100-2"]
    assert plan == planned(one, two)


def test_a_live_hook_object_is_never_pruned() -> None:
    assert planned(extra=[tracked(hook("old"))]).tasks == ()


def test_objects_in_the_wrong_phase_do_not_exist() -> None:
    assert {task.phase for task in planned(config_map(), deployment()).tasks} == {Phase.SYNC}
