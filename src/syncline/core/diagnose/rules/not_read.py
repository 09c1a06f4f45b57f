"""Something could not be read: the source, the project, the cluster. Nothing is guessed, nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.assess import Assessment
from syncline.model.decision import Decision
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.reason import Reason

_NAMES = {
    Reason.SOURCE_FAILED: (
        "SRC-001",
        "source-failed",
        "mend the repository or spec.source; it is tried again by itself",
    ),
    Reason.SPEC_INVALID: ("APP-005", "spec-invalid", "change the Application or its project as the message says"),
    Reason.CLUSTER_UNREACHABLE: (
        "LIV-006",
        "cluster-unreachable",
        "bring the cluster back; nothing is changed meanwhile",
    ),
}


def look(assessment: Assessment, _decision: Decision) -> Iterator[Finding]:
    """Yield one finding per thing that could not be read."""
    subject = assessment.app.metadata.name
    told = set()
    for trouble in assessment.snapshot.troubles:
        code, name, fix = _NAMES[trouble.reason]
        told.add(trouble.message)
        yield _finding(code, name, subject, trouble.message, fix)
    for condition in assessment.comparison.conditions:
        if condition.is_error and condition.message not in told:
            code, name, fix = _NAMES[Reason.SPEC_INVALID]
            yield _finding(code, name, subject, condition.message, fix)
    for row in assessment.comparison.rows:
        if Reason.UNCOMPARABLE in row.reasons:
            yield _finding(
                "DIF-014", "uncomparable", str(row.key), row.message, "correct the object where the message points"
            )


def _finding(code: str, name: str, subject: str, message: str, fix: str) -> Finding:
    return Finding(
        code=code,
        name=name,
        severity=Severity.ERROR,
        subject=subject,
        message=message,
        evidence=(Evidence(kind=EvidenceKind.MESSAGE, text=message),),
        fix=Fix(text=fix),
    )
