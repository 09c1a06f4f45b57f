"""Tells which fields two versions of an object do not share.

`syncline.apimachinery.merge.ownership` compares before with after, and whoever owned a changed field loses it.
Unlike in `syncline.apimachinery.merge.described`, whatever is added or removed whole counts at every level.
Subtrees that are one and the same object are never entered.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import values
from syncline.apimachinery.merge.fieldset import EMPTY, LEAF, SELF, FieldSet, Tree
from syncline.apimachinery.schema.node import UNSET, Node


class FieldChanges(NamedTuple):
    """What changed on the way from one object to another."""

    added: FieldSet = EMPTY
    modified: FieldSet = EMPTY
    removed: FieldSet = EMPTY

    def without(self, ignored: FieldSet | None) -> FieldChanges:
        """Leave out fields that nobody may own, and all below them."""
        if not ignored:
            return self
        return FieldChanges(
            self.added.recursive_difference(ignored),
            self.modified.recursive_difference(ignored),
            self.removed.recursive_difference(ignored),
        )


_Trees = tuple[Tree | None, Tree | None, Tree | None]
"""Added, modified, removed below one path; None where there is nothing."""
_SAME: _Trees = (None, None, None)


def compare(before: Object, after: Object, node: Node) -> FieldChanges:
    """Return the fields that differ between two versions of one object."""
    added, modified, removed = _compare(before, after, node)
    return FieldChanges(FieldSet(added), FieldSet(modified), FieldSet(removed))


def _compare(before: Any, after: Any, node: Node) -> _Trees:
    if before is after:
        return _SAME
    kind = before.__class__
    if kind is after.__class__:
        if kind is dict and node.type in ("object", "") and node.map_type != "atomic":
            return _compare_maps(before, after, node) if before or after else _SAME
        if kind is list and node.list_type != "atomic":
            return _compare_lists(before, after, node) if before or after else _SAME
    if values.equal(before, after):
        return _SAME
    # From here on the two have different shapes, or are scalars or atomic. Whoever owned fields inside the old shape
    # loses them, and the writer gains those inside the new one.
    lost, won = _below(before, node), _below(after, node)
    # Null stands for an empty object or list; between other shapes the field itself changed as well.
    silent = (lost or won) and (before is None or after is None or bool(node.type))
    return won or None, None if silent else LEAF, lost or None


def _compare_maps(before: dict[str, Any], after: dict[str, Any], node: Node) -> _Trees:
    fields = node.fields
    added: Tree = {}
    modified: Tree = {}
    removed: Tree = {}
    for name, old in before.items():
        new = after.get(name, UNSET)
        if new is old:
            continue
        member = fields.get(name) or values.member_node(node, name)
        if new is UNSET:
            removed[f"f:{name}"] = whole(old, member)
            continue
        part = _compare(old, new, member)
        if part is not _SAME:
            _note(f"f:{name}", part, (added, modified, removed))
    for name, new in after.items():
        if name not in before:
            added[f"f:{name}"] = whole(new, values.member_node(node, name))
    return _packed(added, modified, removed)


def _note(element: str, part: _Trees, into: tuple[Tree, Tree, Tree]) -> None:
    for tree, target in zip(part, into, strict=True):
        if tree is not None:
            target[element] = tree


def _packed(added: Tree, modified: Tree, removed: Tree) -> _Trees:
    return (added or None, modified or None, removed or None) if added or modified or removed else _SAME


def _grouped(items: list[Any], node: Node) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {}
    for key, item in zip(values.item_keys(node, items), items, strict=True):
        out.setdefault(key, []).append(item)
    return out


def _compare_lists(before: list[Any], after: list[Any], node: Node) -> _Trees:
    old_keys, new_keys = values.item_keys(node, before), values.item_keys(node, after)
    olds, news = dict(zip(old_keys, before, strict=True)), dict(zip(new_keys, after, strict=True))
    # Only an apply refuses duplicate keys; a create or an update may have stored some.
    if len(olds) < len(before) or len(news) < len(after):
        return _compare_with_doubles(before, after, node)
    element = values.item_node(node)
    added: Tree = {}
    modified: Tree = {}
    removed: Tree = {}
    for key, old in olds.items():
        new = news.get(key, UNSET)
        if new is old:
            continue
        if new is UNSET:
            removed[key] = whole(old, element)
            continue
        part = _compare(old, new, element)
        if part is not _SAME:
            _note(key, part, (added, modified, removed))
    for key, new in news.items():
        if key not in olds:
            added[key] = whole(new, element)
    return _packed(added, modified, removed)


def _compare_with_doubles(before: list[Any], after: list[Any], node: Node) -> _Trees:
    """Compare lists in which some items are there more than once."""
    old_items, new_items = _grouped(before, node), _grouped(after, node)
    element = values.item_node(node)
    added: Tree = {}
    modified: Tree = {}
    removed: Tree = {}
    for key in old_items | new_items:
        old, new = old_items.get(key, []), new_items.get(key, [])
        if len(old) == 1 and len(new) == 1:
            part = _compare(old[0], new[0], element)
            if part is not _SAME:
                _note(key, part, (added, modified, removed))
        elif len(old) > 1 and len(new) > 1:
            if not values.equal(old, new):
                modified[key] = LEAF
        else:
            # An item that is there twice counts as one field without an inside.
            if new:
                added[key] = whole(new[0], element) if len(new) == 1 else LEAF
            if old:
                removed[key] = whole(old[0], element) if len(old) == 1 else LEAF
    return _packed(added, modified, removed)


def whole(value: Any, node: Node) -> Tree:
    """Return a value's own path and everything below it."""
    below = _below(value, node)
    return {SELF: LEAF, **below} if below else LEAF


def _below(value: Any, node: Node) -> Tree:
    """Return everything below a value, at every level; empty where it is owned whole."""
    if not value:
        return LEAF
    kind = value.__class__
    if kind is dict and node.type in ("object", "") and node.map_type != "atomic":
        return {f"f:{name}": whole(member, values.member_node(node, name)) for name, member in value.items()}
    if kind is list and node.list_type != "atomic":
        element = values.item_node(node)
        return {
            key: whole(items[0], element) if len(items) == 1 else LEAF for key, items in _grouped(value, node).items()
        }
    return LEAF
