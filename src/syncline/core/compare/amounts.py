"""Quantities in custom kinds: `12000m` and `12` are one amount, although their schema only says "number or text".

Asked by `syncline.core.compare.sides` about the differences of custom objects. A field is taken for a quantity where it
is int-or-string and its pattern is the one generators write for quantities; nothing is guessed from values alone.
"""

from __future__ import annotations

from syncline.apimachinery import quantity
from syncline.apimachinery.diff import FieldChange
from syncline.apimachinery.paths import FieldPath
from syncline.apimachinery.schema.node import Node

_SUFFIXES = "[KMGTPE]i"
"""The part of the usual pattern that only quantities have."""


def are_equal(change: FieldChange, node: Node) -> bool:
    """Whether a changed field is a quantity and both values say the same amount."""
    found = _node_at(node, FieldPath.parse(change.path))
    if found is None or not found.int_or_string or _SUFFIXES not in str(found.source.get("pattern") or ""):
        return False
    before, after = change.before, change.after
    if not isinstance(before, str | int | float) or not isinstance(after, str | int | float):
        return False
    try:
        return quantity.equal(before, after)
    except quantity.InvalidQuantity:
        return False


def _node_at(node: Node | None, path: FieldPath) -> Node | None:
    for step in path.steps:
        if node is None:
            return None
        node = node.field(step) if isinstance(step, str) else node.elements
    return node
