"""How large the values of a custom kind can be, as an API server reckons from their schema alone.

Asked by `syncline.apimachinery.schema.cel` for the cost of rules. Where a schema sets no bound, a value is as large as
the largest request can carry: the smaller the elements of a list must be, the more of them fit.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from syncline.apimachinery.cel.cost.spans import MOST, Span
from syncline.apimachinery.schema.cel_values import spelled
from syncline.apimachinery.schema.node import ANY, UNSET, Node

REQUEST: Final = 3 * 1024 * 1024
"""Bytes of the largest request."""
_NAME: Final = 253
_UTF8: Final = 4
"""Bytes that one character may take."""
_WRITTEN: Final = {"duration": (3, 32), "date": (12, 12), "date-time": (21, 32)}
"""Bytes that a text of a format takes at least and at most."""


class Sized(msgspec.Struct, frozen=True):
    """How many elements or letters a value can have, and how many bytes it takes at least."""

    most: int = 0
    least_bytes: int = 2
    element: Sized | None = None
    keyed: bool = False
    fields: Mapping[str, Sized] = {}


_TEXT: Final = Sized(most=REQUEST - 2)
_KEY: Final = Sized()


@functools.lru_cache(maxsize=4096)
def of_schema(node: Node) -> Sized | None:
    """Return what is known of the values of a schema, None where rules do not see them."""
    if node.int_or_string:
        return Sized(most=_letters(node, REQUEST - 2), least_bytes=1)
    if node is ANY:
        return None
    if node.type == "array":
        return _of_list(node)
    if node.type == "object":
        return _of_object(node)
    if node.type == "string":
        return _of_text(node)
    return {"boolean": Sized(least_bytes=4), "number": Sized(least_bytes=1), "integer": Sized(least_bytes=1)}.get(
        node.type
    )


def _bound(node: Node, word: str) -> int | None:
    found = node.source.get(word)
    return None if found is None else max(int(found), 0)


def _letters(node: Node, otherwise: int) -> int:
    bound = _bound(node, "maxLength")
    return otherwise if bound is None else bound * _UTF8


def _of_text(node: Node) -> Sized:
    if node.format in _WRITTEN:
        least, most = _WRITTEN[node.format]
        return Sized(most=most, least_bytes=least)
    if node.format == "byte":
        bound = _bound(node, "maxLength")
        return _TEXT if bound is None else Sized(most=bound)
    enum = node.source.get("enum") or ()
    longest = max((len(one.encode()) for one in enum if isinstance(one, str)), default=0)
    return Sized(most=_letters(node, longest if enum else REQUEST - 2))


def _of_list(node: Node) -> Sized | None:
    element = None if node.elements is None else of_schema(node.elements)
    if element is None:
        return None
    bound = _bound(node, "maxItems")
    most = (REQUEST - 2) // (element.least_bytes + 1) if bound is None else bound
    return Sized(most=most, element=element)


def _of_object(node: Node) -> Sized | None:
    if node.elements is not None and not node.fields and isinstance(node.source.get("additionalProperties"), Mapping):
        element = of_schema(node.elements)
        if element is None:
            return None
        bound = _bound(node, "maxProperties")
        # Each entry takes a key of at least two quotation marks, a colon, a comma and its value.
        most = (REQUEST - 2) // (element.least_bytes + 6) if bound is None else bound
        return Sized(most=most, element=element, keyed=True)
    fields: dict[str, Sized] = {}
    least = 2
    for name, known in _members(node):
        written = spelled(name)
        if written is not None:
            fields[written] = known
        if name in node.required and (name not in node.fields or node.fields[name].default is UNSET):
            least += len(name.encode()) + known.least_bytes + 4
    return Sized(least_bytes=least, fields=fields)


def _members(node: Node) -> Iterator[tuple[str, Sized]]:
    every = _meta(node) if node.embedded else {}
    yield from every.items()
    for name, member in node.fields.items():
        known = None if name in every else of_schema(member)
        if known is not None:
            yield name, known


def _meta(node: Node) -> dict[str, Sized]:
    """Return what every object has, with the bounds of names."""
    declared = (node.source.get("properties") or {}).get("metadata") or {}
    inner = declared.get("properties") or {}
    names = {
        name: Sized(most=min(most, _declared(inner.get(name))) * _UTF8)
        for name, most in (("name", _NAME), ("generateName", _NAME - 1))
    }
    return {"apiVersion": _TEXT, "kind": _TEXT, "metadata": Sized(fields=names)}


def _declared(schema: Any) -> int:
    bound = (schema or {}).get("maxLength")
    return MOST if bound is None else max(int(bound), 0)


def size_at(root: Sized, path: tuple[str, ...]) -> Span | None:
    """Return how large what a path of a rule leads to can be, None where that is not known; all begin at the rule."""
    found: Sized | None = root
    for step in path[1:]:
        if found is None:
            return None
        if step in ("@items", "@values"):
            found = found.element
        elif step == "@keys":
            found = _KEY if found.keyed else None
        else:
            found = found.fields.get(step)
    return None if found is None else Span(0, found.most)


def repeats(node: Node) -> int:
    """Return how often a value of a schema can stand in one request, where nothing else bounds that."""
    known = of_schema(node)
    return REQUEST // ((known.least_bytes if known else 2) + 1)
