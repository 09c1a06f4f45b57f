"""The values of expressions that Python has none of: unsigned numbers, times, optional values, types.

Truth values, whole numbers, doubles, texts, bytes, null, lists and mappings are Python's own; `same` compares by
CEL's rules, for which true is not 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

INT_MIN: Final = -(1 << 63)
INT_MAX: Final = (1 << 63) - 1
UINT_MAX: Final = (1 << 64) - 1


class Fault(Exception):
    """An expression fails on these values; the text is cel-go's."""


class TooLong(Exception):
    """An expression costs more than one may."""


class OutOfBudget(Exception):
    """Expressions together cost more than they may."""


NO_OVERLOAD: Final = "no such overload"


class Uint(int):
    """An unsigned number."""


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A length of time in nanoseconds."""

    ns: int


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A moment, in nanoseconds since 1970, and the minutes of the zone it was written in."""

    ns: int
    offset: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Optional:
    """A value that may be absent."""

    there: bool
    value: Any = None


NONE: Final = Optional(there=False)


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as a value."""

    name: str


class Opaque:
    """A value that only functions look into."""

    type_name: ClassVar[str]


class Lazy(Mapping[str, Any]):
    """A mapping whose values are worked out when they are asked for; comparing or walking it works all out."""


_TYPES: Final[dict[type, str]] = {
    bool: "bool", int: "int", Uint: "uint", float: "double", str: "string", bytes: "bytes", type(None): "null_type",
    list: "list", dict: "map", Duration: "google.protobuf.Duration", Timestamp: "google.protobuf.Timestamp",
    Optional: "optional_type", TypeName: "type",
}  # fmt: skip


def type_name(value: Any) -> str:
    """Return what `type` says of a value."""
    known = _TYPES.get(type(value))
    if known is not None:
        return known
    return value.type_name if isinstance(value, Opaque) else "map"


def is_number(value: Any) -> bool:
    """Tell whether it is a number of any kind."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(one: Any, other: Any) -> bool:
    """Compare as `==` does: numbers across their types, all else only within one type."""
    kind = type(one)
    if kind is type(other) and kind in (str, int, bool, bytes):
        return bool(one == other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return len(one) == len(other) and all(key in other and same(one[key], other[key]) for key in one)
    if is_number(one) and is_number(other):
        return bool(one == other)
    if isinstance(one, Optional) and isinstance(other, Optional):
        return one.there == other.there and same(one.value, other.value)
    return kind is type(other) and bool(one == other)


def zero(value: Any) -> bool:
    """Tell whether a value is the empty one of its type."""
    if value is None or value is False:
        return True
    if isinstance(value, int | float | str | bytes | list | Mapping):
        return not value
    return isinstance(value, Duration | Timestamp) and value.ns == 0
