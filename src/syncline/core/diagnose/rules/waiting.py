"""A sync is under way and waits: for what, and what that says of itself."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.assess import Assessment
from syncline.model.decision import Decision, StepKind
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity


def look(assessment: Assessment, decision: Decision) -> Iterator[Finding]:
    """Yield one finding per object the operation waits for."""
    step = decision.step
    if step is None or step.kind is not StepKind.WAIT:
        return
    state = assessment.app.status.operation_state
    for wait in step.waits:
        yield Finding(
            code="LIV-003",
            name="waiting",
            severity=Severity.INFO,
            subject=wait.key.short,
            message=f"the sync waits for {wait}. {wait.reason.explanation}",
            evidence=(Evidence(kind=EvidenceKind.FIELD, text=wait.message, subject=wait.key, path="status"),),
            since=state.started_at if state else "",
        )
    if not step.waits:
        yield Finding(
            code="LIV-003",
            name="waiting",
            severity=Severity.INFO,
            subject=assessment.app.metadata.name,
            message=f"the sync waits: {step.message}",
        )
