"""Shows accepted drift on the rows it is about: which fields differ and do not count, or count again, and why.

Called by `syncline.core.compare.compare` with a finished row. What an acceptance hides is found by comparing once more
without its rule; what has expired, by comparing once more with it. Only objects with accepted drift cost that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.compare.context import Context
from syncline.core.compare.ignore.rules import IgnoreRule, IgnoreRules
from syncline.core.compare.prepare import Prepared
from syncline.model.comparison import AcceptedDifference, AcceptedDrift, ComparedObject
from syncline.model.reason import Reason

Compare = Callable[[Prepared, Object | None, Context], ComparedObject]


def with_accepted(
    row: ComparedObject, item: Prepared, live: Object, context: Context, compare: Compare
) -> ComparedObject:
    """Return the row with what about it was accepted, and the reasons for that."""
    rules = context.rules
    if not rules.expired and not any(rule.accepted for rule in rules.all):
        return row

    def shown(given: list[IgnoreRule]) -> set[str]:
        other = msgspec.structs.replace(context, rules=IgnoreRules(given), explain=False)
        return {difference.path for difference in compare(item, live, other).differences}

    found = tuple(_accepted(row, rules, item.obj, shown))
    if not found:
        return row
    reasons = dict.fromkeys(Reason.ACCEPTANCE_EXPIRED if one.expired else Reason.ACCEPTED_DRIFT for one in found)
    return msgspec.structs.replace(row, accepted=found, reasons=(*row.reasons, *reasons))


def _accepted(
    row: ComparedObject, rules: IgnoreRules, obj: Object, shown: Callable[[list[IgnoreRule]], set[str]]
) -> Iterator[AcceptedDifference]:
    counted = {difference.path for difference in row.differences}
    for rule in rules.of(obj):
        if rule.accepted is not None:
            hidden = shown([_plain(one) for one in rules.all if one is not rule]) - counted
            yield from (_difference(path, rule.accepted) for path in sorted(hidden))
    for rule in IgnoreRules(rules.expired).of(obj):
        if rule.accepted is not None:
            again = counted - shown([_plain(one) for one in (*rules.all, rule)])
            yield from (_difference(path, rule.accepted, expired=True) for path in sorted(again))


def _plain(rule: IgnoreRule) -> IgnoreRule:
    """Return a rule that is just a rule, so that comparing with it asks for nothing more."""
    return msgspec.structs.replace(rule, accepted=None) if rule.accepted is not None else rule


def _difference(path: str, drift: AcceptedDrift, *, expired: bool = False) -> AcceptedDifference:
    return AcceptedDifference(path=path, reason=drift.reason, expires=drift.expires, owner=drift.owner, expired=expired)
