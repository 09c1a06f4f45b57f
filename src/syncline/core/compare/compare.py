"""Pairs desired with live objects and says what differs, field by field, with writer and place.

Called by `syncline.core.assess`. What an apply of the desired object would leave behind is predicted, by the strategy
`syncline.core.compare.strategies.choose` chooses; whatever then differs from live, and counts, is a difference. One
object that cannot be compared is one Unknown row: the others keep their verdicts.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence

import msgspec

from syncline.apimachinery import jq_paths, merge
from syncline.apimachinery.keys import Object, ObjectKey, gvk_of
from syncline.apimachinery.patch.errors import PatchError
from syncline.core.compare import explain
from syncline.core.compare.context import Context, NodeFor, annotation_words
from syncline.core.compare.differences import Pair, differences_of
from syncline.core.compare.ignore import accepted_rows, uses
from syncline.core.compare.ignore import rules as ignoring
from syncline.core.compare.masks import Masks
from syncline.core.compare.memo import ComparisonMemo
from syncline.core.compare.prepare import OddObject, Prepared, PreparedSet
from syncline.core.compare.sides import Sides, sides_of
from syncline.core.compare.strategies import choose as strategy
from syncline.core.sync import hooks, waves
from syncline.model import names
from syncline.model.application import Condition
from syncline.model.comparison import (
    ComparedObject,
    Comparison,
    Difference,
    DifferenceCause,
    StrategyChoice,
    Verdict,
)
from syncline.model.condition import ConditionType
from syncline.model.masking import is_secret
from syncline.model.reason import Reason
from syncline.model.script import Script
from syncline.model.settings.settings import Compat

__all__ = ["Context", "NodeFor", "compare", "compare_object", "is_tolerated", "needed_scripts", "verdict_of"]


def compare(
    prepared: PreparedSet,
    live: Mapping[ObjectKey, Object],
    owned: frozenset[ObjectKey],
    context: Context,
    memo: ComparisonMemo | None = None,
) -> Comparison:
    """Return the verdict over all objects; `owned` are the live objects that belong to the app."""
    if memo is None:
        rows = [compare_object(item, live.get(item.key), context) for item in prepared.objects]
        unmatched = owned
    else:
        rows = memo.rows(prepared.objects, live, context, compare_object)
        unmatched = memo.unmatched(owned)
    rows += [_hook_row(item, live.get(item.key)) for item in prepared.hooks]
    desired_keys = {row.key for row in rows} if unmatched else ()
    extra = [key for key in unmatched if key not in desired_keys and key in live]
    rows += [_extra_row(key, live[key]) for key in extra]
    tolerated = {key for key in extra if is_tolerated(live[key])}
    parts = rows.copy(), tolerated, prepared.odd, prepared.conditions, context.rules.all, context.rules.problems
    known = memo.whole(parts) if memo is not None else None
    if known is not None:
        return known
    found = prepared.conditions
    if context.settings.compat is Compat.ARGOCD:
        rows, found = _given_up([*rows, *map(_unplaced_row, prepared.unplaced)], found, prepared.odd)
    elif mistake := next((row.message for row in rows if Reason.SPEC_INVALID in row.reasons), ""):
        found = (*found, _cannot_compare(mistake))
    rows = sorted([*rows, *map(_odd_row, prepared.odd)], key=_ROW_KEY)
    counted = [row for row in rows if row.key not in tolerated] if tolerated else rows
    conditions = tuple(sorted(found, key=lambda condition: (condition.type, condition.message)))
    comparison = Comparison(
        verdict=verdict_of(counted, _deciding(conditions, context)),
        rows=tuple(rows),
        conditions=conditions,
        unused_rules=uses.unused(context.rules, rows, (item.obj for item in prepared.objects)),
    )
    if memo is not None:
        memo.keep_whole(parts, comparison)
    return comparison


def _odd_row(item: OddObject) -> ComparedObject:
    return ComparedObject(
        key=item.key,
        version=item.version,
        verdict=Verdict.UNKNOWN,
        reasons=(Reason.UNCOMPARABLE,),
        live=False,
        message=item.message,
        place=item.place,
    )


def _unplaced_row(item: OddObject) -> ComparedObject:
    missing = Difference(path="", cause=DifferenceCause.MISSING, place=item.place)
    return ComparedObject(
        key=item.key,
        version=item.version,
        verdict=Verdict.OUT_OF_SYNC,
        reasons=(Reason.NOT_LIVE,),
        differences=(missing,),
        live=False,
        message=item.message,
        place=item.place,
    )


def _deciding(conditions: tuple[Condition, ...], context: Context) -> tuple[Condition, ...]:
    """Return the conditions that decide the verdict: with Argo CD an object without a namespace is one that lacks."""
    if context.settings.compat is not Compat.ARGOCD:
        return conditions
    return tuple(one for one in conditions if one.type != ConditionType.INVALID_SPEC_ERROR)


def _given_up(
    rows: list[ComparedObject], conditions: tuple[Condition, ...], odd: Sequence[OddObject]
) -> tuple[list[ComparedObject], tuple[Condition, ...]]:
    """Do as Argo CD does: the first object that cannot be compared, or is none, makes every row Unknown."""
    untyped = [_odd_row(item) for item in odd if not item.key.kind]
    failed = next((row for row in (*untyped, *rows) if row.verdict is Verdict.UNKNOWN), None)
    if failed is None:
        return rows, conditions
    unsure = [
        row
        if row.verdict in (Verdict.UNKNOWN, Verdict.NONE)
        else msgspec.structs.replace(row, verdict=Verdict.UNKNOWN, reasons=(Reason.UNCOMPARABLE,), differences=())
        for row in rows
    ]
    return unsure, (*conditions, _cannot_compare(failed.message))


def _cannot_compare(why: str) -> Condition:
    text = f"Failed to compare desired state to live state: {why}"
    return Condition(ConditionType.COMPARISON_ERROR, text)


_ROW_KEY = operator.attrgetter("key")


def needed_scripts(
    prepared: PreparedSet, live: Mapping[ObjectKey, Object], context: Context, memo: ComparisonMemo | None = None
) -> tuple[Script, ...]:
    """Return the jq that has to be evaluated before `compare` can apply all ignore rules.

    Evaluate, add the results to `Context.answers`, ask again: an expression may wait for what an earlier one leaves.
    """
    if not any(jq_paths.parse(text) is None for rule in context.rules.all for text in rule.fields.jq_path_expressions):
        return ()
    pairs = list((memo or ComparisonMemo()).changed(prepared.objects, live, context))
    judged = [item for item, _ in pairs] + [item for item in prepared.objects if item.key not in live]
    rules = dict.fromkeys(rule for item in judged for rule in context.rules.of(item.obj))
    found = list(ignoring.readings(tuple(rules), context.answers))
    for item, present in pairs:
        if context.rules.of(item.obj):
            sides = _sides(item, present, context)
            found += sides.pending if isinstance(sides, Sides) else ()
    return tuple(found)


def is_tolerated(live: Object) -> bool:
    """Whether an extra object says that it must not make the app OutOfSync; its own row still is."""
    return "IgnoreExtraneous" in annotation_words(live, names.COMPARE_OPTIONS)


def verdict_of(rows: list[ComparedObject], conditions: tuple[Condition, ...]) -> Verdict:
    """Return what rows add up to: one Unknown makes the app Unknown, one OutOfSync makes it OutOfSync."""
    verdicts = {row.verdict for row in rows}
    if Verdict.UNKNOWN in verdicts or any(condition.is_error for condition in conditions):
        return Verdict.UNKNOWN
    return Verdict.OUT_OF_SYNC if Verdict.OUT_OF_SYNC in verdicts else Verdict.SYNCED


def compare_object(item: Prepared, live: Object | None, context: Context) -> ComparedObject:
    """Return the row of one desired object."""
    place = item.origin.place()
    if hooks.is_skipped(item.obj):
        return _row(item, Verdict.NONE, (Reason.HOOK,), live=live is not None)
    if problem := ignoring.unreadable(context.rules.of(item.obj), context.answers):
        mistake = (Reason.UNCOMPARABLE, Reason.SPEC_INVALID)
        return _row(item, Verdict.UNKNOWN, mistake, live=live is not None, message=problem)
    if live is None:
        missing = Difference(path="", cause=DifferenceCause.MISSING, place=place)
        row = _row(item, Verdict.OUT_OF_SYNC, (Reason.NOT_LIVE,), differences=(missing,), live=False)
        return _with_uses(row, item, live, context)
    sides = _sides(item, live, context)
    if isinstance(sides, str):
        return _with_uses(_row(item, Verdict.UNKNOWN, (Reason.UNCOMPARABLE,), message=sides), item, None, context)
    masks = Masks(sides.after, sides.before, item.obj, live) if is_secret(item.obj) or is_secret(live) else None
    pair = Pair(item, live, sides.base, context.settings, context.synced_before)
    differences = differences_of(pair, sides.changes, masks)
    reasons = (_reason(differences),)
    verdict = Verdict.OUT_OF_SYNC if differences else Verdict.SYNCED
    row = _row(item, verdict, reasons, differences=differences, message=_notes(sides))
    choice: StrategyChoice | None = None if sides.choice is strategy.DEFAULT else sides.choice
    explained = explain.explained(item.obj, sides, context, masks) if context.explain else ()
    row = msgspec.structs.replace(row, choice=choice, explained=explained) if choice or explained else row
    row = _with_uses(row, item, live, context)
    return accepted_rows.with_accepted(row, item, live, context, compare_object)


def _with_uses(row: ComparedObject, item: Prepared, live: Object | None, context: Context) -> ComparedObject:
    """Add what the Application's ignore rules point at in the object."""
    rules = context.rules.of(item.obj)
    used = uses.uses(rules, item.obj, live, context.answers) if rules else ()
    return msgspec.structs.replace(row, ignored=used) if used else row


