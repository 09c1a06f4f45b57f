"""Spells, reads, orders and prints the elements of a field path.

`syncline.apimachinery.merge.fieldset` keeps elements in the spelling of managedFields (`f:spec`, `k:{"name":"a"}`,
`v:"x"`, `i:0`) and asks here only when it reads foreign text, sorts or prints.
The spelling is Go's: JSON with `<`, `>` and `&` escaped, numbers as Go writes them, key fields sorted by name.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from typing import Any

from syncline.apimachinery.frozen import Frozen, set_field


class InvalidPathElement(ValueError):
    """A text that should spell a path element does not."""


class FieldName(Frozen):
    """A member of an object, printed `.name`."""

    __slots__ = __match_args__ = ("name",)

    name: str

    def __init__(self, name: str) -> None:
        set_field(self, "name", name)

    def __str__(self) -> str:
        return f".{self.name}"


class KeyElement(Frozen):
    """The item of an associative list with these key fields, printed `[name="app"]`."""

    __slots__ = __match_args__ = ("fields",)

    fields: tuple[tuple[str, Any], ...]

    def __init__(self, fields: tuple[tuple[str, Any], ...]) -> None:
        set_field(self, "fields", fields)

    def __str__(self) -> str:
        return "[" + ",".join(f"{name}={print_value(value)}" for name, value in self.fields) + "]"


class ValueElement(Frozen):
    """The item of a set, printed `[="value"]`."""

    __slots__ = __match_args__ = ("value",)

    value: Any

    def __init__(self, value: Any) -> None:
        set_field(self, "value", value)

    def __str__(self) -> str:
        return f"[={print_value(self.value)}]"


class IndexElement(Frozen):
    """The item of a list at a place, printed `[0]`."""

    __slots__ = __match_args__ = ("index",)

    index: int

    def __init__(self, index: int) -> None:
        set_field(self, "index", index)

    def __str__(self) -> str:
        return f"[{self.index}]"


Element = FieldName | KeyElement | ValueElement | IndexElement


class Path(tuple[Element, ...]):
    """The way from the root of an object to one field, printed as in the conflicts of the API server."""

    __slots__ = ()

    def __str__(self) -> str:
        return "".join(map(str, self))


def path(*parts: str | Element) -> Path:
    """Make a path; a plain text is a field name."""
    return Path(FieldName(part) if isinstance(part, str) else part for part in parts)


def key(**fields: Any) -> KeyElement:
    """Make the element of an associative list's item."""
    return KeyElement(tuple(sorted(fields.items())))


def spell(element: Element) -> str:
    """Return an element as managedFields spell it."""
    match element:
        case FieldName(name):
            return f"f:{name}"
        case KeyElement(fields):
            return spell_key(fields)
        case ValueElement(value):
            return f"v:{spell_value(value)}"
        case IndexElement(index):
            return f"i:{index}"


def spell_key(fields: tuple[tuple[str, Any], ...]) -> str:
    """Return the spelling of a list item's key; fields come sorted by name."""
    inside = ",".join(f"{_quote_plain(name)}:{spell_value(value)}" for name, value in fields)
    return f"k:{{{inside}}}"


_NEEDS_CARE = re.compile("[<>&\u2028\u2029\b\f\x7f]")
_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_ESCAPES |= {"\b": "\\u0008", "\f": "\\u000c", "\x7f": "\x7f"}


def spell_value(value: Any) -> str:
    """Return a value as Go's JSON encoder writes it."""
    if isinstance(value, str):
        if _NEEDS_CARE.search(value):
            parts = re.split(f"({_NEEDS_CARE.pattern})", value)
            return '"' + "".join(_ESCAPES.get(part) or _quote_plain(part)[1:-1] for part in parts) + '"'
        return _quote_plain(value)
    if value is True:
        return "true"
    if value is False:
        return "false"
    if value is None:
        return "null"
    if isinstance(value, float):
        return _spell_float(value)
    if isinstance(value, list):
        return "[" + ",".join(map(spell_value, value)) + "]"
    if isinstance(value, dict):
        members = ",".join(f"{spell_value(name)}:{spell_value(value[name])}" for name in sorted(value))
        return f"{{{members}}}"
    return str(value)


