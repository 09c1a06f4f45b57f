"""Objects that are not healthy, in their own words, where no closer cause was found."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.health import HealthCode

_SEVERITIES = {
    HealthCode.DEGRADED: Severity.ERROR,
    HealthCode.UNKNOWN: Severity.WARNING,
    HealthCode.PROGRESSING: Severity.INFO,
    HealthCode.SUSPENDED: Severity.INFO,
}
RULE = Rule(
    code="LIV-106",
    name="not-healthy",
    severity=Severity.ERROR,
    other_severities=frozenset(_SEVERITIES.values()) - {Severity.ERROR},
    last_resort=True,
    summary="An object is Degraded; a warning where its health is Unknown, a note while it is Progressing.",
    fix="check the status and events of the object; the finding quotes its status",
    looks_at=(LooksAt.LIVE,),
    why="The status of the object says that it does not work. This rule reports only what no other rule explains.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per managed object whose health is not Healthy."""
    for row in app.assessment.comparison.rows:
        health = app.assessment.healths.get(row.key)
        if row.hook or health is None or health.status not in _SEVERITIES:
            continue
        detail = f": {health.message}" if health.message else ""
        yield RULE.finding(
            row.key.short,
            f"{row.key.short} is {health.status.value}{detail}",
            evidence=[Evidence(kind=EvidenceKind.FIELD, text=health.reason, subject=row.key, path="status")],
            severity=_SEVERITIES[health.status],
        )
