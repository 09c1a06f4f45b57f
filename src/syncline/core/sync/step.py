"""The next move of a running operation: what to do, or what is waited for and why.

`next_step` is called by `syncline.core.decide` on every pass with the plan, what was recorded so far and what is live
now. It holds no memory of its own: all of it fits `status.operationState`, so a restart continues at the same place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.sync import hooks, task_results, waiting
from syncline.core.sync.settling import Identity, Observed, identity, settle, settled, with_phase
from syncline.model import names
from syncline.model.decision import Step, StepKind, Wait
from syncline.model.operation import OperationPhase
from syncline.model.plan import HookDeletePolicy, Phase, Plan, Task, TaskAction
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult

__all__ = ["Identity", "Observed", "dry_run", "end_early", "next_step", "settled"]

Results = Mapping[Identity, TaskResult]
_HELD = (Reason.WAITING_FOR_CONFIRMATION, Reason.WAITING_FOR_OTHERS)


def next_step(plan: Plan, observed: Observed) -> Step:
    """Return what to do next."""
    if observed.terminating:
        return _finish(plan, observed, (), OperationPhase.FAILED, Reason.TERMINATED, "Operation terminated")
    if plan.problems and not plan.partial and not observed.results:
        return _invalid(plan, observed)
    news = settle(plan, observed) + _bound_to_fail(plan, observed)
    results = {result.identity: result for result in (*observed.results, *news)}
    pending = _pending(plan, results)
    if not pending and not waiting.ends_with_hooks(plan):
        # Nothing comes after: the health of what is there no longer matters.
        news = tuple(result for result in news if not _failed_by_health(result))
        results = {result.identity: result for result in (*observed.results, *news)}
    if waits := waiting.running(plan, results, observed, pending) or waiting.deleting(results, observed, pending):
        return waiting.wait(news, waits, observed)
    failed = [result for result in results.values() if _failed(result)]
    if failed and (not pending or _holds_up(plan, failed)):
        return _fail(plan, observed, news, results, failed)
    if pending:
        return _act(pending, observed, news, results)
    gone = (result for result in results.values() if result.code is ResultCode.PRUNED and not result.completed)
    news += tuple(with_phase(result, OperationPhase.SUCCEEDED) for result in gone)
    if plan.problems and plan.partial:
        return _fail(plan, observed, news, results, ())
    # As with Argo CD: where hooks come last, their end is only seen in a pass that finds nothing more to do.
    ended = plan.tasks and not waiting.ends_with_hooks(plan)
    message = "successfully synced (all tasks run)" if ended else "successfully synced (no more tasks)"
    return _finish(plan, observed, news, OperationPhase.SUCCEEDED, Reason.ALL_DONE, message)


def end_early(plan: Plan, observed: Observed, phase: OperationPhase, reason: Reason, message: str) -> Step:
    """Return the end of an operation that is given up before its plan is done; its hook objects are let go."""
    return _finish(plan, observed, settle(plan, observed), phase, reason, message)


def dry_run(plan: Plan, observed: Observed, *, ask: bool = False) -> Step:
    """Return the next move of a dry run, which writes nothing: every task is shown as done.

    With `ask` the server is asked about every object first, and what it refuses fails the operation.
    """
    if plan.problems:
        return _invalid(plan, observed)
    tasks = [task for task in plan.tasks if task.phase is not Phase.SYNC_FAIL]
    tried = tuple(task for task in tasks if task.action is not TaskAction.PRUNE)
    if ask and tried and not observed.results:
        return Step(kind=StepKind.ACT, reason=Reason.IN_ORDER, message="dry run", apply=tried, trial=True)
    told = {result.identity for result in observed.results}
    failed = [f"{result.key.short}: {result.message}" for result in observed.results if _failed(result)]
    message = "successfully synced (dry run)"
    if failed:
        message = f"one or more objects failed to apply (dry run), reason: {'; '.join(failed)}"
    return Step(
        kind=StepKind.FINISH,
        reason=Reason.TASK_FAILED if failed else Reason.ALL_DONE,
        message=message,
        settled=tuple(_shown(task) for task in tasks if identity(task) not in told),
        phase=OperationPhase.FAILED if failed else OperationPhase.SUCCEEDED,
    )


def _shown(task: Task) -> TaskResult:
    code, message = ResultCode.SYNCED, f"{task.action.value} (dry run)"
    if task.action is TaskAction.PRUNE:
        code = ResultCode.PRUNED if task.prune_allowed else ResultCode.PRUNE_SKIPPED
        message = "pruned (dry run)" if task.prune_allowed else "ignored (dry run)"
    return task_results.done(task, code, message)


def _invalid(plan: Plan, observed: Observed) -> Step:
    message = "one or more synchronization tasks are not valid: " + "; ".join(plan.problems)
    refused = tuple(task_results.failed(task, task.refusal) for task in plan.tasks if task.refusal)
    return _finish(plan, observed, refused, OperationPhase.FAILED, Reason.TASK_FAILED, message)


def _pending(plan: Plan, results: Results) -> list[Task]:
    """Return what is left to do; once something failed alone, what comes after the Sync phase is not done."""
    left = [task for task in plan.tasks if identity(task) not in results and task.phase is not Phase.SYNC_FAIL]
    if plan.partial and any(_failed(result) for result in results.values()):
        return [task for task in left if task.phase is not Phase.POST_SYNC]
    return left


def _bound_to_fail(plan: Plan, observed: Observed) -> tuple[TaskResult, ...]:
    """Return the failures of a partial plan that need not be tried, all at once."""
    if not plan.partial:
        return ()
    recorded = {result.identity: result for result in observed.results}
    lost = {result.key for result in observed.results if _failed(result)}
    lost |= {task.key for task in plan.tasks if task.refusal}
    found = []
    for task in plan.tasks:
        if task.phase is Phase.SYNC_FAIL or identity(task) in recorded:
            continue
        missing = next((key for key in task.needs if key in lost), None)
        message = task.refusal or (f"its kind is not served, because {missing.short} failed" if missing else "")
        if message:
            found.append(task_results.failed(task, message))
    return tuple(found)


def _failed(result: TaskResult) -> bool:
    return result.completed and not result.successful


def _failed_by_health(result: TaskResult) -> bool:
    return not result.hook_type and result.code is ResultCode.SYNCED and result.hook_phase is OperationPhase.FAILED


def _holds_up(plan: Plan, failed: Sequence[TaskResult]) -> bool:
    """Whether a failure keeps the rest from being done; what was refused or in doubt beforehand fails alone."""
    if not plan.partial:
        return True
    lost = {result.key for result in failed}
    alone = {
        identity(task)
        for task in plan.tasks
        if task.action is TaskAction.APPLY
        and task.phase is Phase.SYNC
        and (task.refusal or task.doubtful or not lost.isdisjoint(task.needs))
    }
    return any(result.identity not in alone for result in failed)


def _act(pending: Sequence[Task], observed: Observed, news: tuple[TaskResult, ...], results: Results) -> Step:
    """Return the tasks of the lowest phase and wave; hook objects of earlier attempts go first, and alone."""
    first = pending[0]
    stage = [task for task in pending if (task.phase, task.wave) == (first.phase, first.wave)]
    if asking := [task for task in stage if task.reason in _HELD]:
        waits = (Wait(key=task.key, reason=task.reason, message=task.detail) for task in asking)
        return waiting.wait(news, tuple(waiting.label(item, observed) for item in waits), observed)
    served = {result.key for result in results.values() if result.successful}
    ready = [task for task in stage if served.issuperset(task.needs)]
    if not ready:
        missing = sorted({key for task in stage for key in task.needs if key not in served})
        return waiting.wait(news, tuple(_kind_wait(key, observed) for key in missing), observed)
    if stale := [task for task in ready if _is_stale_hook(task, observed)]:
        return _clear_away(stale, observed, news)
    return Step(
        kind=StepKind.ACT,
        reason=Reason.IN_ORDER,
        message=f"{first.phase.value} wave {first.wave}",
        settled=news,
        prune=tuple(task for task in ready if task.action is TaskAction.PRUNE),
        apply=tuple(task for task in ready if task.action is not TaskAction.PRUNE),
    )


def _kind_wait(key: ObjectKey, observed: Observed) -> Wait:
    health = observed.health(key)
    found = Wait(key=key, reason=Reason.WAITING_FOR_KIND, message=health.message if health else "")
    return waiting.label(found, observed)


def _clear_away(stale: Sequence[Task], observed: Observed, news: tuple[TaskResult, ...]) -> Step:
    """Return the deletion of hook objects of earlier syncs, or the wait until they are gone."""
    leaving = all(meta.metadata(observed.live[task.key]).get("deletionTimestamp") for task in stale)
    held = [task for task in stale if _held_by_us(observed.live[task.key])]
    if leaving and not held:
        waits = (Wait(key=task.key, reason=Reason.WAITING_FOR_DELETION) for task in stale)
        return waiting.wait(news, tuple(waiting.label(item, observed) for item in waits), observed)
    return Step(
        kind=StepKind.ACT,
        reason=Reason.IN_ORDER,
        message="deleting hooks of earlier syncs",
        settled=news,
        release_hooks=tuple(held),
        delete_hooks=tuple(stale),
    )


def _is_stale_hook(task: Task, observed: Observed) -> bool:
    before = HookDeletePolicy.BEFORE_CREATION in task.delete_policies
    return task.is_hook and before and task.key in observed.live and not _is_mine(task, observed)


def _is_mine(task: Task, observed: Observed) -> bool:
    """Whether the live hook object was created in this phase of this attempt."""
    return hooks.stamp_of(observed.live[task.key]) == hooks.for_phase(observed.stamp, task.phase)


def _held_by_us(live: Object) -> bool:
    return names.HOOK_FINALIZER in (meta.finalizers(live))


def _fail(
    plan: Plan, observed: Observed, news: tuple[TaskResult, ...], results: Results, failed: Sequence[TaskResult]
) -> Step:
    """Run SyncFail hooks if there are any, then end as Failed with every failure named."""
    pending = [task for task in plan.tasks if task.phase is Phase.SYNC_FAIL and identity(task) not in results]
    news += tuple(task_results.failed(task, task.refusal) for task in pending if task.refusal)
    if permitted := [task for task in pending if not task.refusal]:
        return _act(permitted, observed, news, results)
    failures = [result for result in failed if result.phase is not Phase.SYNC_FAIL] or list(failed)
    named = [f"{result.key.short}: {result.message}" for result in failures]
    told = {result.message for result in failures}
    named += [problem for problem in plan.problems if plan.partial and problem not in told]
    reasons = "; ".join(dict.fromkeys(named))
    refused = any(_was_refused(result) for result in failures) and not any(
        task.phase is Phase.SYNC_FAIL for task in plan.tasks
    )
    what = "objects failed to apply" if refused else "synchronization tasks completed unsuccessfully"
    message = f"one or more {what}, reason: {reasons}"
    return _finish(plan, observed, news, OperationPhase.FAILED, Reason.TASK_FAILED, message)


def _was_refused(result: TaskResult) -> bool:
    return result.code is ResultCode.SYNC_FAILED and result.hook_phase is OperationPhase.FAILED


def _finish(
    plan: Plan,
    observed: Observed,
    news: tuple[TaskResult, ...],
    phase: OperationPhase,
    reason: Reason,
    message: str,
) -> Step:
    policy = HookDeletePolicy.SUCCEEDED if phase is OperationPhase.SUCCEEDED else HookDeletePolicy.FAILED
    live_hooks = [task for task in plan.tasks if task.is_hook and task.key in observed.live]
    mine = [task for task in live_hooks if _is_mine(task, observed)]
    terminated = reason in (Reason.TERMINATED, Reason.TIMED_OUT)
    recorded = {result.identity: result for result in (*observed.results, *news)}
    doomed = [task for task in mine if policy in task.delete_policies or (terminated and not _over(task, recorded))]
    return Step(
        kind=StepKind.FINISH,
        reason=reason,
        message=message,
        settled=news,
        release_hooks=tuple(task for task in mine if _held_by_us(observed.live[task.key])),
        delete_hooks=tuple(doomed),
        phase=phase,
    )


def _over(task: Task, recorded: Results) -> bool:
    result = recorded.get(identity(task))
    return result is not None and result.completed
