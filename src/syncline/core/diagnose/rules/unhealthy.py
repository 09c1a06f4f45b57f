"""Objects that are not healthy, in their own words, where no closer cause was found."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.assess import Assessment
from syncline.model.decision import Decision
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity
from syncline.model.health import HealthCode

_SEVERITIES = {
    HealthCode.DEGRADED: Severity.ERROR,
    HealthCode.UNKNOWN: Severity.WARNING,
    HealthCode.PROGRESSING: Severity.INFO,
    HealthCode.SUSPENDED: Severity.INFO,
}


def look(assessment: Assessment, _decision: Decision) -> Iterator[Finding]:
    """Yield one finding per managed object whose health is not Healthy."""
    for row in assessment.comparison.rows:
        health = assessment.healths.get(row.key)
        if row.hook or health is None or health.status not in _SEVERITIES:
            continue
        detail = f": {health.message}" if health.message else ""
        yield Finding(
            code="LIV-106",
            name="not-healthy",
            severity=_SEVERITIES[health.status],
            subject=row.key.short,
            message=f"{row.key.short} is {health.status.value}{detail}",
            evidence=(Evidence(kind=EvidenceKind.FIELD, text=health.reason, subject=row.key, path="status"),),
        )
