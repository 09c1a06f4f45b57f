"""Merges a strategic merge patch into an object, or into another patch.

Called by `strategic`: with `combine=False` directives are obeyed and disappear, with `combine=True`
(three-way patches) the left side is itself a patch, so directives and nulls are carried over.
The odd fact a changer must know: as in Kubernetes, an element added to a list and a value under `$patch:
replace` are taken as written, nulls and nested directives included; kube-apiserver drops them when it
decodes the result.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import directives, element_order, errors, json_merge
from syncline.apimachinery.schema.node import Node

_DROPPED = object()


def merge_map(original: Object, patch: Object, node: Node | None, *, combine: bool) -> Object:
    """Return the object with the patch merged into it."""
    if directives.PATCH in patch:
        return _replaced_or_deleted(patch)
    result = dict(original)
    pending = patch
    if any(key.startswith("$") for key in patch):
        pending = dict(patch)
        if directives.RETAIN_KEYS in pending:
            _retain_keys(result, pending, combine=combine)
        for key in [key for key in pending if key.startswith(directives.SET_ELEMENT_ORDER)]:
            _merge_ordered_list(result, pending, key, node, combine=combine)
    deletions: list[tuple[str, Any]] = []
    for key, value in pending.items():
        if key.startswith(directives.DELETE_FROM_LIST):
            deletions.append((key, value))
        else:
            _merge_member(result, key, value, node, combine=combine)
    for key, value in deletions:
        _delete_from_list(result, key, value, node, combine=combine)
    return result


def _replaced_or_deleted(patch: Object) -> Object:
    directive = patch[directives.PATCH]
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != directives.PATCH}
    if directive == "delete":
        return {}
    raise errors.PatchError(f"unknown patch type: {directive} in map: {errors.describe(patch)}")


def _retain_keys(result: Object, pending: Object, *, combine: bool) -> None:
    keys = pending.pop(directives.RETAIN_KEYS)
    if combine:
        if not equality.equal(result.setdefault(directives.RETAIN_KEYS, keys), keys):
            raise errors.PatchError("the two patches retain different keys of one map")
        return
    if not isinstance(keys, list):
        raise errors.malformed(directives.BAD_RETAIN_KEYS)
    parallel = (directives.DELETE_FROM_LIST, directives.SET_ELEMENT_ORDER)
    if any(key not in keys and value is not None and not key.startswith(parallel) for key, value in pending.items()):
        raise errors.malformed(directives.BAD_RETAIN_KEYS)
    for key in [key for key in result if key not in keys]:
        del result[key]


def _merge_member(result: Object, key: str, value: Any, node: Node | None, *, combine: bool) -> None:
    if value is None:
        result.pop(key, None)
        if combine:
            result[key] = None
        return
    current = result.get(key)
    if type(current) is not type(value):
        taken = without_directives(value if combine else json_merge.without_nulls(value))
        if taken is _DROPPED:
            result.pop(key, None)
        else:
            result[key] = taken
    elif isinstance(value, dict):
        child = directives.member(node, key)
        replace = "replace" in child.patch_strategies
        result[key] = value if replace else merge_map(current or {}, value, child, combine=combine)
    elif isinstance(value, list):
        child = directives.member(node, key)
        merge = "merge" in child.patch_strategies
        result[key] = merge_list(current or [], value, child, combine=combine) if merge else value
    else:
        result[key] = value


def _delete_from_list(result: Object, key: str, value: Any, node: Node | None, *, combine: bool) -> None:
    if combine:
        result[key] = value
        return
    field = directives.field_of(key, directives.DELETE_FROM_LIST, directives.BAD_PRIMITIVE_LIST)
    if value is None:
        result.pop(field, None)
        return
    current = result.get(field)
    if not isinstance(current, list) or not isinstance(value, list):
        return
    if not current and not value:
        return
    child = directives.member(node, field)
    if directives.element_kind(current, value) is dict:
        result[field] = merge_list(current, value, child, combine=False)
        return
    gone = {directives.identity(item, "") for item in value}
    result[field] = [item for item in current if directives.identity(item, "") not in gone]


def _merge_ordered_list(result: Object, pending: Object, key: str, node: Node | None, *, combine: bool) -> None:
    order = pending.pop(key)
    if combine and not equality.equal(result.setdefault(key, order), order):
        raise errors.malformed(directives.BAD_ELEMENT_ORDER)
    if not isinstance(order, list):
        raise directives.wrong_type([], order)
    field = directives.field_of(key, directives.SET_ELEMENT_ORDER, directives.BAD_ELEMENT_ORDER)
    current = _list_at(result, field)
    patch = _list_at(pending, field)
    child = directives.member(node, field)
    element_order.check(patch or [], order, child.merge_key)
    if current is None and patch is None:
        return
    if patch is None:
        merged = current or []
    elif current is None:
        merged = without_directives(patch)
    elif "merge" in child.patch_strategies:
        merged = merge_list(current, patch, child, combine=combine)
    else:
        merged = patch
    directives.element_kind(current or [], patch or [])
    live = _live_order(current or [], patch or [], merged, child.merge_key)
    result[field] = element_order.arrange(merged, order, live, child.merge_key)
    pending.pop(field, None)


def _live_order(current: list[Any], patch: list[Any], merged: list[Any], merge_key: str) -> list[Any]:
    """Return the elements whose order counts as the live one.

    In Kubernetes an added element takes the slot of a deleted one in the very list the order is read from, so
    as many additions as there were deletions count as having stood at its end.
    """
    kept = _without_deleted(current, patch, merge_key)
    if len(kept) == len(current):
        return kept
    known = {directives.identity(item, merge_key) for item in kept if merge_key in item}
    names = {directives.identity(item, merge_key) for item in merged}
    added = {
        name: item
        for item in patch
        if directives.PATCH not in item
        and (name := directives.identity(item, merge_key)) not in known
        and name in names
    }
    return [*kept, *added.values()][: len(current)]


def _list_at(obj: Object, field: str) -> list[Any] | None:
    if field not in obj:
        return None
    value = obj[field]
    if not isinstance(value, list):
        raise directives.wrong_type([], value)
    return value


def merge_list(original: list[Any], patch: list[Any], node: Node, *, combine: bool) -> list[Any]:
    """Return two lists of a merged field as one: elements matched by merge key, scalars joined as a set."""
    if not original and not patch:
        return original
    merge_key = node.merge_key
    if directives.element_kind(original, patch) is not dict:
        unique = {directives.identity(item, ""): item for item in reversed([*original, *patch])}
        return element_order.arrange(list(unique.values()), patch, original, merge_key)
    if not merge_key:
        raise errors.PatchError("cannot merge lists without merge key for struct")
    kept, elements, replace = _split_special(original, patch, merge_key)
    if replace:
        return elements
    merged = list(kept)
    position = {}
    for index, item in reversed(list(enumerate(merged))):
        if merge_key in item:
            position[directives.identity(item, merge_key)] = index
    for element in elements:
        key = directives.identity(element, merge_key)
        index = position.setdefault(key, len(merged))
        if index < len(merged):
            merged[index] = merge_map(merged[index], element, node.elements, combine=combine)
        else:
            merged.append(element)
    return element_order.arrange(merged, elements, kept, merge_key)


def _split_special(original: list[Any], patch: list[Any], merge_key: str) -> tuple[list[Any], list[Any], bool]:
    """Return the original after deletions, the patch's plain elements, and whether they replace it."""
    elements: list[Any] = []
    replace = False
    for item in patch:
        if directives.PATCH not in item:
            elements.append(item)
            continue
        directive = item[directives.PATCH]
        if directive == "merge":
            raise errors.PatchError("merging lists cannot yet be specified in the patch")
        if directive not in ("delete", "replace"):
            raise errors.PatchError(f"unknown patch type: {directive} in map: {errors.describe(item)}")
        replace = replace or directive == "replace"
    return _without_deleted(original, patch, merge_key), elements, replace


def _without_deleted(original: list[Any], patch: list[Any], merge_key: str) -> list[Any]:
    gone = {
        directives.identity(item, merge_key)
        for item in patch
        if isinstance(item, dict) and item.get(directives.PATCH) == "delete"
    }
    if not gone:
        return original
    return [item for item in original if merge_key not in item or directives.identity(item, merge_key) not in gone]


def without_directives(value: Any) -> Any:
    """Return the value without the maps that carry `$patch`, itself where it holds none."""
    if not _holds_directive(value):
        return value
    if isinstance(value, list):
        return [item for item in map(without_directives, value) if item is not _DROPPED]
    if directives.PATCH in value:
        return _DROPPED
    cleaned = {key: without_directives(item) for key, item in value.items()}
    return {key: item for key, item in cleaned.items() if item is not _DROPPED}


def _holds_directive(value: Any) -> bool:
    kind = type(value)
    if kind is dict:
        if directives.PATCH in value:
            return True
        for item in value.values():
            if type(item) is not str and _holds_directive(item):
                return True
    elif kind is list:
        return any(map(_holds_directive, value))
    return False
