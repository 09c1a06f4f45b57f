"""Pairs desired with live objects and says what differs, field by field, with writer and place.

Called by `syncline.core.assess`. The predicted object is what a server-side apply of the desired one would leave
behind (structured merge with our own field manager, forced); whatever then differs from live is a difference. One
object that cannot be compared is one Unknown row: the others keep their verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import diff, merge
from syncline.apimachinery.keys import GroupVersionKind, Object, ObjectKey, gvk_of
from syncline.apimachinery.merge import lastapplied
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.apimachinery.schema.node import Node
from syncline.core.compare import attribution
from syncline.core.compare.differences import Pair, differences_of
from syncline.core.compare.migration import assumed, migrated
from syncline.core.compare.normal import bare, comparable
from syncline.core.compare.prepare import Prepared, PreparedSet
from syncline.core.sync import hooks, waves
from syncline.model import names
from syncline.model.application import Condition
from syncline.model.comparison import Cause, ComparedObject, Comparison, Difference, Verdict
from syncline.model.masking import is_secret
from syncline.model.reason import Reason
from syncline.model.settings import Settings

NodeFor = Callable[[GroupVersionKind], Node]


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison needs beyond the objects."""

    settings: Settings
    node_for: NodeFor
    as_of: str
    synced_before: bool = False
    """Whether this very revision was synced: then a difference arose in the cluster, not in Git."""


def compare(
    prepared: PreparedSet, live: Mapping[ObjectKey, Object], owned: frozenset[ObjectKey], context: Context
) -> Comparison:
    """Return the verdict over all objects; `owned` are the live objects that belong to the app."""
    rows = [compare_object(item, live.get(item.key), context) for item in prepared.objects]
    rows += [_hook_row(item, live.get(item.key)) for item in prepared.hooks]
    desired_keys = {item.key for item in prepared.objects} | {item.key for item in prepared.hooks}
    extra = [key for key in owned if key not in desired_keys and key in live]
    rows += [_extra_row(key, live[key]) for key in extra]
    rows.sort(key=lambda row: row.key)
    tolerated = {key for key in extra if _is_tolerated(live[key])}
    counted = [row for row in rows if row.key not in tolerated]
    conditions = tuple(sorted(prepared.conditions, key=lambda condition: (condition.type, condition.message)))
    return Comparison(verdict=verdict_of(counted, conditions), rows=tuple(rows), conditions=conditions)


def _is_tolerated(live: Object) -> bool:
    """Whether an extra object says that it must not make the app OutOfSync; its own row still is."""
    annotations = (live.get("metadata") or {}).get("annotations") or {}
    return "IgnoreExtraneous" in [word.strip() for word in str(annotations.get(names.COMPARE_OPTIONS) or "").split(",")]


def verdict_of(rows: list[ComparedObject], conditions: tuple[Condition, ...]) -> Verdict:
    """Return what rows add up to: one Unknown makes the app Unknown, one OutOfSync makes it OutOfSync."""
    verdicts = {row.verdict for row in rows}
    if Verdict.UNKNOWN in verdicts or any(condition.type.endswith("Error") for condition in conditions):
        return Verdict.UNKNOWN
    return Verdict.OUT_OF_SYNC if Verdict.OUT_OF_SYNC in verdicts else Verdict.SYNCED


def compare_object(item: Prepared, live: Object | None, context: Context) -> ComparedObject:
    """Return the row of one desired object."""
    place = item.origin.place()
    if hooks.is_skipped(item.obj):
        return _row(item, Verdict.NONE, (Reason.HOOK,), live=live is not None)
    if live is None:
        missing = Difference(path="", cause=Cause.MISSING, place=place)
        return _row(item, Verdict.OUT_OF_SYNC, (Reason.NOT_LIVE,), differences=(missing,), live=False)
    try:
        base, changes = _changes(item.obj, live, context)
    except merge.SchemaError as error:
        return _row(item, Verdict.UNKNOWN, (Reason.UNCOMPARABLE,), message=_uncomparable(item, str(error)))
    if not changes:
        return _row(item, Verdict.SYNCED, (Reason.EQUAL,))
    differences = differences_of(Pair(item, live, base, context.settings, context.synced_before), changes)
    tracking_only = all(difference.cause is Cause.TRACKING for difference in differences)
    reason = Reason.TRACKING_DIFFERS if tracking_only else Reason.FIELDS_DIFFER
    return _row(item, Verdict.OUT_OF_SYNC, (reason,), differences=differences)


