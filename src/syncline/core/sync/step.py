"""The next move of a running operation: what to do, or what is waited for and why.

`next_step` is called by `syncline.core.decide` on every pass with the plan, what was recorded so far and what is live
now. It holds no memory of its own: all of it fits `status.operationState`, so a restart continues at the same place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.health.assess import assess
from syncline.core.sync import hooks
from syncline.model import names
from syncline.model.decision import Step, StepKind, Wait
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.plan import Action, HookDeletePolicy, Phase, Plan, Task
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult

Identity = tuple[ObjectKey, Phase]


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What a step looks at: recorded results, live objects, and the stamp of this attempt."""

    results: tuple[TaskResult, ...]
    live: Mapping[ObjectKey, Object]
    stamp: str
    terminating: bool = False


def next_step(plan: Plan, observed: Observed) -> Step:
    """Return what to do next."""
    if observed.terminating:
        return _finish(plan, observed, (), OperationPhase.FAILED, Reason.TERMINATED, "Operation terminated")
    if plan.problems and not observed.results:
        return _invalid(plan, observed)
    settled = _settle(plan, observed)
    results = {result.identity: result for result in (*observed.results, *settled)}
    pending = [task for task in plan.tasks if _identity(task) not in results and task.phase is not Phase.SYNC_FAIL]
    if waits := _running(plan, results, observed, pending) or _deleting(results, observed, pending):
        return _wait(settled, waits)
    if failed := [result for result in results.values() if result.completed and not result.successful]:
        return _fail(plan, observed, settled, results, failed)
    if pending:
        return _act(pending, observed, settled)
    gone = (result for result in results.values() if result.code is ResultCode.PRUNED and not result.completed)
    settled += tuple(_with_phase(result, OperationPhase.SUCCEEDED, result.message) for result in gone)
    message = "successfully synced (all tasks run)" if plan.tasks else "successfully synced (no more tasks)"
    return _finish(plan, observed, settled, OperationPhase.SUCCEEDED, Reason.ALL_DONE, message)


def end_early(plan: Plan, observed: Observed, phase: OperationPhase, reason: Reason, message: str) -> Step:
    """Return the end of an operation that is given up before its plan is done; its hook objects are let go."""
    return _finish(plan, observed, _settle(plan, observed), phase, reason, message)


def dry_run(plan: Plan, observed: Observed) -> Step:
    """Return the end of a dry run: every task is shown as done, nothing is written."""
    if plan.problems:
        return _invalid(plan, observed)
    settled = tuple(_shown(task) for task in plan.tasks if task.phase is not Phase.SYNC_FAIL)
    message = "successfully synced (dry run)"
    return Step(
        kind=StepKind.FINISH,
        reason=Reason.ALL_DONE,
        message=message,
        settled=settled,
        phase=OperationPhase.SUCCEEDED,
    )


def _shown(task: Task) -> TaskResult:
    code, message = ResultCode.SYNCED, f"{task.action.value} (dry run)"
    if task.action is Action.PRUNE:
        code = ResultCode.PRUNED if task.prune_allowed else ResultCode.PRUNE_SKIPPED
        message = "pruned (dry run)" if task.prune_allowed else "ignored (dry run)"
    return TaskResult(
        key=task.key,
        version=task.version,
        phase=task.phase,
        code=code,
        message=message,
        hook_type=task.hook_type,
        hook_phase=OperationPhase.SUCCEEDED,
    )


def _invalid(plan: Plan, observed: Observed) -> Step:
    message = "one or more synchronization tasks are not valid: " + "; ".join(plan.problems)
    return _finish(plan, observed, (), OperationPhase.FAILED, Reason.TASK_FAILED, message)


def _identity(task: Task) -> Identity:
    return (task.key, task.phase)


def _settle(plan: Plan, observed: Observed) -> tuple[TaskResult, ...]:
    """Return the recorded results that look different now: healthy, failed or gone."""
    tasks = {_identity(task): task for task in plan.tasks}
    found = (
        settled(result, tasks.get(result.identity), observed.live.get(result.key))
        for result in observed.results
        if not result.completed
    )
    return tuple(result for result in found if result is not None)


