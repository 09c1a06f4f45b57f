"""What differs between Git and the cluster: who changed which field, what is missing, what is extra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from syncline.core.assess import Assessment
from syncline.model.comparison import Cause, ComparedObject, Difference, Verdict
from syncline.model.decision import Decision, DecisionKind
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

_SHOWN_FIELDS = 5


def look(assessment: Assessment, decision: Decision) -> Iterator[Finding]:
    """Yield one finding per object that is out of sync."""
    for row in assessment.comparison.rows:
        if row.verdict is Verdict.OUT_OF_SYNC:
            yield _finding(row, decision)


def _finding(row: ComparedObject, decision: Decision) -> Finding:
    code, name, message = _words(row)
    return Finding(
        code=code,
        name=name,
        severity=Severity.WARNING,
        subject=row.key.short,
        message=message,
        evidence=tuple(_evidence(row, difference) for difference in row.differences[:_SHOWN_FIELDS]),
        confidence=Confidence.DECLARED,
        fix=Fix(text=_fix(decision)),
    )


def _words(row: ComparedObject) -> tuple[str, str, str]:
    if not row.live:
        return "LIV-102", "object-missing", f"{row.key.short} is in Git ({row.place}) but not in the cluster"
    if not row.desired:
        return "LIV-103", "object-extra", f"{row.key.short} is in the cluster but no longer in Git"
    writers = sorted({difference.manager for difference in row.differences if difference.manager})
    count = len(row.differences)
    fields = f"{count} field{'s' if count > 1 else ''}"
    if any(difference.cause is Cause.LIVE for difference in row.differences):
        by = f" by {', '.join(writers)}" if writers else ""
        return "LIV-101", "live-change", f"{row.key.short}: {fields} changed in the cluster{by}"
    return "LIV-104", "git-ahead", f"{row.key.short}: {fields} changed in Git"


def _evidence(row: ComparedObject, difference: Difference) -> Evidence:
    text = (
        f"{difference.path}: Git {_value(difference.desired)}, live {_value(difference.live)} ({difference.cause.value}"
    )
    at = f" at {difference.time}" if difference.time else ""
    text += f" by {difference.manager}{at})" if difference.manager else ")"
    if not difference.path:
        text = difference.cause.value
    return Evidence(kind=EvidenceKind.FIELD, text=text, subject=row.key, path=difference.path, place=difference.place)


def _value(value: Any) -> str:
    if value is msgspec.UNSET:
        return "nothing"
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def _fix(decision: Decision) -> str:
    if decision.kind is not DecisionKind.REST:
        return "nothing to do: a sync is on its way"
    return f"not synced by itself: {decision.reason.explanation}"
