"""Both sides of a compared object for showing: as they are and as they were compared, Secrets masked alike.

Used by `syncline.api.diffing` and by the server. One set of masks serves all sides, so that equal values look equal.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object
from syncline.core.compare.context import Context
from syncline.core.compare.masks import Masks
from syncline.core.compare.prepare import Prepared
from syncline.core.compare.sides import sides_of
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.masking import is_secret

_COMPARED = (Verdict.SYNCED, Verdict.OUT_OF_SYNC)


class ShownSides(msgspec.Struct, frozen=True, kw_only=True):
    """Git and cluster, and both as they were compared: `predicted` is after a sync, `normalized` before one."""

    desired: Object | None
    live: Object | None
    predicted: Object | None
    normalized: Object | None


def shown_sides(row: ComparedObject, item: Prepared | None, live: Object | None, context: Context) -> ShownSides:
    """Return the sides of a row, masked; where nothing was compared they are shown as they are."""
    desired = item.obj if item is not None else None
    whole = [side for side in (desired, live) if side is not None]
    masks, names = Masks(*whole), context.settings.masked_annotations
    predicted, normalized = desired, live
    if desired is not None and live is not None and row.verdict in _COMPARED:
        sides = sides_of(desired, live, context)
        kind = {name: desired[name] for name in ("apiVersion", "kind")}
        predicted, normalized = {**kind, **sides.after}, {**kind, **sides.before}
        masks = Masks(sides.after, sides.before, *whole)  # As in the differences, so that their masks agree.

    def masked(side: Object | None) -> Object | None:
        return masks.masked(side, names) if side is not None and is_secret(side) else side

    return ShownSides(
        desired=masked(desired), live=masked(live), predicted=masked(predicted), normalized=masked(normalized)
    )
