"""The revision that Git has was synced before and failed, so it is not synced again automatically."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.decision import DecisionKind
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="LIV-005",
    name="revision-failed",
    severity=Severity.WARNING,
    summary="The last sync of this revision failed, and no retry is pending.",
    fix="commit a fix, or sync again manually: syncline app sync",
    looks_at=(LooksAt.LIVE,),
    tells=Tells.FAILED_BEFORE,
    why="A revision that failed is not synced over and over. Syncline retries once the cause is gone; Argo CD waits "
    "for a new commit.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield that this revision failed before, and what brings another try."""
    decision, assessment = app.decision, app.assessment
    if decision.kind is not DecisionKind.REST or decision.reason is not Reason.FAILED_BEFORE:
        return
    name, state = assessment.app.metadata.name, assessment.app.status.operation_state
    retried = f" after {state.retry_count} retries" if state is not None and state.retry_count else ""
    yield RULE.finding(
        name,
        f"the sync of {assessment.revision[:7]} failed{retried}; a new commit is synced immediately, this one is "
        "not retried automatically",
        evidence=[Evidence(kind=EvidenceKind.MESSAGE, text=decision.detail)] if decision.detail else (),
        fix=Fix(text="once the cause is gone", command=f"syncline app sync {name}"),
        since=(state.finished_at or "") if state is not None else "",
    )
