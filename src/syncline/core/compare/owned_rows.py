"""What rows say of objects that other apps have to do with too, and the warnings about them.

Called by `syncline.core.assess` with whose the objects are. A row of an object that another app owns is about content
alone: that it is marked as the owner's is no difference, since nobody is going to change that.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare.compare import is_tolerated, verdict_of
from syncline.core.compare.owners import Ownership
from syncline.model.application import Condition
from syncline.model.comparison import ComparedObject, Comparison, DifferenceCause, Verdict
from syncline.model.condition import ConditionType
from syncline.model.reason import Reason


def with_owners(
    comparison: Comparison, owners: Mapping[ObjectKey, Ownership], live: Mapping[ObjectKey, Object]
) -> Comparison:
    """Return the comparison with whose each object is."""
    if not owners:
        return comparison
    rows = [_row(row, owners[row.key]) if row.key in owners else row for row in comparison.rows]
    verdict = comparison.verdict
    if verdict is Verdict.OUT_OF_SYNC:
        counted = [row for row in rows if not (row.requires_pruning and is_tolerated(live[row.key]))]
        verdict = verdict_of(counted, comparison.conditions)
    return msgspec.structs.replace(comparison, rows=tuple(rows), verdict=verdict)


def warnings(owners: Mapping[ObjectKey, Ownership]) -> tuple[Condition, ...]:
    """Return a warning for each object that several apps desire."""
    shared = sorted(one.message for one in owners.values() if one.shared and one.desired)
    return tuple(Condition(ConditionType.SHARED_RESOURCE_WARNING, message) for message in shared)


def _row(row: ComparedObject, owner: Ownership) -> ComparedObject:
    message = "; ".join(filter(None, (owner.message, row.message)))
    if owner.mine:
        reasons = (*row.reasons, Reason.TAKEN_OVER) if owner.taken_over else row.reasons
        return msgspec.structs.replace(row, message=message, reasons=reasons)
    if not row.desired or row.hook or row.verdict in (Verdict.NONE, Verdict.UNKNOWN):
        return msgspec.structs.replace(row, message=message)
    left = tuple(one for one in row.differences if one.cause is not DifferenceCause.TRACKING)
    verdict = Verdict.OUT_OF_SYNC if left else Verdict.SYNCED
    return msgspec.structs.replace(
        row, verdict=verdict, differences=left, reasons=(Reason.OWNED_ELSEWHERE,), message=message
    )
