"""What the rules on drift share: which objects are out of sync, and how their differences are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import orjson

from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.subjects import App
from syncline.model.comparison import ComparedObject, Difference, DifferenceCause, Verdict
from syncline.model.decision import DecisionKind
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix
from syncline.model.reason import Reason

_SHOWN_FIELDS = 5
_SHOWN_LENGTH = 60


def out_of_sync(app: App) -> Iterator[ComparedObject]:
    """Yield the objects that are out of sync."""
    return (row for row in app.assessment.comparison.rows if row.verdict is Verdict.OUT_OF_SYNC)


def differing(app: App, *, live: bool) -> Iterator[ComparedObject]:
    """Yield the objects that Git and the cluster both have, and that differ: by a change in the cluster, or in Git."""
    for row in out_of_sync(app):
        if row.live and row.desired and live is any(one.cause is DifferenceCause.LIVE for one in row.differences):
            yield row


def report(rule: Rule, app: App, row: ComparedObject, message: str) -> Finding:
    """Return the finding of a rule about one object that is out of sync, with the fields as evidence."""
    return rule.finding(
        row.key.short,
        message,
        evidence=(_evidence(row, difference) for difference in row.differences[:_SHOWN_FIELDS]),
        fix=_next_sync(app),
    )


def counted_fields(row: ComparedObject) -> str:
    """Return how many fields differ, in words."""
    count = len(row.differences)
    return f"{count} field{'s' if count > 1 else ''}"


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
    return text if len(text) <= _SHOWN_LENGTH else f"{text[: _SHOWN_LENGTH - 3]}..."


_HELD = {
    Reason.NOT_AUTOMATED: "automated sync is off",
    Reason.ALREADY_ATTEMPTED: "this commit was synced already and self-heal is off",
    Reason.FAILED_BEFORE: "the sync of this commit failed",
}
"""Why a sync by hand is what brings an app in line."""


def _next_sync(app: App) -> Fix | None:
    """Return what brings the object in line; nothing where another finding says what keeps it from that."""
    decision, name = app.decision, app.assessment.app.metadata.name
    if app.assessment.snapshot.desired is None:
        return Fix(text=f"decide: run this where Git can be reached, or sync: syncline app sync {name}")
    if decision.kind is DecisionKind.START:
        return Fix(text="nothing to do: a sync is about to start")
    if decision.kind is DecisionKind.PROCEED:
        return None
    if decision.reason in _HELD:
        return Fix(text=_HELD[decision.reason], command=f"syncline app sync {name}")
    if decision.reason is Reason.ONLY_PRUNING_NEEDED:
        return Fix(text="only pruning is left, and pruning is off", command=f"syncline app sync {name} --prune")
    if decision.reason is Reason.SELF_HEAL_BACKOFF:
        return Fix(text=f"nothing to do: self-heal tries again ({decision.detail.partition(';')[0]})")
    if decision.reason is Reason.OWNED_ELSEWHERE:
        return None
    return Fix(text=f"it is not synced automatically: {decision.reason.explanation}")
