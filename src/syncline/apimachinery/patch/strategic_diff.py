"""Computes strategic merge patches between two objects.

Called by `strategic` with the scope that tells which part of the difference is wanted.
Lists of scalars are compared as they stand; Kubernetes sorts the older one first, by which an unchanged but
unsorted list costs it an order directive and a mere reordering is missed.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from syncline.apimachinery import equality
from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import directives
from syncline.apimachinery.schema.node import ANY, Node


class DiffScope(NamedTuple):
    """Which differences become part of the patch."""

    additions: bool = True
    """What is new or other in the second object."""
    deletions: bool = True
    """What the second object lacks."""
    order: bool = True
    """The order of list elements, wherever a list differs."""


ADDITIONS: Final = DiffScope(deletions=False)
DELETIONS: Final = DiffScope(additions=False)
UNORDERED: Final = DiffScope(order=False)

_ABSENT: Final = object()


def diff_maps(
    before: Object, after: Object, node: Node | None, scope: DiffScope, *, retain_keys: bool = False
) -> Object:
    """Return the patch from one map to the other; empty where nothing in scope differs."""
    patch: Object = {}
    additions = scope.additions
    if not additions and before == after:
        return patch
    for key, value in after.items():
        old = before.get(key, _ABSENT)
        kind = type(value)
        if old is value:
            continue
        if kind is dict and type(old) is dict:
            _diff_map_member(patch, key, old, value, _member(node, key, old, value), scope)
        elif kind is list and type(old) is list:
            _diff_list_member(patch, key, old, value, _member(node, key, old, value), scope)
        elif additions and (old != value or (kind is not str and not equality.equal(old, value))):
            patch[key] = value
    if scope.deletions:
        for key in before:
            if key not in after:
                patch[key] = None
    if retain_keys:
        _retain_keys(patch, before, after)
    return patch


def _retain_keys(patch: Object, before: Object, after: Object) -> None:
    kept = sorted(key for key, value in after.items() if value is not None)
    if kept and (patch or any(value is not None and key not in after for key, value in before.items())):
        patch[directives.RETAIN_KEYS] = kept


def _diff_map_member(patch: Object, key: str, old: Object, value: Object, node: Node, scope: DiffScope) -> None:
    if "replace" in node.patch_strategies:
        if scope.additions and not equality.equal(old, value):
            patch[key] = value
        return
    nested = diff_maps(old, value, node, scope, retain_keys="retainKeys" in node.patch_strategies)
    if nested:
        patch[key] = nested


def _diff_list_member(patch: Object, key: str, old: list[Any], value: list[Any], node: Node, scope: DiffScope) -> None:
    if equality.equal(old, value):
        return
    if "merge" not in node.patch_strategies or not old:
        if scope.additions:
            patch[key] = value
        return
    if directives.element_kind(old, value) is dict:
        _diff_elements(patch, key, old, value, node, scope)
    else:
        _diff_scalars(patch, key, old, value, scope)


def _member(node: Node | None, key: str, old: Any, value: Any) -> Node:
    """Return the member's schema; where it is unknown, only a difference makes that an error."""
    if node is not None:
        found = node.fields.get(key)
        if found is not None:
            return found
        if equality.equal(old, value):
            return ANY
    return directives.member(node, key)


def _diff_elements(patch: Object, key: str, before: list[Any], after: list[Any], node: Node, scope: DiffScope) -> None:
    merge_key = node.merge_key
    order, names = directives.identities(before, merge_key), directives.identities(after, merge_key)
    unmatched = _by_name(order, before)
    elements = _changed_elements(unmatched, names, after, node, scope)
    if scope.deletions:
        gone = sorted((item[merge_key] for left in unmatched.values() for item in left), key=str)
        elements += [{merge_key: name, directives.PATCH: "delete"} for name in gone]
    if elements:
        patch[key] = elements
    reordered = scope.additions and names != order
    if scope.order and after and (elements or reordered):
        patch[f"{directives.SET_ELEMENT_ORDER}/{key}"] = [{merge_key: item[merge_key]} for item in after]


def _by_name(names: list[Any], items: list[Any]) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for name, item in zip(names, items, strict=True):
        found.setdefault(name, []).append(item)
    return found


def _changed_elements(
    unmatched: dict[Any, list[Any]], names: list[Any], after: list[Any], node: Node, scope: DiffScope
) -> list[Any]:
    """Return the patches of elements and the new ones, in the order of `after`; takes what it matches.

    A merge key need not be unique: ports 53 of UDP and of TCP. Kubernetes sorts both lists first, which turns equal
    keys around, so the last one is matched with the last one and comes first in the patch.
    """
    merge_key = node.merge_key
    retain_keys = "retainKeys" in node.patch_strategies
    elements: dict[Any, list[Any]] = {name: [] for name in names}
    for name, item in zip(reversed(names), reversed(after), strict=True):
        same_name = unmatched.get(name)
        if not same_name:
            if scope.additions:
                elements[name].append(item)
            continue
        old = same_name.pop()
        if old == item and not scope.additions:
            continue
        nested = diff_maps(old, item, node.elements, scope, retain_keys=retain_keys)
        if nested:
            nested[merge_key] = item[merge_key]
            elements[name].append(nested)
    return [element for found in elements.values() for element in found]


def _diff_scalars(patch: Object, key: str, before: list[Any], after: list[Any], scope: DiffScope) -> None:
    old = {directives.identity(item, ""): item for item in before}
    new = {directives.identity(item, ""): item for item in after}
    added = [item for name, item in new.items() if name not in old] if scope.additions else []
    removed = [item for name, item in old.items() if name not in new] if scope.deletions else []
    if added:
        patch[key] = added
    if removed:
        patch[f"{directives.DELETE_FROM_LIST}/{key}"] = sorted(removed, key=str)
    reordered = scope.additions and not equality.equal(before, after)
    if scope.order and after and (added or removed or reordered):
        patch[f"{directives.SET_ELEMENT_ORDER}/{key}"] = after
