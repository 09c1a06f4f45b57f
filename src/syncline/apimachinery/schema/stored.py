"""Writes an object of a built-in kind as the API server prints it back: the form that live objects have.

Called before `syncline.apimachinery.schema.defaults` fills in the rest, by comparing and by the sandbox, so that
`hostNetwork: false`, `args: []`, `labels: {}` or `cpu: 1` differ from nothing. Drops nulls, unknown fields and the
zero values Go leaves out, and writes quantities in their canonical form. Nothing is mutated; an object already in
that form comes back as it is. Which zeros are left out is knowledge of Go's types, not of OpenAPI: a pointer to
false is kept.
"""

from __future__ import annotations

import functools
from typing import Any

from syncline.apimachinery import quantity
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema.node import ANY, Node

_DROPPED: Any = object()
_MILLI = 10**6
"""So many billionths is a thousandth."""
_SCALARS = frozenset((str, int, bool, float))
_ZEROS = {"string": "", "boolean": False, "integer": 0, "number": 0}


def stored_form(obj: Object, node: Node) -> Object:
    """Return the object as the API server would print it, apart from defaults."""
    form = _map(obj, node)
    return obj if form is _DROPPED else form


def _form(value: Any, node: Node) -> Any:
    if value is None:
        return _DROPPED
    if isinstance(value, dict):
        return value if node is ANY or node.preserve_unknown else _map(value, node)
    if isinstance(value, list):
        return _list(value, node)
    if node.format == "quantity":
        return _quantity(value)
    return _DROPPED if not value and node.omit_zero else value


def _map(value: dict[str, Any], node: Node) -> Any:
    if not value:
        return _DROPPED if node.omit_zero else value
    changed: dict[str, Any] | None = None
    fields, others = node.fields, node.elements
    for name, member in value.items():
        inner = fields.get(name, others)
        # The two most frequent cases first: what nobody described, and a text or number that is not zero.
        if inner is ANY or (member and type(member) in _SCALARS and inner is not None and inner.format != "quantity"):
            continue
        if inner is not None and inner.format == "quantity" and name not in fields:
            form = _quantity(member, listed=True) if member is not None else _DROPPED
        else:
            form = _DROPPED if inner is None else _form(member, inner)
        if form is _DROPPED and inner is not None and name not in node.fields:
            # A null value of a map is the zero value of its type, as in a ConfigMap's data.
            form = _zero(inner) if member is None else member
        if form is not member:
            changed = value.copy() if changed is None else changed
            if form is _DROPPED:
                del changed[name]
            else:
                changed[name] = form
    if changed is None:
        return value
    return _DROPPED if not changed and node.omit_zero else changed


def _list(value: list[Any], node: Node) -> Any:
    if not value:
        return _DROPPED if node.omit_zero else value
    elements = node.elements
    if elements is None or elements is ANY:
        return value
    if None in value:
        value = [_zero(elements) if item is None else item for item in value]
    if elements.type in ("integer", "boolean") or (elements.type == "string" and not elements.format):
        return value
    plain = not elements.preserve_unknown
    items = [_map(item, elements) if plain and type(item) is dict else _form(item, elements) for item in value]
    if all(new is old for new, old in zip(items, value, strict=True)):
        return value
    return [old if new is _DROPPED else new for new, old in zip(items, value, strict=True)]


def _zero(node: Node) -> Any:
    """Return what null is read as where a value has to stand: in a map or a list."""
    return "0" if node.format == "quantity" else _ZEROS.get(node.type, {})


def _quantity(value: Any, *, listed: bool = False) -> Any:
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return value
    text = _canonical(value, listed)
    return value if text == value else text


@functools.lru_cache(maxsize=4096)
def _canonical(value: str | float, listed: bool) -> str | float:
    """Return a quantity as printed, a text that is none as it is. Few amounts are used by very many objects.

    In lists of resources, such as limits, finer parts than thousandths are rounded up.
    """
    try:
        found = quantity.parse(value)
    except quantity.InvalidQuantity:
        return value
    rounded = found.milli_value * _MILLI
    return str(quantity.Quantity(rounded, found.format) if listed and rounded != found.nanos else found)
