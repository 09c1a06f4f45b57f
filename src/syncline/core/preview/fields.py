"""Compares one object before and after a change, field by field, and says which differences nobody need read.

Called by `syncline.core.preview.objects`. A field that is noise stays in the answer, with why: checksums that follow
from other fields, the version of a chart as a label, certificates and passwords that a chart makes at every render.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

from syncline.apimachinery import diff
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.paths import MISSING, FieldPath, Step
from syncline.core.compare import tracking
from syncline.core.compare.context import NodeFor
from syncline.core.compare.differences import as_written
from syncline.core.compare.masks import Masks
from syncline.core.compare.prepare import Prepared
from syncline.core.preview.lines import Search
from syncline.model.masking import is_secret
from syncline.model.preview import FieldEdit
from syncline.model.settings.settings import Settings

_CHECKSUM = re.compile(r"(^|[/._-])(checksum|hash|sha256|sha)([/._-]|$)")
_CHART_LABELS = (
    "helm.sh/chart",
    "chart",
    "app.kubernetes.io/version",
    "app.kubernetes.io/chart",
    "heritage",
    "release",
)
_CHART_TEXT = re.compile(r"[\w.+-]*\d[\w.+-]*")
_GENERATED = ("caBundle", "tls.crt", "tls.key", "ca.crt", "ca.key")


class Sides(NamedTuple):
    """How to compare: schemas, settings, where lines are looked for, and whether a render plays dice."""

    node_for: NodeFor
    settings: Settings
    search: Search
    unsteady: bool = False


def edits(before: Prepared, after: Prepared, sides: Sides) -> tuple[FieldEdit, ...]:
    """Return the fields that differ, those that count first."""
    node = sides.node_for(gvk_of(after.obj))
    changes = diff.diff(before.obj, after.obj, node, by_value=True, ignore_order=True)
    masks = Masks(before.obj, after.obj) if is_secret(after.obj) else None
    hidden = tracking.marks(sides.settings)
    found = [
        _edit(change, after, masks, sides) for change in changes if FieldPath.parse(change.path).steps not in hidden
    ]
    return tuple(sorted(found, key=lambda one: bool(one.noise)))


def _edit(change: diff.FieldChange, after: Prepared, masks: Masks | None, sides: Sides) -> FieldEdit:
    path = FieldPath.parse(change.path)
    old, new = change.before, change.after
    noise = noise_of(path.steps, old, new, unsteady=sides.unsteady, secret=masks is not None)
    written = after.origin.place(as_written(path.steps, after.obj)) if new is not MISSING else None
    place = sides.search.place(path, _none(old), _none(new), written)
    if masks is not None and masks.covers(path.steps, (old, new), sides.settings.masked_annotations):
        old, new = masks.mask(old), masks.mask(new)
    return FieldEdit(path=change.path, before=_unset(old), after=_unset(new), place=place, noise=noise)


def noise_of(steps: tuple[Step, ...], before: Any, after: Any, *, unsteady: bool, secret: bool) -> str:
    """Return why a difference need not be read; empty where it should."""
    last = steps[-1] if steps and isinstance(steps[-1], str) else ""
    parent = steps[-2] if len(steps) > 1 else ""
    both = before is not MISSING and after is not MISSING
    if parent == "annotations" and both and _CHECKSUM.search(last):
        return "checksum of something else that changes"
    if parent == "labels" and both and last in _CHART_LABELS and _versions(before, after):
        return "version of the chart"
    generated = last in _GENERATED or (secret and steps and steps[0] in ("data", "stringData"))
    if unsteady and both and generated:
        return "generated at every render"
    return ""


def _versions(before: Any, after: Any) -> bool:
    return all(isinstance(side, str) and _CHART_TEXT.fullmatch(side) for side in (before, after))


def manifest_edits(before: Object, after: Object, search: Search, place: Any) -> tuple[FieldEdit, ...]:
    """Return the fields of two Applications that differ, as far as they say what is delivered and how."""
    found = []
    for part in ("spec",):
        for change in diff.diff({part: before.get(part)}, {part: after.get(part)}):
            path = FieldPath.parse(change.path)
            where = search.place(path, _none(change.before), _none(change.after), place(change.path))
            found.append(
                FieldEdit(path=change.path, before=_unset(change.before), after=_unset(change.after), place=where)
            )
    return tuple(found)


def _unset(value: Any) -> Any:
    return msgspec.UNSET if value is MISSING else value


def _none(value: Any) -> Any:
    return None if value is MISSING else value
