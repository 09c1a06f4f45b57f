"""The revision that Git has was synced before and failed, so it is not synced again automatically."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.decision import DecisionKind
from syncline.model.finding import Finding, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="LIV-005",
    name="revision-failed",
    severity=Severity.WARNING,
    summary="The last sync of this revision failed, and no retry is pending.",
    fix="commit a fix, or sync again manually: syncline app sync",
    looks_at=(LooksAt.LIVE,),
    why="A revision that failed is not synced over and over. Syncline retries once the cause is gone; Argo CD waits "
    "for a new commit.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield that this revision failed before."""
    decision = app.decision
    if decision.kind is DecisionKind.REST and decision.reason is Reason.FAILED_BEFORE:
        detail = f" ({decision.detail})" if decision.detail else ""
        message = f"not syncing: {decision.reason.explanation}{detail}"
        yield RULE.finding(app.assessment.app.metadata.name, message)
