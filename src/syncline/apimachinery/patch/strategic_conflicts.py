"""Finds the field that two strategic merge patches change differently.

Called by `strategic.three_way` when it may not overwrite; hands back the field's path for the error text.
Scalars of merged lists never conflict, elements of merged lists conflict by merge key.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import directives
from syncline.apimachinery.schema.node import Node


def first_conflict(left: Object, right: Object, node: Node | None) -> str | None:
    """Return the path of the first field both patches change differently, None where there is none."""
    if left.get(directives.PATCH) != right.get(directives.PATCH):
        return directives.PATCH
    for key, value in left.items():
        if key in (directives.PATCH, directives.RETAIN_KEYS) or key not in right:
            continue
        found = _conflict(value, right[key], node, key)
        if found is not None:
            return f"{key}.{found}" if found else key
    return None


def _conflict(left: Any, right: Any, node: Node | None, key: str) -> str | None:
    if isinstance(left, dict) and isinstance(right, dict):
        child = directives.member(node, key)
        if "replace" in child.patch_strategies and left.get(directives.PATCH) == right.get(directives.PATCH):
            return None
        return first_conflict(left, right, child)
    if not isinstance(left, list) or not isinstance(right, list):
        return None if equality.equal(left, right) else ""
    if key.startswith("$"):
        return None
    child = directives.member(node, key)
    if "merge" not in child.patch_strategies:
        return None if equality.equal(left, right) else ""
    if directives.element_kind(left, right) is not dict:
        return None
    others = {directives.identity(item, child.merge_key): item for item in right}
    for item in left:
        name = directives.identity(item, child.merge_key)
        found = first_conflict(item, others[name], child.elements) if name in others else None
        if found is not None:
            return f"{item[child.merge_key]}.{found}"
    return None
