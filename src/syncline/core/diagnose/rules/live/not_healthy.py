"""Objects that are not healthy, in their own words, where no closer cause was found."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose import around
from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
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
    tells=Tells.STATE,
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
        child = row.key.group_kind == app.assessment.myself.group_kind
        said = Evidence(kind=EvidenceKind.FIELD, text=health.reason, subject=row.key, path="status")
        yield RULE.finding(
            row.key.short,
            f"{row.key.short} is {health.status.value}{detail}",
            evidence=[] if child else [said],
            severity=_SEVERITIES[health.status],
            fix=Fix(command=f"syncline why {around.title(app, row.key)}") if child else None,
        )
