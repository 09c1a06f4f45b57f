"""Drops the fields of a custom object that its schema does not know, as the API server does.

Called with a decoded object and the node of `syncline.apimachinery.schema.crd`. Nothing is mutated: what did
not change is shared with the input, and an object that loses nothing comes back as it is.
"""

from __future__ import annotations

from typing import Any, TypeVar

from syncline.apimachinery.schema.node import Node

T = TypeVar("T")

_NOTHING = Node()
"""The schema of a place the schema is silent about: whatever stands there loses all its fields."""


def prune(obj: T, node: Node) -> T:
    """Return the object without unknown fields; known fields keep their values, even of a wrong type."""
    pruned: T = _pruned(obj, node)
    return pruned


def _pruned(value: Any, node: Node) -> Any:
    if isinstance(value, dict):
        return _pruned_map(value, node)
    if isinstance(value, list):
        item_node = _item_node(node)
        items = [_pruned(item, item_node) if isinstance(item, dict | list) else item for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return value


def _item_node(node: Node) -> Node:
    if node.preserve_unknown and node.elements is None:
        return node
    return node.elements or _NOTHING


def _pruned_map(value: dict[str, Any], node: Node) -> dict[str, Any]:
    changed: dict[str, Any] | None = None
    for name, member in value.items():
        member_node = node.field(name)
        if member_node is None:
            if not node.preserve_unknown:
                changed = dict(value) if changed is None else changed
                del changed[name]
            continue
        if isinstance(member, dict | list):
            new = _pruned(member, member_node)
            if new is not member:
                changed = dict(value) if changed is None else changed
                changed[name] = new
    return value if changed is None else changed
