"""Makes the results of tasks: of what was just done, of what need not be tried, and of what was recorded before.

Used by `syncline.core.sync.step` and `syncline.controller.deliver.apply`; nobody else makes a `TaskResult`. Results are
kept as rows of `status.operationState.syncResult`, and an operation that is resumed reads them back from there.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.operation import OperationPhase, OperationState, ResourceResult
from syncline.model.plan import Phase, Task
from syncline.model.reason import Reason
from syncline.model.result import ResultCode, TaskResult


def begun(task: Task, code: ResultCode, message: str, *, images: tuple[str, ...] = ()) -> TaskResult:
    """Return the result of a task that was done and whose effect has yet to show."""
    return _result(task, code, message, OperationPhase.RUNNING, images)


def done(task: Task, code: ResultCode, message: str, *, images: tuple[str, ...] = ()) -> TaskResult:
    """Return the result of a task that is over and went well."""
    return _result(task, code, message, OperationPhase.SUCCEEDED, images)


def failed(task: Task, message: str) -> TaskResult:
    """Return the result of a task that is over and did not go well."""
    return _result(task, ResultCode.SYNC_FAILED, message, OperationPhase.FAILED)


def skipped(task: Task) -> TaskResult:
    """Return the result of a prune that is not to be done."""
    words = {
        Reason.PRUNE_FORBIDDEN: "ignored (no prune)",
        Reason.PRUNE_UNSAFE: f"ignored ({task.detail}; so nothing is deleted)",
        Reason.DESIRED_ELSEWHERE: "ignored (another app desires it)",
    }
    return done(task, ResultCode.PRUNE_SKIPPED, words.get(task.reason, "ignored (requires pruning)"))


def not_released(task: Task, message: str, known: TaskResult | None) -> TaskResult:
    """Return the result of a hook whose object could not be let go, over what was recorded of it."""
    result = known or failed(task, message)
    return msgspec.structs.replace(result, hook_phase=OperationPhase.ERROR, message=message)


def to_row(result: TaskResult) -> ResourceResult:
    """Return a result as `status.operationState.syncResult.resources` holds it."""
    return ResourceResult(
        group=result.key.group,
        version=result.version,
        kind=result.key.kind,
        namespace=result.key.namespace,
        name=result.key.name,
        status=result.code.value if result.code else "",
        message=result.message,
        hook_type=result.hook_type,
        hook_phase=result.hook_phase.value,
        sync_phase=result.phase.value,
        images=result.images,
    )


def recorded(state: OperationState | None) -> tuple[TaskResult, ...]:
    """Return what was recorded for the attempt under way; a failed attempt that waits to be retried starts over."""
    if state is None or state.sync_result is None or state.phase.completed or state.finished_at is not None:
        return ()
    return tuple(_from_row(row) for row in state.sync_result.resources)


def _from_row(row: ResourceResult) -> TaskResult:
    return TaskResult(
        key=ObjectKey(row.group, row.kind, row.namespace, row.name),
        version=row.version,
        phase=Phase(row.sync_phase) if row.sync_phase else Phase.SYNC,
        code=ResultCode(row.status) if row.status else None,
        message=row.message,
        hook_type=row.hook_type,
        hook_phase=OperationPhase(row.hook_phase) if row.hook_phase else OperationPhase.RUNNING,
        images=row.images,
    )


def _result(
    task: Task, code: ResultCode, message: str, phase: OperationPhase, images: tuple[str, ...] = ()
) -> TaskResult:
    return TaskResult(
        key=task.key,
        version=task.version,
        phase=task.phase,
        code=code,
        message=message,
        hook_type=task.hook_type,
        hook_phase=phase,
        images=images,
    )
