"""What was silenced: ignore rules that do nothing, drift somebody agreed to live with, and agreements that ran out."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.assess import Assessment
from syncline.model.comparison import AcceptedDifference, ComparedObject
from syncline.model.decision import Decision
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity


def look(assessment: Assessment, decision: Decision) -> Iterator[Finding]:  # noqa: ARG001 - every rule gets both
    """Yield one finding per rule without effect, and one per object with accepted drift."""
    for rule in assessment.comparison.unused_rules:
        yield Finding(
            code="SRC-108",
            name="unused-ignore-rule",
            severity=Severity.INFO,
            subject=rule.rule,
            message=f"{rule.rule}{' ' + rule.field if rule.field else ''}: {rule.message}",
            fix=Fix(text="delete the rule, or correct what it names"),
        )
    for row in assessment.comparison.rows:
        expired = [one for one in row.accepted if one.expired]
        if expired:
            yield _finding(row, expired, Severity.WARNING, "the agreement to live with it has ended")
        elif row.accepted:
            yield _finding(row, list(row.accepted), Severity.INFO, "differs, and somebody agreed to live with it")


def _finding(row: ComparedObject, accepted: list[AcceptedDifference], severity: Severity, words: str) -> Finding:
    return Finding(
        code="LIV-107",
        name="accepted-drift",
        severity=severity,
        subject=row.key.short,
        message=f"{row.key.short}: {words}",
        evidence=tuple(
            Evidence(kind=EvidenceKind.FIELD, text=_words(one), subject=row.key, path=one.path) for one in accepted
        ),
        fix=Fix(text="agree again with a later date, or undo the change") if severity is Severity.WARNING else None,
    )


def _words(one: AcceptedDifference) -> str:
    until = f" until {one.expires}" if one.expires else ""
    by = f", says {one.owner}" if one.owner else ""
    return f"{one.path}: {one.reason}{until}{by}"
