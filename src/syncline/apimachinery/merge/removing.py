"""Takes fields out of an object, or all others, by its schema.

`syncline.apimachinery.merge.pruning` removes what an applier no longer wants; `extract` gives what one owner wrote.
An object or list that is emptied becomes null where only its content was named: whoever wants it gone names it too.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import values
from syncline.apimachinery.merge.fieldset import FieldSet, Tree, children, is_member
from syncline.apimachinery.schema.node import Node


def remove(obj: Object, fields: FieldSet, node: Node) -> Object:
    """Return an object without the given fields and all below them."""
    return (_removed(obj, fields.tree, node) or {}) if fields else obj


def extract(obj: Object, fields: FieldSet, node: Node) -> Object:
    """Return the given fields of an object alone, with the keys of the list items on the way."""
    return _extracted(obj, fields.tree, node) or {}


def _removed(value: Any, tree: Tree, node: Node) -> Any:
    shape = values.shape_of(node, value)
    if shape == "scalar":
        return value
    # An empty or atomic value on the way to a removed field has no inside to take it from, and goes as a whole.
    if not value:
        return None
    if shape == "list":
        if not isinstance(value, list) or node.list_type == "atomic":
            return None
        return _without_items(value, tree, node)
    if not isinstance(value, dict) or node.map_type == "atomic":
        return None
    out: dict[str, Any] = {}
    same = True
    for name, member in value.items():
        part = tree.get(f"f:{name}")
        if part is None:
            out[name] = member
            continue
        if is_member(part):
            same = False
            continue
        out[name] = _removed(member, part, values.member_node(node, name))
        same = same and out[name] is member
    return value if same else out or None


def _without_items(items: list[Any], tree: Tree, node: Node) -> list[Any] | None:
    element = values.item_node(node)
    out: list[Any] = []
    same = True
    for key, item in zip(values.item_keys(node, items), items, strict=True):
        part = tree.get(key)
        if part is None:
            out.append(item)
            continue
        if is_member(part):
            same = False
            continue
        out.append(_removed(item, part, element))
        same = same and out[-1] is item
    return items if same else out or None


def _extracted(value: Any, tree: Tree, node: Node) -> Any:
    """Return the part of a value a subtree names; all of it where only the value itself is named."""
    below = children(tree)
    shape = values.shape_of(node, value)
    if not below or not value or shape == "scalar":
        return value
    if isinstance(value, list):
        return value if node.list_type == "atomic" else _extracted_items(value, below, node)
    if not isinstance(value, dict) or node.map_type == "atomic":
        return value
    return {
        name: _extracted(member, below[f"f:{name}"], values.member_node(node, name))
        for name, member in value.items()
        if f"f:{name}" in below
    }


def _extracted_items(items: list[Any], tree: Tree, node: Node) -> list[Any]:
    element = values.item_node(node)
    out = []
    for key, item in zip(values.item_keys(node, items), items, strict=True):
        if key not in tree:
            continue
        part = _extracted(item, tree[key], element)
        if isinstance(part, dict) and part is not item:
            part = {**{name: item[name] for name in node.list_keys if name in item}, **part}
        out.append(part)
    return out
