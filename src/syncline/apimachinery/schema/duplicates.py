"""Finds items that stand twice in lists which the schema calls a set or keys by fields.

Asked by `syncline.apimachinery.schema.validate` for custom objects, whose lists the API server refuses then. The
second of two equal items is the one found; a key field that is absent counts with its default.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import encoding
from syncline.apimachinery.schema.node import ANY, UNSET, Node

Path = list[str | int]


def find(value: Any, node: Node, path: Path | None = None) -> Iterator[tuple[Path, Any]]:
    """Yield place and key (of a set: the item) of every item that repeats an earlier one."""
    at = path or []
    if isinstance(value, dict):
        for name, member in value.items():
            inner = node.field(name)
            if inner is not None and inner is not ANY and isinstance(member, dict | list):
                yield from find(member, inner, [*at, name])
    elif isinstance(value, list):
        if node.list_type != "atomic":
            yield from _repeated(value, node, at)
        elements = node.elements
        if elements is not None and elements is not ANY:
            for index, item in enumerate(value):
                yield from find(item, elements, [*at, index])


def _repeated(items: list[Any], node: Node, at: Path) -> Iterator[tuple[Path, Any]]:
    seen: set[bytes] = set()
    for index, item in enumerate(items):
        key = _key(item, node) if node.list_type == "map" else item
        encoded = encoding.encode(key, order="sorted")
        if encoded in seen:
            yield [*at, index], key
        seen.add(encoded)


def _key(item: Any, node: Node) -> Any:
    if not isinstance(item, dict):
        return item
    fields = (node.elements or ANY).fields
    defaults = {name: fields[name].default for name in node.list_keys if name in fields}
    key = {name: item.get(name, defaults.get(name, UNSET)) for name in node.list_keys}
    return {name: value for name, value in key.items() if value is not UNSET}
