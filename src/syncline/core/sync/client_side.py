"""Client-side apply as kubectl does it: a patch from what was last applied, what is desired and what is live.

Called by `syncline.controller.deliver.writing` with the object it just read. What was last applied stands in an
annotation; where it is missing, the fields that our manager applied server-side stand in for it, so that a key removed
from Git goes away also when an app goes back from server-side to client-side apply.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.merge import lastapplied, paths, removing
from syncline.apimachinery.merge.fieldset import FieldSet
from syncline.apimachinery.merge.values import SchemaError
from syncline.apimachinery.patch import json_merge, strategic
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node
from syncline.model import names
from syncline.model.masking import as_stored, is_secret


class Patch(msgspec.Struct, frozen=True):
    """A patch and how the server has to read it."""

    kind: Literal["merge", "strategic"]
    body: dict[str, Any]


def annotated(desired: Object) -> Object:
    """Return the object with the annotation that says what was applied."""
    metadata = meta.metadata(desired)
    annotations = {
        name: text for name, text in (metadata.get("annotations") or {}).items() if name != names.LAST_APPLIED
    }
    plain = {**desired, "metadata": {**metadata, "annotations": annotations}}
    text = paths.spell_value(plain) + "\n"
    return {**plain, "metadata": {**metadata, "annotations": {**annotations, names.LAST_APPLIED: text}}}


def patch_for(desired: Object, live: Object, *, manager: str, node: Node) -> Patch | None:
    """Return what has to change live; None where nothing does. Custom kinds have no merge strategy of their own."""
    modified = annotated(desired)
    original = lastapplied.configuration(live) or _applied_by(live, manager, node)
    if is_secret(desired):
        # What was applied as stringData is live as data: a key that is gone from there must go from here.
        original = as_stored(original)
    known = builtin.for_kind(gvk_of(desired))
    if known is None:
        body = json_merge.three_way(original, modified, live)
        return Patch("merge", body) if body else None
    body = strategic.three_way(original, modified, live, known)
    return Patch("strategic", body) if body else None


def _applied_by(live: Object, manager: str, node: Node) -> Object:
    """Return the part of a live object that `manager` applied server-side."""
    for entry in meta.managed_fields(live):
        mine = entry.get("manager") == manager and entry.get("operation") == "Apply"
        if mine and not entry.get("subresource"):
            try:
                return removing.extract(live, FieldSet.from_fields_v1(entry.get("fieldsV1")), node)
            except SchemaError:
                return {}
    return {}
