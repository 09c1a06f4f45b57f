"""Turns changed fields into differences: cause, writer, place in the file, with Secret values masked.

Called by `syncline.core.compare.compare` with one object on both sides. Whether Git or the cluster moved is read from
managedFields: who owns a field wrote it last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from syncline.apimachinery import diff, equality, meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import lastapplied
from syncline.apimachinery.paths import MISSING, FieldPath, Step
from syncline.core.compare import attribution, tracking
from syncline.core.compare.masks import Masks
from syncline.core.compare.prepare import Prepared
from syncline.model.comparison import Difference, DifferenceCause
from syncline.model.errors import Place
from syncline.model.masking import is_secret
from syncline.model.settings.settings import Settings


class Pair(NamedTuple):
    """An object on both sides; `base` is live with the ownership that counts."""

    item: Prepared
    live: Object
    base: Object
    settings: Settings
    synced_before: bool
    """Whether this very revision was synced: then a difference arose in the cluster, not in Git."""


def differences_of(
    pair: Pair, changes: Iterable[diff.FieldChange], masks: Masks | None = None
) -> tuple[Difference, ...]:
    """Return the changes of one object with cause, writer and place; with `masks`, secret values masked."""
    return tuple(_difference(pair, change, masks) for change in changes)


def _difference(pair: Pair, change: diff.FieldChange, masks: Masks | None) -> Difference:
    steps = FieldPath.parse(change.path).steps
    if change.after is MISSING:
        # Git may say it all the same: zero values are not stored.
        said = FieldPath(steps).resolve(pair.item.obj)
        change = change if said is None else diff.FieldChange(change.path, change.before, said)
    desired_value, live_value = change.after, change.before
    hidden = pair.settings.masked_annotations
    if masks is not None and masks.covers(steps, (desired_value, live_value), hidden):
        desired_value, live_value = masks.mask(desired_value), masks.mask(live_value)
    writer = attribution.writer_of(pair.live, steps)
    cause = _cause(steps, change, pair, writer)
    if cause is not DifferenceCause.LIVE:
        writer = attribution.NOBODY
    return Difference(
        path=change.path,
        cause=cause,
        desired=desired_value,
        live=live_value,
        manager=writer.manager,
        time=writer.time,
        place=None if change.after is MISSING else _place(pair.item, steps),
    )


def _cause(
    steps: tuple[Step, ...], change: diff.FieldChange, pair: Pair, writer: attribution.FieldWriter
) -> DifferenceCause:
    settings = pair.settings
    if steps in tracking.marks(settings):
        return DifferenceCause.TRACKING
    ours = attribution.owns(pair.base, settings.field_manager, steps)
    if change.after is MISSING:
        return DifferenceCause.REMOVED if ours else DifferenceCause.LIVE
    if pair.synced_before:
        return DifferenceCause.LIVE
    changed_by_other = change.before is not MISSING and writer is not attribution.NOBODY and not ours
    return DifferenceCause.LIVE if changed_by_other or _was_applied(steps, change, pair.live) else DifferenceCause.GIT


def _was_applied(steps: tuple[Step, ...], change: diff.FieldChange, live: Object) -> bool:
    """Whether Git's value was applied once, so that somebody changed it since; last-applied tells where nothing else
    does (a live object without managedFields, as people print it).
    """
    if meta.metadata(live).get("managedFields"):
        return False
    applied = lastapplied.configuration(live)
    return applied is not None and equality.equal(FieldPath(steps).resolve(applied), change.after)


def _place(item: Prepared, steps: tuple[Step, ...]) -> Place:
    """Return where a field is written; what a Secret keeps in `data` may stand under `stringData`."""
    if steps[0] == "data" and is_secret(item.obj):
        plain = str(FieldPath(("stringData", *steps[1:])))
        if plain in item.origin.positions.paths:
            return item.origin.place(plain)
    return item.origin.place(as_written(steps, item.obj))


def as_written(steps: tuple[Step, ...], obj: Any) -> str:
    """Return a path as files have it: list items by number where the difference names them by key."""
    written: list[Step] = []
    for step in steps:
        if isinstance(step, str):
            obj = obj.get(step) if isinstance(obj, dict) else None
        elif isinstance(obj, list):
            index = step if isinstance(step, int) else next((n for n, it in enumerate(obj) if step.matches(it)), None)
            if index is None or index >= len(obj):
                break
            step, obj = index, obj[index]
        written.append(step)
    return str(FieldPath(tuple(written)))
