"""Differences that somebody agreed to live with, and agreements that ran out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from syncline.core.diagnose.rule import LooksAt, Rule, Tells
from syncline.core.diagnose.subjects import App
from syncline.model.comparison import AcceptedDifference, ComparedObject
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity

RULE = Rule(
    code="LIV-107",
    name="accepted-drift",
    severity=Severity.INFO,
    other_severities=frozenset({Severity.WARNING}),
    summary="An object differs, and the difference was accepted; a warning once the acceptance has expired.",
    fix="accept it again with a later date, or undo the change",
    looks_at=(LooksAt.FILES, LooksAt.LIVE),
    tells=Tells.DRIFT,
    why="Accepted differences do not make an app OutOfSync, so they are listed here with their reason and owner. An "
    "expired one counts again.",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per object with accepted drift."""
    for row in app.assessment.comparison.rows:
        if expired := [one for one in row.accepted if one.expired]:
            message = f"{row.key.short}: the acceptance of its difference has expired"
            evidence = _evidence(row, expired)
            severity = Severity.WARNING
            yield RULE.finding(row.key.short, message, evidence=evidence, fix=RULE.usual_fix, severity=severity)
        elif row.accepted:
            message = f"{row.key.short}: differs, and the difference was accepted"
            yield RULE.finding(row.key.short, message, evidence=_evidence(row, row.accepted))


def _evidence(row: ComparedObject, accepted: Sequence[AcceptedDifference]) -> Iterator[Evidence]:
    for one in accepted:
        yield Evidence(kind=EvidenceKind.FIELD, text=_words(one), subject=row.key, path=one.path)


def _words(one: AcceptedDifference) -> str:
    until = f" until {one.expires}" if one.expires else ""
    by = f", says {one.owner}" if one.owner else ""
    return f"{one.path}: {one.reason}{until}{by}"
