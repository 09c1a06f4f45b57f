"""What the rules on a running sync share: what it waits for, apart by whether that still makes progress."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.subjects import App
from syncline.model.decision import StepKind
from syncline.model.finding import Evidence, EvidenceKind, Finding


def report(rule: Rule, app: App, *, stuck: bool) -> Iterator[Finding]:
    """Yield a finding of a rule for each object that the sync waits for, those that are stuck or the others."""
    step = app.decision.step
    if step is None or step.kind is not StepKind.WAIT:
        return
    state = app.assessment.app.status.operation_state
    for wait in step.waits:
        if wait.stuck is stuck:
            yield rule.finding(
                wait.key.short,
                f"the sync waits for {wait}. {wait.reason.explanation}",
                evidence=[Evidence(kind=EvidenceKind.FIELD, text=wait.message, subject=wait.key, path="status")],
                since=wait.since if stuck else state.started_at if state else "",
            )
