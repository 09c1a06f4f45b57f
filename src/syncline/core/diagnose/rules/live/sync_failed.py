"""The last sync failed: which objects, and what the API server said."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.operation import OperationPhase

RULE = Rule(
    code="LIV-109",
    name="sync-failed",
    severity=Severity.ERROR,
    summary="An object could not be synced; the finding quotes the API server or the hook.",
    fix="commit a fix, or sync again: syncline app sync",
    looks_at=(LooksAt.LIVE,),
    why="What was merged is not, or only in part, in the cluster. Every object that failed is named, not only the "
    "first.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that could not be synced, or one about the whole sync."""
    state = app.assessment.app.status.operation_state
    if state is None or state.sync_result is None:
        return
    retrying = state.phase is OperationPhase.RUNNING and state.finished_at is not None
    if state.phase not in (OperationPhase.FAILED, OperationPhase.ERROR) and not retrying:
        return
    since = state.finished_at or ""
    failed = [row for row in state.sync_result.resources if row.hook_phase in ("Failed", "Error")]
    for row in failed:
        subject = f"{row.kind}/{row.name}"
        yield RULE.finding(
            subject,
            f"{subject} could not be synced: {row.message}",
            evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=row.message, time=since)],
            fix=Fix(text="wait: Syncline retries") if retrying else RULE.usual_fix,
            since=since,
        )
    if not failed and state.message and not app.assessment.snapshot.troubles:
        message = f"the last sync ended as {state.phase.value}: {state.message}"
        yield RULE.finding(app.assessment.app.metadata.name, message, since=since)