def settled(result: TaskResult, task: Task | None, live: Object | None) -> TaskResult | None:
    """Return a running result as the live object now shows it; None while it is still running."""
    if result.code is ResultCode.PRUNED:
        return _with_phase(result, OperationPhase.SUCCEEDED, result.message) if live is None else None
    if live is None:
        message = f"Resource {result.key} is missing, it might have been deleted"
        return _with_phase(result, OperationPhase.ERROR, message)
    health = assess(live)
    if result.hook_type or (task is not None and task.is_hook):
        return _settled_hook(result, health)
    if health is None or health.status is HealthCode.HEALTHY:
        return _with_phase(result, OperationPhase.SUCCEEDED, result.message)
    if health.status is HealthCode.DEGRADED:
        return _with_phase(result, OperationPhase.FAILED, health.message or "the object is Degraded")
    return None


def _settled_hook(result: TaskResult, health: Health | None) -> TaskResult | None:
    if health is None or health.status is HealthCode.HEALTHY:
        return _with_phase(result, OperationPhase.SUCCEEDED, (health.message if health else "") or result.message)
    if health.status in (HealthCode.DEGRADED, HealthCode.UNKNOWN):
        return _with_phase(result, OperationPhase.FAILED, health.message or "the hook failed")
    return None


def _with_phase(result: TaskResult, phase: OperationPhase, message: str) -> TaskResult:
    return msgspec.structs.replace(result, hook_phase=phase, message=message)


def _running(
    plan: Plan, results: Mapping[Identity, TaskResult], observed: Observed, pending: Sequence[Task]
) -> tuple[Wait, ...]:
    """Return what is still running and holds up the rest.

    Hooks always do, others between the stages of a plan with several. A result whose task is no longer planned holds
    up what is to come.
    """
    planned = {_identity(task) for task in plan.tasks}
    gated = plan.stages > 1 and (bool(pending) or _ends_with_hooks(plan))
    waits = []
    for identity, result in results.items():
        if result.completed or result.code is ResultCode.PRUNED:
            continue
        if result.hook_type or gated or (pending and identity not in planned):
            live = observed.live.get(result.key)
            health = assess(live) if live else None
            reason = Reason.WAITING_FOR_HOOK if result.hook_type else Reason.WAITING_FOR_HEALTH
            waits.append(Wait(key=result.key, reason=reason, message=health.message if health else ""))
    return tuple(sorted(waits, key=lambda wait: (wait.reason is not Reason.WAITING_FOR_HOOK, wait.key)))


def _ends_with_hooks(plan: Plan) -> bool:
    """Whether hooks run in the last stage: the operation goes on until they are done, so the others are awaited too."""
    regular = [task for task in plan.tasks if task.phase is not Phase.SYNC_FAIL]
    last = (regular[-1].phase, regular[-1].wave) if regular else None
    return any(task.is_hook and (task.phase, task.wave) == last for task in regular)


def _deleting(results: Mapping[Identity, TaskResult], observed: Observed, pending: Sequence[Task]) -> tuple[Wait, ...]:
    """Return pruned objects that are still on their way out while more is to come."""
    leaving = [result.key for result in results.values() if result.code is ResultCode.PRUNED and not result.completed]
    return tuple(
        Wait(key=key, reason=Reason.WAITING_FOR_DELETION, message=_finalizers(observed.live[key]))
        for key in sorted(leaving)
        if pending and key in observed.live
    )


def _finalizers(live: Object) -> str:
    found = (live.get("metadata") or {}).get("finalizers") or []
    return f"held by {', '.join(found)}" if found else "terminating"


def _wait(settled: tuple[TaskResult, ...], waits: tuple[Wait, ...]) -> Step:
    words = {
        Reason.WAITING_FOR_HOOK: "waiting for completion of hook",
        Reason.WAITING_FOR_HEALTH: "waiting for healthy state of",
        Reason.WAITING_FOR_DELETION: "waiting for deletion of",
        Reason.WAITING_FOR_CONFIRMATION: "waiting for approval to prune",
    }
    first = waits[0]
    more = f" and {len(waits) - 1} more" if len(waits) > 1 else ""
    detail = f" ({first.message})" if first.message else ""
    key = "/".join(part for part in (first.key.group, first.key.kind, first.key.name) if part)
    message = f"{words[first.reason]} {key}{more}{detail}"
    return Step(kind=StepKind.WAIT, reason=first.reason, message=message, settled=settled, waits=waits)


