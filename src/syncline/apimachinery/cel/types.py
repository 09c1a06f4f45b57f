"""The types of expressions, as declared in signatures and worked out by `checker`."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Final

from syncline.apimachinery.cel import values


class Type:
    """A type: its name, what it is made of, and for objects the types of their fields."""

    __slots__ = ("args", "fields", "name")

    def __init__(self, name: str, args: tuple[Type, ...] = (), fields: Mapping[str, Type] | None = None) -> None:
        self.name = name
        self.args = args
        self.fields = fields

    @property
    def is_open(self) -> bool:
        """Whether it stands for any type: a letter in a signature."""
        return len(self.name) == 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.name == other.name and self.args == other.args

    def __hash__(self) -> int:
        return hash((self.name, self.args))

    def __str__(self) -> str:
        name = "optional_type" if self.name == "optional" else self.name
        return f"{name}({', '.join(map(str, self.args))})" if self.args else name


DYN: Final = Type("dyn")
BOOL: Final = Type("bool")
INT: Final = Type("int")
UINT: Final = Type("uint")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
BYTES: Final = Type("bytes")
NULL: Final = Type("null")
TIMESTAMP: Final = Type("timestamp")
DURATION: Final = Type("duration")
ERROR: Final = Type("!error!")

_WORD: Final = re.compile(r"[\w.!]+")


def list_of(element: Type) -> Type:
    """Return the type of lists of one type."""
    return Type("list", (element,))


def map_of(key: Type, value: Type) -> Type:
    """Return the type of mappings."""
    return Type("map", (key, value))


def optional_of(value: Type) -> Type:
    """Return the type of values that may be absent."""
    return Type("optional", (value,))


def type_of(value: Type) -> Type:
    """Return the type of a type."""
    return Type("type", (value,))


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Type:
    """Read a type as signatures write it: `map(string, list(A))`."""
    found, rest = _parse(text.replace(" ", ""))
    if rest:
        raise ValueError(text)
    return found


def parse_all(text: str) -> tuple[Type, ...]:
    """Read types that commas part."""
    found: list[Type] = []
    rest = text.replace(" ", "")
    while rest:
        one, rest = _parse(rest)
        found.append(one)
        rest = rest.removeprefix(",")
    return tuple(found)


def _parse(text: str) -> tuple[Type, str]:
    word = _WORD.match(text)
    if word is None:
        raise ValueError(text)
    rest = text[word.end() :]
    args: list[Type] = []
    if rest.startswith("("):
        rest = rest[1:]
        while not rest.startswith(")"):
            one, rest = _parse(rest)
            args.append(one)
            rest = rest.removeprefix(",")
        rest = rest[1:]
    return Type(word[0], tuple(args)), rest


_CLASSES: Final[dict[str, type | tuple[type, ...]]] = {
    "string": str, "int": int, "uint": values.Uint, "double": float, "bool": bool, "bytes": bytes, "list": list,
    "map": (dict, values.Lazy), "timestamp": values.Timestamp, "duration": values.Duration,
    "optional": values.Optional, "type": values.TypeName, "null": type(None),
}  # fmt: skip


def fits(value: Any, wanted: Type) -> bool:
    """Tell whether a value can be what a signature wants, looking at its outermost type alone."""
    name = wanted.name
    if name == "dyn" or len(name) == 1:
        return True
    known = _CLASSES.get(name)
    if known is None:
        return isinstance(value, values.Opaque) and value.type_name == name
    if known is int:
        return type(value) is int
    return isinstance(value, known)
