"""Finds the fields of a built-in kind that should be quantities and cannot be read as one.

The API server refuses the object without saying which field it is about, so rules look for it here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.paths import FieldPath, Step
from syncline.apimachinery.quantity_forms import is_quantity
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node


def unreadable(obj: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield path and text of each amount that is not one; nothing for kinds without a known schema."""
    # A definition has thousands of fields, and no amount.
    schema = builtin.for_kind(gvk_of(dict(obj))) if obj.get("kind") != "CustomResourceDefinition" else None
    if schema is not None:
        yield from _below(obj, schema, ())


def _below(value: Any, node: Node, steps: tuple[Step, ...]) -> Iterator[tuple[str, str]]:
    if node.format == "quantity":
        if isinstance(value, str) and not is_quantity(value):
            yield str(FieldPath(steps)), value
    elif isinstance(value, dict):
        for name, member in value.items():
            inner = (node.fields or {}).get(name) or node.elements
            if inner is not None:
                yield from _below(member, inner, (*steps, str(name)))
    elif isinstance(value, list) and node.elements is not None:
        for index, member in enumerate(value):
            yield from _below(member, node.elements, (*steps, index))
