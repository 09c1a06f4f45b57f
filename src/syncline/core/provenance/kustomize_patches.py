"""Tells at which line a patch of a kustomization touches a field.

Called by `syncline.core.provenance.kustomizations` with each document of a patch. A patch names the object it is for by
the same fields that it could change, so identity counts as touched only where the patch may rename.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery import meta, yaml
from syncline.apimachinery.paths import MISSING, FieldPath
from syncline.core.provenance.blame import IDENTITY, indexed
from syncline.core.provenance.blamed_field import BlamedField


def touched_line(
    document: yaml.Document, field: BlamedField, target: Mapping[str, Any] | None, options: Any = None
) -> int:
    """Return the line at which a patch touches the field; 0 where it does not, or is for other objects."""
    if isinstance(document.value, list):
        return _operation_line(document, field, target)
    if isinstance(document.value, dict):
        return _merge_line(document, document.value, field, target, options)
    return 0


def _operation_line(document: yaml.Document, field: BlamedField, target: Mapping[str, Any] | None) -> int:
    if target is None or not field.is_of(target):
        return 0
    pointer = _pointer(field.steps)
    # The last operation that touches the field is the one that counts.
    for index, operation in reversed(list(enumerate(document.value))):
        if isinstance(operation, dict) and operation.get("op") != "test" and _reaches(operation, pointer, field):
            return document.position_or_parent((index, "path")).line
    return 0


def _reaches(operation: Mapping[str, Any], pointer: str, field: BlamedField) -> bool:
    named = str(operation.get("path") or "")
    if named.endswith("/-"):
        return _appended(operation, named.removesuffix("/-"), pointer, field)
    return bool(named) and (pointer == named or pointer.startswith(f"{named}/") or named.startswith(f"{pointer}/"))


def _appended(operation: Mapping[str, Any], above: str, pointer: str, field: BlamedField) -> bool:
    """Whether the field is in the item that an operation has put at the end of a list."""
    if above == pointer or above.startswith(f"{pointer}/"):
        return True
    if not pointer.startswith(f"{above}/"):
        return False
    depth = above.count("/") + 1
    item = FieldPath(tuple(field.steps[:depth])).resolve(field.item.obj)
    return item is not MISSING and bool(item == operation.get("value"))


def _merge_line(
    document: yaml.Document,
    patch: Mapping[str, Any],
    field: BlamedField,
    target: Mapping[str, Any] | None,
    options: Any,
) -> int:
    own = {"kind": patch.get("kind"), "name": meta.name(patch)}
    if not field.is_of(target or own):
        return 0
    if str(field.path) in IDENTITY and not _renames(field, target, options):
        return 0
    steps = indexed(patch, field.keyed)
    return document.position_or_parent(steps).line if steps else 0


def _renames(field: BlamedField, target: Mapping[str, Any] | None, options: Any) -> bool:
    allowed = isinstance(options, dict) and options.get("allowNameChange") is True
    return target is not None and allowed and str(field.path) == "metadata.name"


def _pointer(steps: yaml.Path) -> str:
    return "/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in steps)