def _uncomparable(item: Prepared, problem: str) -> str:
    """Return why an object cannot be compared; the merge quotes values, which for Secrets must not be shown."""
    if is_secret(item.obj):
        problem = "a field is unknown or has a value of the wrong type (not shown, since this is a Secret)"
    return f"{item.origin.place()}: cannot be compared: {problem}"


def predict(desired: Object, live: Object, context: Context) -> Object:
    """Return what the cluster would hold after a server-side apply of `desired`."""
    return _apply(desired, _taken_over(live, context), context)


def _taken_over(live: Object, context: Context) -> Object:
    """Return the live object as it is after ownership by client-side apply was moved to us."""
    node, manager = context.node_for(gvk_of(live)), context.settings.field_manager
    return migrated(live, manager, node) or assumed(live, manager, node) or live


def _apply(desired: Object, base: Object, context: Context) -> Object:
    node = context.node_for(gvk_of(desired))
    manager = context.settings.field_manager
    return merge.apply(base, desired, manager=manager, node=node, force=True, now=context.as_of).obj


def _changes(desired: Object, live: Object, context: Context) -> tuple[Object, list[diff.FieldChange]]:
    """Return live as taken over, and the fields an apply would change."""
    base = _taken_over(live, context)
    predicted = _apply(desired, base, context)
    if predicted is base:
        return base, []
    gvk = gvk_of(desired)
    node = context.node_for(gvk)
    before, after = bare(base), bare(predicted)
    found = diff.diff(before, after, node, by_value=True, ignore_order=True)
    if not all(_is_plain(change.before) and _is_plain(change.after) for change in found):
        before, after = comparable(before, gvk, node), comparable(after, gvk, node)
        found = diff.diff(before, after, node, by_value=True, ignore_order=True)
    applied = lastapplied.configuration(live) or {}
    manager = context.settings.field_manager
    kept = [change for change in found if not _forgotten_by_server(change, base, applied, manager)]
    return base, [single for change in kept for single in _singly(change)]


def _is_plain(value: Any) -> bool:
    """Whether a value stays what it is, whatever defaults and the server's spelling do; most differences are such."""
    if isinstance(value, str):
        return bool(value) and "\n" not in value
    return isinstance(value, int) and value != 0


def _forgotten_by_server(change: diff.FieldChange, base: Object, applied: Object, manager: str) -> bool:
    """Whether a field was applied with a zero value (false, 0, empty) and the server keeps no such values.

    It is still ours in managedFields (or said by last-applied), although it is not live: only then was it applied.
    """
    if change.before is not MISSING or not _is_zero(change.after):
        return False
    path = FieldPath.parse(change.path)
    return attribution.owns(base, manager, path.steps) or path.resolve(applied) == change.after


def _is_zero(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_zero(member) for member in value.values())
    return not value and value is not MISSING


def _singly(change: diff.FieldChange) -> list[diff.FieldChange]:
    """Return a change of all labels or annotations as one change for each."""
    if change.path not in ("metadata.annotations", "metadata.labels"):
        return [change]
    before = {} if change.before is MISSING else change.before
    after = {} if change.after is MISSING else change.after
    path = FieldPath.parse(change.path)
    return [
        diff.FieldChange(str(path / name), before.get(name, MISSING), after.get(name, MISSING))
        for name in sorted({**before, **after})
    ]


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
        differences=(Difference(path="", cause=Cause.EXTRA),),
        desired=False,
        wave=waves.wave_of(live),
    )
