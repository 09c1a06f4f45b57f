"""What manifests say twice, or that they say nothing at all."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.condition import ConditionType
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="SRC-101",
    name="manifest-warning",
    severity=Severity.WARNING,
    summary="The Application's files render no object, an excluded one, or a different one every time.",
    fix="correct the files or spec.source where the message points",
    looks_at=(LooksAt.FILES, LooksAt.RENDERED),
    why="An app without objects is Synced and Healthy although nothing is delivered. If a key is given twice, only the "
    "last one counts.",
)
_WARNINGS = (
    ConditionType.MANIFEST_WARNING,
    ConditionType.EXCLUDED_RESOURCE_WARNING,
    ConditionType.UNSTEADY_RENDER_WARNING,
    ConditionType.SYNC_OPTION_WARNING,
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per warning."""
    for condition in app.assessment.comparison.conditions:
        if condition.type in _WARNINGS:
            said = Evidence(kind=EvidenceKind.MESSAGE, text=condition.message)
            yield RULE.finding(app.assessment.app.metadata.name, condition.message, evidence=[said], fix=RULE.usual_fix)
