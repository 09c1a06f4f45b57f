"""What is recorded of an app whose source cannot be rendered here, though whoever delivers it can.

Called by `syncline.verbs.explain`. A laptop often cannot reach the Git server of a cluster: then the status that the
controller wrote, and what is live, are the truth, and that this machine could not look says nothing about the app.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.core.assess import Assessment
from syncline.model.comparison import ComparedObject, Comparison, Verdict
from syncline.model.condition import ConditionType
from syncline.model.decision import Decision, DecisionKind
from syncline.model.health import Health, HealthCode
from syncline.model.reason import Reason

NOT_LOOKED = Decision(kind=DecisionKind.REST, reason=Reason.CANNOT_COMPARE)
"""What would be done next is not known without a render."""
_NOT_COMPARED = (ConditionType.COMPARISON_ERROR, ConditionType.INVALID_SPEC_ERROR, ConditionType.UNKNOWN_ERROR)

_NOT_RENDERED = (Reason.SOURCE_FAILED, Reason.RENDER_BACKOFF)


def not_rendered(assessment: Assessment) -> str:
    """Return why the source could not be rendered here, where whoever delivers the app could; else nothing."""
    snapshot, status = assessment.snapshot, assessment.snapshot.app.get("status") or {}
    failed = [trouble.message for trouble in snapshot.troubles if trouble.reason in _NOT_RENDERED]
    recorded = (status.get("sync") or {}).get("status")
    # A sync that failed is no reason not to believe the comparison before it.
    errors = [one for one in status.get("conditions") or () if one.get("type") in _NOT_COMPARED]
    known = recorded in (Verdict.SYNCED.value, Verdict.OUT_OF_SYNC.value) and not errors
    if snapshot.desired is not None or not known or len(failed) != len(snapshot.troubles):
        return ""
    return failed[0].removeprefix("Failed to load target state: ") if failed else ""


def as_recorded(assessment: Assessment) -> Assessment:
    """Return the assessment with the recorded verdicts in place of those that need a render."""
    status = assessment.snapshot.app.get("status") or {}
    rows = tuple(_row(assessment, row) for row in status.get("resources") or () if row.get("kind") and row.get("name"))
    verdict = Verdict(str(status["sync"]["status"]))
    health = str((status.get("health") or {}).get("status") or "")
    known = Health(HealthCode(health)) if health in {code.value for code in HealthCode} else assessment.health
    return msgspec.structs.replace(
        assessment,
        snapshot=msgspec.structs.replace(assessment.snapshot, troubles=()),
        comparison=Comparison(verdict=verdict, rows=rows),
        health=known,
    )


def _row(assessment: Assessment, row: dict[str, object]) -> ComparedObject:
    key = ObjectKey(*(str(row.get(name) or "") for name in ("group", "kind", "namespace", "name")))
    given = str(row.get("status") or "")
    return ComparedObject(
        key=key,
        version=str(row.get("version") or ""),
        verdict=Verdict(given) if given in {one.value for one in Verdict} else Verdict.NONE,
        reasons=(),
        live=key in assessment.live,
        desired=not row.get("requiresPruning"),
        hook=bool(row.get("hook")),
    )
