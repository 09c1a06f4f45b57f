"""Why nothing is being done about it: the reason of the decision, where it is not plain from the rest."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.assess import Assessment
from syncline.model.decision import Decision, DecisionKind
from syncline.model.finding import Finding, Severity
from syncline.model.reason import Reason

_TELLING = (
    Reason.PAUSED,
    Reason.DELETING,
    Reason.ONLY_PRUNING_NEEDED,
    Reason.WOULD_WIPE_OUT,
    Reason.FAILED_BEFORE,
    Reason.SELF_HEAL_BACKOFF,
)


def look(assessment: Assessment, decision: Decision) -> Iterator[Finding]:
    """Yield why auto-sync leaves the app alone."""
    if decision.kind is DecisionKind.REST and decision.reason in _TELLING:
        detail = f" ({decision.detail})" if decision.detail else ""
        yield Finding(
            code="LIV-105",
            name="not-syncing",
            severity=Severity.INFO,
            subject=assessment.app.metadata.name,
            message=f"not syncing: {decision.reason.explanation}{detail}",
        )