def _act(pending: Sequence[Task], observed: Observed, settled: tuple[TaskResult, ...]) -> Step:
    """Return the tasks of the lowest phase and wave; hook objects of earlier attempts go first, and alone."""
    first = pending[0]
    stage = [task for task in pending if (task.phase, task.wave) == (first.phase, first.wave)]
    if asking := [task for task in stage if task.reason is Reason.WAITING_FOR_CONFIRMATION]:
        return _wait(settled, tuple(Wait(key=task.key, reason=task.reason) for task in asking))
    stale = [task for task in stage if _is_stale_hook(task, observed)]
    if stale:
        deleting = all((observed.live[task.key].get("metadata") or {}).get("deletionTimestamp") for task in stale)
        held = [task for task in stale if _held_by_us(observed.live[task.key])]
        if deleting and not held:
            return _wait(settled, tuple(Wait(key=task.key, reason=Reason.WAITING_FOR_DELETION) for task in stale))
        return Step(
            kind=StepKind.ACT,
            reason=Reason.IN_ORDER,
            message="deleting hooks of earlier syncs",
            settled=settled,
            release_hooks=tuple(held),
            delete_hooks=tuple(stale),
        )
    return Step(
        kind=StepKind.ACT,
        reason=Reason.IN_ORDER,
        message=f"{first.phase.value} wave {first.wave}",
        settled=settled,
        prune=tuple(task for task in stage if task.action is Action.PRUNE),
        apply=tuple(task for task in stage if task.action is not Action.PRUNE),
    )


def _is_stale_hook(task: Task, observed: Observed) -> bool:
    before = HookDeletePolicy.BEFORE_CREATION in task.delete_policies
    return task.is_hook and before and task.key in observed.live and not _is_mine(task, observed)


def _is_mine(task: Task, observed: Observed) -> bool:
    """Whether the live hook object was created in this phase of this attempt."""
    return hooks.stamp_of(observed.live[task.key]) == hooks.for_phase(observed.stamp, task.phase)


def _held_by_us(live: Object) -> bool:
    return names.HOOK_FINALIZER in ((live.get("metadata") or {}).get("finalizers") or ())


def _fail(
    plan: Plan,
    observed: Observed,
    settled: tuple[TaskResult, ...],
    results: Mapping[Identity, TaskResult],
    failed: Sequence[TaskResult],
) -> Step:
    """Run SyncFail hooks if there are any, then end as Failed with every failure named."""
    pending = [task for task in plan.tasks if task.phase is Phase.SYNC_FAIL and _identity(task) not in results]
    if pending:
        return _act(pending, observed, settled)
    failures = [result for result in failed if result.phase is not Phase.SYNC_FAIL] or list(failed)
    reasons = "; ".join(dict.fromkeys(f"{result.key.short}: {result.message}" for result in failures))
    message = f"one or more synchronization tasks completed unsuccessfully, reason: {reasons}"
    return _finish(plan, observed, settled, OperationPhase.FAILED, Reason.TASK_FAILED, message)


def _finish(
    plan: Plan,
    observed: Observed,
    settled: tuple[TaskResult, ...],
    phase: OperationPhase,
    reason: Reason,
    message: str,
) -> Step:
    policy = HookDeletePolicy.SUCCEEDED if phase is OperationPhase.SUCCEEDED else HookDeletePolicy.FAILED
    live_hooks = [task for task in plan.tasks if task.is_hook and task.key in observed.live]
    mine = [task for task in live_hooks if _is_mine(task, observed)]
    terminated = reason is Reason.TERMINATED
    recorded = {result.identity: result for result in (*observed.results, *settled)}
    doomed = [task for task in mine if policy in task.delete_policies or (terminated and not _over(task, recorded))]
    return Step(
        kind=StepKind.FINISH,
        reason=reason,
        message=message,
        settled=settled,
        release_hooks=tuple(task for task in mine if _held_by_us(observed.live[task.key])),
        delete_hooks=tuple(doomed),
        phase=phase,
    )


def _over(task: Task, recorded: Mapping[Identity, TaskResult]) -> bool:
    result = recorded.get(_identity(task))
    return result is not None and result.completed
