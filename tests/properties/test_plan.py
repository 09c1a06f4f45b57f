"""What holds of every plan."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.keys import Object, key_of
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.core.sync.waves import wave_of
from syncline.model import names
from syncline.model.decision import StepKind
from syncline.model.operation import OperationPhase, SyncOperation
from syncline.model.plan import Phase, Plan, Task, TaskAction
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import SyncOptions
from tests.support.carrying import Cluster, carry_out, made
from tests.support.generated import app_objects
from tests.support.objects import as_applied, by_key, compared, deployment, prepared

CONTEXT = PlanContext(
    sync=SyncOperation(prune=True),
    destination_namespace="shop",
    revision="abcdef1",
    app_options=SyncOptions.parse(("CreateNamespace=true",)),
    approved=True,
)


def planned(wanted: list[Object], live: list[Object], context: PlanContext = CONTEXT) -> Plan:
    ready = prepared(*wanted)
    return make_plan(ready, compared(ready, *live, owned=live), by_key(*live), context)


def applied(objects: list[Object]) -> list[Object]:
    return [as_applied(item.obj) for item in prepared(*objects).objects]


@settings(max_examples=50)
@given(app_objects(), app_objects(), st.randoms(use_true_random=False))
def test_the_order_of_objects_never_matters(wanted: list[Object], present: list[Object], chance: Any) -> None:
    live = applied(present)
    first = planned(wanted, live)
    chance.shuffle(wanted)
    chance.shuffle(live)
    assert planned(wanted, live) == first


@settings(max_examples=50)
@given(app_objects(), app_objects())
def test_tasks_are_in_order_of_phase_and_wave_and_every_identity_occurs_once(
    wanted: list[Object], present: list[Object]
) -> None:
    tasks = planned(wanted, applied(present)).tasks
    stages = [(task.phase.rank, task.wave) for task in tasks]
    assert stages == sorted(stages)
    assert len({(task.key, task.phase) for task in tasks}) == len(tasks)


@settings(max_examples=50)
@given(app_objects())
def test_prune_waves_are_mirrored(present: list[Object]) -> None:
    live = applied(present)
    own = {key_of(item): wave_of(item) for item in live}
    tasks = [task for task in planned([], live).tasks if task.action is TaskAction.PRUNE]
    last = {key_of(item) for item in live if "PruneLast=true" in str(item["metadata"].get("annotations"))}
    distinct = sorted(set(own.values()))
    mirrored = {wave: distinct[len(distinct) - 1 - place] for place, wave in enumerate(distinct)}
    assert {task.key: task.wave for task in tasks if task.key not in last} == {
        task.key: mirrored[own[task.key]] for task in tasks if task.key not in last
    }


def healthy(task: Task) -> Object:
    return deployment(task.key.name, ready=1) if task.key.kind == "Deployment" else made(task)


@settings(max_examples=50)
@given(app_objects(), app_objects())
def test_a_plan_that_is_carried_out_ends_well_with_everything_done(wanted: list[Object], present: list[Object]) -> None:
    live = applied(present)
    plan = planned(wanted, live)
    cluster = Cluster(by_key(*live), healthy)
    last = carry_out(plan, cluster)
    assert (last.kind, last.phase) == (StepKind.FINISH, OperationPhase.SUCCEEDED)
    done = {
        task.key for task in plan.tasks if task.phase is not Phase.SYNC_FAIL and task.action is not TaskAction.PRUNE
    }
    gone = {task.key for task in plan.tasks if task.action is TaskAction.PRUNE and task.prune_allowed}
    assert {key for key, _ in cluster.results} >= done | gone
    assert not gone & cluster.live.keys()


@settings(max_examples=25)
@given(app_objects(), app_objects(), st.integers(0, 12))
def test_an_operation_killed_before_any_record_ends_as_if_it_had_not_been(
    wanted: list[Object], present: list[Object], killed_after: int
) -> None:
    live = applied(present)
    plan = planned(wanted, live)
    whole = Cluster(by_key(*live), healthy)
    carry_out(plan, whole)
    cluster = Cluster(by_key(*live), healthy)
    for _ in range(killed_after):
        step = cluster.step(plan)
        if step.kind is StepKind.FINISH:
            break
        cluster.do(step)
    recorded = dict(cluster.results)
    step = cluster.step(plan)
    if step.kind is StepKind.ACT:
        cluster.do(step)
        cluster.results = recorded
    assert carry_out(plan, cluster).phase is OperationPhase.SUCCEEDED
    assert cluster.live.keys() == whole.live.keys()
    assert sorted(line for line in cluster.log if line.startswith("hook")) == sorted(
        line for line in whole.log if line.startswith("hook")
    )


@settings(max_examples=50)
@given(app_objects(), app_objects())
def test_a_plan_that_was_applied_leaves_nothing_to_plan_but_hooks_and_what_must_not_be_pruned(
    wanted: list[Object], present: list[Object]
) -> None:
    live = applied(present)
    ready = prepared(*wanted)
    tasks = planned(wanted, live).tasks
    gone = {task.key for task in tasks if task.action is TaskAction.PRUNE and task.prune_allowed}
    kept = [item for item in live if key_of(item) not in gone]
    desired_keys = {item.key for item in ready.objects}
    after = [*applied(wanted), *(item for item in kept if key_of(item) not in desired_keys)]
    again = msgspec.structs.replace(CONTEXT, app_options=SyncOptions.parse(("ApplyOutOfSyncOnly=true",)))
    left = [task for task in planned(wanted, after, again).tasks if task.action is not TaskAction.HOOK]
    assert [task for task in left if task.action is TaskAction.APPLY or task.prune_allowed] == []


@settings(max_examples=50)
@given(app_objects(), app_objects(), st.sampled_from(list(Compat)))
def test_both_profiles_do_the_same_to_the_same_objects(
    wanted: list[Object], present: list[Object], compat: Compat
) -> None:
    live = applied(present)
    found = planned(wanted, live, msgspec.structs.replace(CONTEXT, compat=compat))
    assert {(task.key, task.phase, task.action) for task in found.tasks} == {
        (task.key, task.phase, task.action) for task in planned(wanted, live).tasks
    }


@settings(max_examples=50)
@given(app_objects(), st.data())
def test_what_is_refused_never_holds_up_other_objects_of_the_sync_phase(
    wanted: list[Object], data: st.DataObject
) -> None:
    plain = [item for item in wanted if names.HOOK not in item["metadata"].get("annotations", {})]
    plan = planned(plain, [])
    chosen = data.draw(st.sets(st.sampled_from([task.key for task in plan.tasks]))) if plan.tasks else set()
    tasks = tuple(
        msgspec.structs.replace(task, refusal="no") if task.key in chosen and task.phase is Phase.SYNC else task
        for task in plan.tasks
    )
    problems = tuple(task.refusal for task in tasks if task.refusal)
    cluster = Cluster({}, healthy)
    last = carry_out(msgspec.structs.replace(plan, tasks=tasks, problems=problems), cluster)
    assert (last.phase is OperationPhase.FAILED) is bool(problems)
    assert cluster.live.keys() == {task.key for task in tasks if not task.refusal}