def _quote_plain(text: str) -> str:
    return _quoter()(text)


@functools.cache
def _quoter() -> Callable[[str], str]:
    from json.encoder import encode_basestring

    return encode_basestring


def _spell_float(value: float) -> str:
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if 1e-6 <= abs(value) < 1e21:
        return _plain_decimal(value)
    return _with_go_exponent(repr(value))


def _plain_decimal(value: float) -> str:
    from decimal import Decimal

    return format(Decimal(repr(value)), "f")


def _with_go_exponent(text: str) -> str:
    """Rewrite Python's exponent (`1e-07`) as Go's JSON encoder does (`1e-7`)."""
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0')}" if mark else text


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Element | None:
    """Read one spelled element; None where its type is unknown, which Kubernetes drops."""
    if len(text) < 2:
        raise InvalidPathElement("key must be 2 characters long:")
    if text[1] != ":":
        raise InvalidPathElement(f"missing colon: {text}")
    kind, rest = text[0], text[2:]
    if kind == "f":
        return FieldName(rest)
    if kind == "i":
        if not re.fullmatch(r"[+-]?[0-9]+", rest):
            raise InvalidPathElement(f"{text!r} is not a list index")
        return IndexElement(int(rest))
    if kind not in "kv":
        return None
    import json

    try:
        value = json.loads(rest)
    except ValueError:
        raise InvalidPathElement(f"{text!r} is not JSON") from None
    if kind == "v":
        return ValueElement(_narrowed(value))
    if not isinstance(value, dict):
        raise InvalidPathElement(f"{text!r} has no key fields")
    return KeyElement(tuple(sorted((name, _narrowed(member)) for name, member in value.items())))


@functools.lru_cache(maxsize=4096)
def canonical(text: str) -> str | None:
    """Return the one spelling of an element, so that equal elements are equal texts; None when unknown."""
    element = parse(text)
    return None if element is None else spell(element)


def _narrowed(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


@functools.lru_cache(maxsize=16384)
def sort_key(text: str) -> tuple[Any, ...]:
    """Order spelled elements as Kubernetes prints them: names, keys, values, indexes; `.` before all."""
    if text == ".":
        return (-1,)
    kind = text[0]
    if kind == "f":
        return (0, text)
    element = parse(text)
    if isinstance(element, KeyElement):
        return (1, tuple((name, _value_key(value)) for name, value in element.fields))
    if isinstance(element, ValueElement):
        return (2, _value_key(element.value))
    return (3, element.index if isinstance(element, IndexElement) else 0)


def _value_key(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (3, value)
    if isinstance(value, (int, float)):
        return (1, value)
    if isinstance(value, str):
        return (2, value)
    if isinstance(value, list):
        return (4, tuple(map(_value_key, value)))
    if isinstance(value, dict):
        return (5, tuple((name, _value_key(value[name])) for name in sorted(value)))
    return (6,)


def print_value(value: Any) -> str:
    """Return a value as Kubernetes prints it inside a path."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _print_float(value)
    if isinstance(value, list):
        return "[" + ",".join(map(print_value, value)) + "]"
    if isinstance(value, dict):
        return "".join(f"{name}={print_value(member)}" for name, member in value.items())
    return str(value)


def _print_float(value: float) -> str:
    if value.is_integer() and abs(value) < 1e21:
        return str(int(value))
    if math.isfinite(value) and 1e-4 <= abs(value) < 1e21:
        return _plain_decimal(value)
    return repr(value)


_GO_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}
_GO_ESCAPES |= {"\\": "\\\\", '"': '\\"'}


def go_quote(text: str) -> str:
    """Return a text in Go's double quotes (`%q`)."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_go_escape, text)) + '"'


def _go_escape(character: str) -> str:
    short = _GO_ESCAPES.get(character)
    if short is not None:
        return short
    if character.isprintable():
        return character
    number = ord(character)
    if number < 0x80:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
