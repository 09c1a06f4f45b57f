"""What holds of every step of every operation."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.sync import task_results
from syncline.core.sync.step import next_step
from syncline.model import names
from syncline.model.decision import Step, StepKind
from syncline.model.operation import Operation, OperationPhase, OperationState, SyncOperationResult
from syncline.model.plan import HookDeletePolicy, Phase, Plan, Task, TaskAction
from tests.properties.test_plan import applied, healthy, planned
from tests.support.carrying import Cluster, carry_out
from tests.support.generated import app_objects
from tests.support.objects import by_key, deployment

LIMIT = 200


class Slow:
    """Makes objects that are not healthy while they are slow."""

    def __init__(self, keys: set[ObjectKey]) -> None:
        self.keys = keys

    def __call__(self, task: Task) -> Object:
        found = healthy(task)
        if task.key not in self.keys:
            return found
        return deployment(task.key.name, ready=0) if task.key.kind == "Deployment" else {**found, "status": {}}


def stages(plan: Plan) -> dict[tuple[ObjectKey, Phase], tuple[int, int]]:
    return {(task.key, task.phase): (task.phase.rank, task.wave) for task in plan.tasks}


@settings(max_examples=30)
@given(app_objects(), app_objects(), st.data())
def test_nothing_of_a_later_stage_is_done_while_an_earlier_one_holds_up(
    wanted: list[Object], present: list[Object], data: st.DataObject
) -> None:
    live = applied(present)
    plan = planned(wanted, live)
    keys = sorted({task.key for task in plan.tasks})
    slow = Slow(data.draw(st.sets(st.sampled_from(keys))) if keys else set())
    cluster = Cluster(by_key(*live), slow)
    stage_of = stages(plan)
    for _ in range(LIMIT):
        step = cluster.step(plan)
        if step.kind is StepKind.WAIT:
            for key in slow.keys:
                if key in cluster.live:
                    cluster.live[key] = _healed(plan, key, cluster.live[key])
            slow.keys = set()
            continue
        acting = [stage_of[task.key, task.phase] for task in (*step.prune, *step.apply)]
        held = [stage_of[name] for name, result in cluster.results.items() if not result.completed]
        settled = {result.identity for result in step.settled if result.completed}
        held = [stage for name, stage in stage_of.items() if stage in held and _running(cluster, name, settled)]
        assert not acting or plan.stages == 1 or all(stage >= min(acting) for stage in held)
        assert len(set(acting)) <= 1
        cluster.do(step)
        if step.kind is StepKind.FINISH:
            break
    assert (step.kind, step.phase) == (StepKind.FINISH, OperationPhase.SUCCEEDED), f"after {LIMIT} steps at most"


def _running(cluster: Cluster, name: tuple[ObjectKey, Phase], settled: set[tuple[ObjectKey, Phase]]) -> bool:
    result = cluster.results.get(name)
    return result is not None and not result.completed and name not in settled


def _healed(plan: Plan, key: ObjectKey, live: Object) -> Object:
    task = next(task for task in plan.tasks if task.key == key)
    return {**live, "status": healthy(task).get("status", {})}


def recorded(cluster: Cluster) -> OperationState:
    """Return the operation as a killed controller leaves it behind, after a trip through JSON."""
    rows = tuple(task_results.to_row(result) for result in cluster.results.values())
    state = OperationState(
        Operation(),
        OperationPhase.RUNNING,
        "2026-03-01T08:00:00Z",
        sync_result=SyncOperationResult(revision="a" * 40, resources=rows),
    )
    return msgspec.json.decode(msgspec.json.encode(state), type=OperationState)


def replayed(plan: Plan, cluster: Cluster) -> Step:
    return next_step(
        plan, msgspec.structs.replace(cluster.observed(), results=task_results.recorded(recorded(cluster)))
    )


@settings(max_examples=30)
@given(app_objects(), app_objects(), st.data())
def test_a_successor_that_knows_only_what_is_recorded_takes_the_same_step(
    wanted: list[Object], present: list[Object], data: st.DataObject
) -> None:
    live = applied(present)
    plan = planned(wanted, live)
    keys = sorted({task.key for task in plan.tasks})
    slow = Slow(data.draw(st.sets(st.sampled_from(keys))) if keys else set())
    cluster = Cluster(by_key(*live), slow)
    for _ in range(LIMIT):
        step = cluster.step(plan)
        assert replayed(plan, cluster) == step
        if step.kind is not StepKind.ACT:
            return
        cluster.do(step)
    raise AssertionError(f"no end after {LIMIT} steps")


@settings(max_examples=30)
@given(app_objects())
def test_a_retry_is_a_new_attempt_that_applies_everything_and_runs_every_hook_once_more(wanted: list[Object]) -> None:
    plan = planned(wanted, [])
    cluster = Cluster({}, healthy)
    carry_out(plan, cluster)
    first = sorted(cluster.log)
    failed = msgspec.structs.replace(recorded(cluster), finished_at="2026-03-01T08:10:00Z", retry_count=1)
    assert task_results.recorded(failed) == ()
    cluster.results, cluster.log = {}, []
    for key, obj in cluster.live.items():
        annotations = obj["metadata"].get("annotations") or {}
        if names.OPERATION_STAMP in annotations:
            older = {**annotations, names.OPERATION_STAMP: "earlier.0"}
            cluster.live[key] = {**obj, "metadata": {**obj["metadata"], "annotations": older}}
    assert carry_out(plan, cluster).phase is OperationPhase.SUCCEEDED
    assert sorted(line for line in cluster.log if not line.startswith("delete")) == [
        line for line in first if not line.startswith("delete")
    ]
    stale = {
        task.key.name
        for task in plan.tasks
        if task.action is TaskAction.HOOK
        and task.phase is not Phase.SYNC_FAIL
        and HookDeletePolicy.BEFORE_CREATION in task.delete_policies
    }
    assert {line for line in cluster.log if line.startswith("delete")} >= {
        f"delete {name}" for name in stale if f"delete {name}" not in first
    }