def _sides(item: Prepared, live: Object, context: Context) -> Sides | str:
    """Return both sides, or why there are none; errors quote values, which for Secrets must not be shown."""
    try:
        return sides_of(item.obj, live, context)
    except (merge.SchemaError, PatchError, merge.InvalidPathElement) as error:
        problem = str(error)
    if is_secret(item.obj) or is_secret(live):
        problem = "a field is unknown or has a value of the wrong type (not shown: this is a Secret)"
    return f"{item.origin.place()}: cannot be compared: {problem}"


def _reason(differences: tuple[Difference, ...]) -> Reason:
    if not differences:
        return Reason.EQUAL
    tracking_only = all(difference.cause is DifferenceCause.TRACKING for difference in differences)
    return Reason.TRACKING_DIFFERS if tracking_only else Reason.FIELDS_DIFFER


def _notes(sides: Sides) -> str:
    """Return what went wrong on the way to a verdict that stands all the same."""
    waiting = (f"the jq path expression {script.text} was not evaluated" for script in sides.pending)
    return "; ".join(dict.fromkeys((*sides.problems, *waiting)))


def _row(
    item: Prepared,
    verdict: Verdict,
    reasons: tuple[Reason, ...],
    *,
    differences: tuple[Difference, ...] = (),
    live: bool = True,
    message: str = "",
) -> ComparedObject:
    return ComparedObject(
        key=item.key,
        version=item.version,
        verdict=verdict,
        reasons=reasons,
        differences=differences,
        live=live,
        wave=item.wave,
        message=message,
        place=item.origin.place(),
    )


def _hook_row(item: Prepared, live: Object | None) -> ComparedObject:
    row = _row(item, Verdict.NONE, (Reason.HOOK,), live=live is not None)
    return msgspec.structs.replace(row, hook=True)


def _extra_row(key: ObjectKey, live: Object) -> ComparedObject:
    if hooks.hook_types(live) is not None or hooks.stamp_of(live):
        return ComparedObject(
            key=key,
            version=gvk_of(live).version,
            verdict=Verdict.NONE,
            reasons=(Reason.HOOK,),
            hook=True,
            desired=False,
            wave=waves.wave_of(live),
        )
    return ComparedObject(
        key=key,
        version=gvk_of(live).version,
        verdict=Verdict.OUT_OF_SYNC,
        reasons=(Reason.NOT_DESIRED,),
        differences=(Difference(path="", cause=DifferenceCause.EXTRA),),
        desired=False,
        wave=waves.wave_of(live),
    )
