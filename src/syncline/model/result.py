"""What came of acting: one record per task, and the outcome of a whole pass.

Made by `syncline.core.sync.task_results` alone; written to `status.operationState.syncResult` by
`syncline.controller.deliver.record`.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.model.operation import OperationPhase
from syncline.model.plan import Phase


class ResultCode(StrEnum):
    """Argo CD's words for what happened to an object."""

    SYNCED = "Synced"
    SYNC_FAILED = "SyncFailed"
    PRUNED = "Pruned"
    PRUNE_SKIPPED = "PruneSkipped"


class TaskResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of one task; identified by key and phase."""

    key: ObjectKey
    version: str
    phase: Phase
    code: ResultCode | None = None
    message: str = ""
    hook_type: str = ""
    hook_phase: OperationPhase = OperationPhase.RUNNING
    images: tuple[str, ...] = ()

    @property
    def identity(self) -> tuple[ObjectKey, Phase]:
        """What tells one result from another."""
        return (self.key, self.phase)

    @property
    def completed(self) -> bool:
        """Whether the task is over."""
        return self.hook_phase.completed

    @property
    def successful(self) -> bool:
        """Whether the task is over and went well."""
        return self.hook_phase is OperationPhase.SUCCEEDED
