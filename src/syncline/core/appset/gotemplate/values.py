"""Go's values as templates see them: what types they have, which are true, and how they are ordered.

Most are plain Python: `dict` is `map[string]interface {}`, `list` is `[]interface {}`, `int` is `int`, `float` is
`float64`, `None` is a nil interface. The classes here are the types that Python has no word for. Parameters may use
`StringMap` and `Strings` where Argo CD has a map or a list of texts; Go tells them apart from maps and lists of
anything in errors, and in what functions take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, Final, Self


class NoValue:
    """The type of `NO_VALUE`: what a missing key gives, which prints as `<no value>` and is not nil."""

    def __repr__(self) -> str:
        return "NO_VALUE"


NO_VALUE: Final = NoValue()


class Int64(int):
    """An int64."""


class Uint64(int):
    """A uint64."""


class Uint8(int):
    """A byte."""


class Named(int):
    """An int with a type name and a text of its own, such as a month."""

    def __new__(cls, value: int, type_name: str, text: str) -> Self:
        """Make one with its names."""
        made = super().__new__(cls, value)
        made.type_name, made.text = type_name, text
        return made

    type_name: str
    text: str


class StringMap(dict[str, str]):
    """A map[string]string."""


class NilMap(dict[str, Any]):
    """A map[string]interface {} that is nil."""


class Strings(list[str]):
    """A []string."""


class NilStrings(Strings):
    """A []string that is nil."""


class Ints(list[int]):
    """A []int."""


class Lists(list[list[Any]]):
    """A [][]interface {}."""


class NilList(list[Any]):
    """A []interface {} that is nil."""


class Object:
    """A Go struct or pointer to one, with methods that templates may call and a text."""

    __slots__ = ()
    type_name: ClassVar[str] = ""
    kind: ClassVar[str] = "struct"

    def method(self, name: str) -> tuple[str, Callable[..., Any]] | None:
        """Return the parameters of a method, in the words of functions, and what it does."""
        raise NotImplementedError

    def text(self) -> str:
        """Return what String() gives."""
        raise NotImplementedError

    def json(self) -> str:
        """Return the text that stands for it in JSON."""
        raise NotImplementedError


_TYPES: dict[type, tuple[str, str]] = {
    type(None): ("<nil>", "invalid"),
    NoValue: ("<nil>", "invalid"),
    bool: ("bool", "bool"),
    int: ("int", "int"),
    Int64: ("int64", "int64"),
    Uint64: ("uint64", "uint64"),
    Uint8: ("uint8", "uint8"),
    float: ("float64", "float64"),
    complex: ("complex128", "complex128"),
    str: ("string", "string"),
    dict: ("map[string]interface {}", "map"),
    NilMap: ("map[string]interface {}", "map"),
    StringMap: ("map[string]string", "map"),
    list: ("[]interface {}", "slice"),
    NilList: ("[]interface {}", "slice"),
    Strings: ("[]string", "slice"),
    NilStrings: ("[]string", "slice"),
    Ints: ("[]int", "slice"),
    Lists: ("[][]interface {}", "slice"),
}
ELEMENTS: dict[type, str] = {
    Strings: "string",
    NilStrings: "string",
    Ints: "int",
    Lists: "[]interface {}",
    StringMap: "string",
}
"""Element types of containers that do not hold anything; a missing element has the zero of it."""


def from_json(value: Any) -> Any:
    """Return a copy of a value as Go decodes JSON: every number is a float64."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        return float(value)
    if isinstance(value, StringMap | Strings):
        return kind(value)
    if isinstance(value, Mapping):
        return {key: from_json(child) for key, child in value.items()}
    return [from_json(child) for child in value] if isinstance(value, list | tuple) else value


def type_name(value: Any) -> str:
    """Return the Go type of a value, as `%T` prints it."""
    known = _TYPES.get(type(value))
    if known is not None:
        return known[0]
    if isinstance(value, Named | Object):
        return value.type_name
    return "map[string]interface {}" if isinstance(value, Mapping) else type(value).__name__


def kind_name(value: Any) -> str:
    """Return the kind of a value, as reflection names it."""
    known = _TYPES.get(type(value))
    if known is not None:
        return known[1]
    if isinstance(value, Object):
        return value.kind
    return "int" if isinstance(value, int) else "map"


def is_true(value: Any) -> bool:
    """Tell whether a value counts as true: it is not the zero of its type, and not empty."""
    if isinstance(value, Object):
        return True
    return value is not NO_VALUE and bool(value)


def is_nil(value: Any) -> bool:
    """Tell whether a value is nil of its type."""
    return value is None or value is NO_VALUE or isinstance(value, NilMap | NilList | NilStrings)


def sorted_keys(value: Mapping[str, Any]) -> list[str]:
    """Return the keys of a map in Go's order, which is that of their bytes."""
    return sort_texts(value)


def sort_texts(texts: Iterable[str]) -> list[str]:
    """Return texts in Go's order."""
    found = list(texts)
    if all(map(str.isascii, found)):
        return sorted(found)
    return sorted(found, key=lambda text: text.encode("utf-8", "surrogateescape"))
