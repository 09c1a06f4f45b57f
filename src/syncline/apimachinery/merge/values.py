"""Tells what a schema makes of a value: its shape, its equality, the key of a list item.

Read by every walk of `syncline.apimachinery.merge`. A node without a type (an undescribed value) takes the shape of
the value it meets: objects merge by member, lists are replaced whole.
"""

from __future__ import annotations

import functools
from typing import Any, Final, Literal

from syncline.apimachinery import encoding
from syncline.apimachinery.merge import paths
from syncline.apimachinery.schema.node import ANY, UNSET, Node

Shape = Literal["map", "list", "scalar"]

ATOMIC: Final = Node(preserve_unknown=True, map_type="atomic")
"""What lies inside an undescribed list."""


_REMEMBERED: Final = 16384
"""How many spelled keys are kept per field name."""


class SchemaError(ValueError):
    """An object the API server would refuse to merge, in the API server's words."""


class KeyProblem(ValueError):
    """A list item that has no key to be known by."""


def shape_of(node: Node, value: Any) -> Shape:
    """Return how a node reads a value; a value that does not fit is read as the node says."""
    kind = node.type
    if kind == "object":
        return "map"
    if kind == "array":
        return "list"
    if kind:
        return "scalar"
    if isinstance(value, list):
        return "list"
    return "map" if isinstance(value, dict) or value is None else "scalar"


def member_node(node: Node, name: str) -> Node:
    """Return the schema of an object's member; undeclared members are undescribed values."""
    return node.fields.get(name) or node.elements or ANY


def item_node(node: Node) -> Node:
    """Return the schema of a list's items."""
    return node.elements or ATOMIC


def plainly_equal(left: Any, right: Any) -> bool:
    """Tell at little cost whether two objects or lists are equal; some that are may be missed, none mistaken.

    Python holds 1 and true for equal, the encoding tells them apart, and the order of members as well.
    """
    return bool(left == right) and encoding.encode(left) == encoding.encode(right)


def equal(left: Any, right: Any) -> bool:
    """Compare as Kubernetes does: 1 and 1.0 are equal, 1 and true are not."""
    if left is right:
        return True
    if left != right:
        return False
    if isinstance(left, dict):
        return all(equal(member, right[name]) for name, member in left.items())
    if isinstance(left, list):
        return all(map(equal, left, right))
    return isinstance(left, bool) == isinstance(right, bool)


def item_key(node: Node, item: Any) -> str:
    """Return the spelled path element of an item of a set or of an associative list."""
    keys = node.list_keys
    if not keys:
        return _set_element(item)
    if not isinstance(item, dict):
        wrong = "a null element" if item is None else "non-map elements"
        raise KeyProblem(f"associative list with keys may not have {wrong}")
    if len(keys) == 1:
        value = item.get(keys[0], UNSET)
        if value.__class__ is str:
            return _text_keys(keys[0])[value]
    return _composed_key(node, item)


class _TextKeys(dict[str, str]):
    """The spelled path elements of items whose one key field is a text, by that text."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, value: str) -> str:
        if value.__class__ is not str:
            raise TypeError
        if len(self) >= _REMEMBERED:
            self.clear()
        key = self[value] = paths.spell_key(((self._name, value),))
        return key


@functools.lru_cache(maxsize=256)
def _text_keys(name: str) -> _TextKeys:
    return _TextKeys(name)


def plain_keys(node: Node, items: list[Any]) -> list[str] | None:
    """Return the path elements of all items where one key field, a text, identifies each; else None."""
    if len(node.list_keys) != 1:
        return None
    name = node.list_keys[0]
    known = _text_keys(name)
    try:
        return [known[item[name]] for item in items]
    except (KeyError, TypeError):
        return None


def _composed_key(node: Node, item: dict[str, Any]) -> str:
    found: list[Any] = []
    for name, default in _key_fields(node):
        value = item.get(name, default)
        if value is not UNSET:
            found += name, value
    if not found:
        listed = " ".join(f'"{name}"' for name in node.list_keys)
        raise KeyProblem(
            f"associative list with keys has an element that omits all key fields [{listed}]"
            " (and doesn't have default values for any key fields)"
        )
    try:
        return _spelled_key(*found)
    except TypeError:  # an object or a list as a key cannot be remembered
        return _spelled_key.__wrapped__(*found)


@functools.lru_cache(maxsize=16384, typed=True)
def _spelled_key(*found: Any) -> str:
    return paths.spell_key(tuple(zip(found[::2], found[1::2], strict=True)))


@functools.lru_cache(maxsize=1024)
def _key_fields(node: Node) -> tuple[tuple[str, Any], ...]:
    """Return the key fields of a list with their defaults, sorted by name as they are spelled."""
    members = node.elements.fields if node.elements is not None else {}
    defaults = {name: members[name].default for name in node.list_keys if name in members}
    return tuple((name, UNSET if defaults.get(name) is None else defaults[name]) for name in sorted(node.list_keys))


def _set_element(item: Any) -> str:
    if item.__class__ is str:
        return f"v:{paths.spell_value(item)}"
    if isinstance(item, dict):
        raise KeyProblem("associative list without keys has an element that's a map type")
    if isinstance(item, list):
        raise KeyProblem("not supported: associative list with lists as elements")
    if item is None:
        raise KeyProblem("associative list without keys has an element that's an explicit null")
    return f"v:{paths.spell_value(item)}"


def item_keys(node: Node, items: list[Any]) -> list[str]:
    """Return the path elements of all items, in order."""
    plain = plain_keys(node, items)
    if plain is not None:
        return plain
    out = []
    for number, item in enumerate(items):
        try:
            out.append(item_key(node, item))
        except KeyProblem as problem:
            raise SchemaError(f"element {number}: {problem}") from None
    return out
