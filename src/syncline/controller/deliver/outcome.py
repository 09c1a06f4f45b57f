"""What a pass did: the operation as it now stands, and whether it is over.

Made by `syncline.controller.deliver.act`, written down by `syncline.controller.deliver.record`.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.model.look_again import ON_CHANGE, LookAgain
from syncline.model.operation import OperationPhase, OperationState, ResourceResult
from syncline.model.plan import Phase
from syncline.model.result import ResultCode, TaskResult


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """The operation after this pass; None when there is none. `written` are objects the API server answered with."""

    state: OperationState | None = None
    finished: bool = False
    written: dict[ObjectKey, Object] = {}
    released: str = ""
    """Which finalizers of a deleted Application go, by how they start."""
    leaves: str = ""
    """The one of them that stays."""
    undeleted: tuple[str, ...] = ()
    """What the server refused while the Application was being deleted."""
    look_again: LookAgain = ON_CHANGE
    """When the next pass can follow, whatever the decision says."""


def to_resource(result: TaskResult) -> ResourceResult:
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


def from_resource(row: ResourceResult) -> TaskResult:
    """Return a recorded row as a result."""
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


def results_of(state: OperationState | None) -> tuple[TaskResult, ...]:
    """Return what was recorded for the attempt under way; a failed attempt that waits to be retried starts anew."""
    if state is None or state.sync_result is None or state.phase.completed or state.finished_at is not None:
        return ()
    return tuple(from_resource(row) for row in state.sync_result.resources)
