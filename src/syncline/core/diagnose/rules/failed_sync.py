"""The last sync failed: which objects, and what the API server said."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.assess import Assessment
from syncline.model.decision import Decision
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.operation import OperationPhase


def look(assessment: Assessment, _decision: Decision) -> Iterator[Finding]:
    """Yield one finding per object that could not be synced."""
    state = assessment.app.status.operation_state
    if state is None or state.sync_result is None:
        return
    retrying = state.phase is OperationPhase.RUNNING and state.finished_at is not None
    if state.phase not in (OperationPhase.FAILED, OperationPhase.ERROR) and not retrying:
        return
    failed = [row for row in state.sync_result.resources if row.hook_phase in ("Failed", "Error")]
    next_try = "it is tried again by itself" if retrying else "commit a correction, or sync again: syncline app sync"
    for row in failed:
        yield Finding(
            code="LIV-005",
            name="sync-failed",
            severity=Severity.ERROR,
            subject=f"{row.kind}/{row.name}",
            message=f"{row.kind}/{row.name} could not be synced: {row.message}",
            evidence=(Evidence(kind=EvidenceKind.MESSAGE, text=row.message, time=state.finished_at or ""),),
            fix=Fix(text=next_try),
            since=state.finished_at or "",
        )
    if not failed and state.message and not assessment.snapshot.troubles:
        yield Finding(
            code="LIV-005",
            name="sync-failed",
            severity=Severity.ERROR,
            subject=assessment.app.metadata.name,
            message=f"the last sync ended as {state.phase.value}: {state.message}",
            since=state.finished_at or "",
        )
