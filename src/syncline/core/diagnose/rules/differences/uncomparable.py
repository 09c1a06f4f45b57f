"""Objects that cannot be compared; the others keep their verdicts."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.messages.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.reason import Reason

RULE = Rule(
    code="DIF-101",
    name="uncomparable",
    severity=Severity.ERROR,
    summary="An object cannot be compared with its live counterpart.",
    fix="correct the object where the message points",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="Syncline does not know whether the object is in sync, so the app is Unknown and never Synced. Other objects "
    "are compared and synced as usual.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object that cannot be compared, and per error about comparing the app."""
    yield from report(RULE, app, About.COMPARISON)
    told = {condition.message for condition in app.assessment.comparison.conditions}
    for row in app.assessment.comparison.rows:
        if Reason.UNCOMPARABLE in row.reasons and row.message not in told:
            said = Evidence(kind=EvidenceKind.MESSAGE, text=row.message)
            yield RULE.finding(str(row.key), row.message, evidence=[said], fix=RULE.usual_fix)
