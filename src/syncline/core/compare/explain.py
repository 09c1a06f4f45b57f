"""Differences that do not count: what the server filled in, and what both sides say in other words.

Called by `syncline.core.compare.compare` where somebody asked for it; such differences never make an object OutOfSync.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery import diff, equality
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.compare.context import Context
from syncline.core.compare.masks import Masks
from syncline.core.compare.normal import bare, comparable
from syncline.core.compare.sides import Sides
from syncline.model.comparison import Difference, DifferenceCause


def explained(desired: Object, sides: Sides, context: Context, masks: Masks | None) -> tuple[Difference, ...]:
    """Return what looks different but is not."""
    found = [*_spellings(sides, context, desired), *_defaults(desired, sides, context)]
    if masks is not None:
        found = [_masked(item, masks, context) for item in found]
    return tuple(sorted(found, key=lambda item: (item.path, item.cause)))


def _masked(item: Difference, masks: Masks, context: Context) -> Difference:
    steps = FieldPath.parse(item.path).steps
    if not masks.covers(steps, (item.desired, item.live), context.settings.masked_annotations):
        return item
    return Difference(path=item.path, cause=item.cause, desired=masks.mask(item.desired), live=masks.mask(item.live))


def _spellings(sides: Sides, context: Context, desired: Object) -> Iterator[Difference]:
    """Yield what differs before, but not after, defaults and the server's spelling."""
    if sides.raw is None:
        return
    counted = {change.path for change in sides.changes}
    for change in diff.diff(*sides.raw, context.node_for(gvk_of(desired))):
        if change.path not in counted and not any(path.startswith(change.path) for path in counted):
            yield Difference(path=change.path, cause=DifferenceCause.SPELLING, desired=change.after, live=change.before)


def _defaults(desired: Object, sides: Sides, context: Context) -> Iterator[Difference]:
    """Yield what Git leaves to the server, where live has just the default."""
    gvk = gvk_of(desired)
    node = context.node_for(gvk)
    written = bare(desired)
    for change in diff.diff(written, comparable(written, gvk, node), node, ignore_order=True):
        if change.before is MISSING and change.after is not MISSING:
            value = FieldPath.parse(change.path).resolve(sides.before)
            if equality.equal(value, change.after):
                yield Difference(path=change.path, cause=DifferenceCause.DEFAULTED, live=value)
