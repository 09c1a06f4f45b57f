"""The functions of texts beyond CEL's own: letters, parts, places, and `format` with its percent signs."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from syncline.apimachinery.cel import regexes, standard, values
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.values import Duration, Fault, Timestamp, TypeName

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add
_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


def _char_at(text: str, at: int) -> str:
    if not 0 <= at <= len(text):
        raise Fault(f"index out of range: {at}")
    return text[at : at + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    if not part and start == 0:
        return 0
    if start < 0:
        raise Fault(f"index out of range: {start}")
    return text.find(part, start)


def _last_index_of(text: str, part: str, start: int | None = None) -> int:
    if start is None:
        return text.rfind(part)
    if start < 0:
        raise Fault(f"index out of range: {start}")
    if start >= len(text):
        return -1
    return text.rfind(part, 0, start + len(part))


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    return text.replace(old, new, count)


def _split(text: str, by: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if limit == 1:
        return [text]
    if by:
        return text.split(by, limit - 1 if limit > 0 else -1)
    return list(text) if limit < 0 or limit >= len(text) else [*text[: limit - 1], text[limit - 1 :]]


def _substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else end
    if not 0 <= start <= len(text):
        raise Fault(f"index out of range: {start}")
    if not 0 <= last <= len(text):
        raise Fault(f"index out of range: {last}")
    if start > last:
        raise Fault(f"invalid substring range. start: {start}, end: {last}")
    return text[start:last]


def _ascii(text: str, *, upper: bool) -> str:
    return "".join((one.upper() if upper else one.lower()) if one.isascii() else one for one in text)


def _join(items: list[Any], by: str = "") -> str:
    if not all(isinstance(one, str) for one in items):
        raise Fault(values.NO_OVERLOAD)
    return by.join(items)


_QUOTES: Final = str.maketrans(
    {
        "\a": "\\a",
        "\b": "\\b",
        "\f": "\\f",
        "\n": "\\n",
        "\r": "\\r",
        "\t": "\\t",
        "\v": "\\v",
        "\\": "\\\\",
        '"': '\\"',
    }
)

_add("charAt", "string.(int) string", does=_char_at)
_add("indexOf", "string.(string) int", "string.(string, int) int", does=_index_of)
_add("lastIndexOf", "string.(string) int", "string.(string, int) int", does=_last_index_of)
_add("join", "list(string).() string", "list(string).(string) string", does=_join)
_add("lowerAscii", "string.() string", does=lambda a: _ascii(a, upper=False))
_add("upperAscii", "string.() string", does=lambda a: _ascii(a, upper=True))
_add("replace", "string.(string, string) string", "string.(string, string, int) string", does=_replace)
_add("split", "string.(string) list(string)", "string.(string, int) list(string)", does=_split)
_add("substring", "string.(int) string", "string.(int, int) string", does=_substring)
_add("trim", "string.() string", does=lambda a: a.strip(_SPACE))
_add("strings.quote", "(string) string", does=lambda a: f'"{a.translate(_QUOTES)}"')


class Clause(NamedTuple):
    """One percent sign: its letter, and how many digits follow the point."""

    letter: str
    digits: int | None


def clauses(pattern: str) -> list[str | Clause]:
    """Take a pattern apart into texts and percent signs; raises `Fault`."""
    parts: list[str | Clause] = []
    at = 0
    while at < len(pattern):
        found = _CLAUSE.match(pattern, at)
        if found is None:
            raise Fault("unexpected end of string")
        at = found.end()
        if found[1] is not None or found[0] == "%%":
            parts.append(found[1] or "%")
            continue
        if found[3] not in "sdfexXob":
            raise Fault(f'could not parse formatting clause: unrecognized formatting clause "{found[3]}"')
        parts.append(Clause(found[3], None if found[2] is None else int(found[2] or 0)))
    return parts


_CLAUSE: Final = re.compile(r"(?s)([^%]+)|%%|%(?:\.(\d*))?(.)", re.ASCII)


def _format(pattern: str, given: list[Any]) -> str:
    made: list[str] = []
    used = 0
    for part in clauses(pattern):
        if isinstance(part, str):
            made.append(part)
            continue
        if used >= len(given):
            raise Fault(f"index {used} out of range")
        made.append(_clause(part.letter, part.digits, given[used]))
        used += 1
    return "".join(made)


def _clause(letter: str, digits: int | None, value: Any) -> str:
    if letter == "s":
        return shown(value)
    if letter == "d" and isinstance(value, int) and not isinstance(value, bool):
        return str(int(value))
    if letter in "fe" and values.is_number(value):
        return _fixed(letter, 6 if digits is None else digits, float(value))
    if letter in "boxX":
        return _digits(letter, value)
    raise Fault(unfit(letter, values.type_name(value)))


_SMALL: Final = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def _fixed(letter: str, digits: int, value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return shown(value)
    if letter == "f":
        return f"{value:.{digits}f}"
    mantissa, _, exponent = f"{value:.6e}".partition("e")  # the server takes no digits here
    return f"{mantissa}×10{exponent.removeprefix('+').translate(_SMALL)}"


def _digits(letter: str, value: Any) -> str:
    if isinstance(value, bool) and letter == "b":
        return str(int(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return format(int(value), letter)
    if letter in "xX" and isinstance(value, str | bytes):
        written = (value.encode() if isinstance(value, str) else value).hex()
        return written.upper() if letter == "X" else written
    raise Fault(unfit(letter, values.type_name(value)))


_FITTING: Final = {
    "s": "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
    "timestamps",
    "d": "decimal clause can only be used on integers",
    "f": "fixed-point clause can only be used on doubles",
    "e": "scientific clause can only be used on doubles",
    "b": "only integers and bools can be formatted as binary",
    "o": "octal clause can only be used on integers",
    "x": "only integers, byte buffers, and strings can be formatted as hex",
    "X": "only integers, byte buffers, and strings can be formatted as hex",
}


def unfit(letter: str, given: str) -> str:
    """Return what is said of a value that a percent sign cannot write."""
    return f"error during formatting: {_FITTING[letter]}, was given {given}"


def shown(value: Any) -> str:
    """Return a value as `%s` writes it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool | int | float | bytes | Timestamp | Duration):
        return standard.string_of(value)
    if isinstance(value, list):
        return f"[{', '.join(_inner(one) for one in value)}]"
    if isinstance(value, Mapping):
        entries = sorted((_inner(key), _inner(one)) for key, one in value.items())
        return "{" + ", ".join(f"{key}:{one}" for key, one in entries) + "}"
    if isinstance(value, TypeName):
        return value.name
    raise Fault(unfit("s", values.type_name(value)))


def _inner(value: Any) -> str:
    if isinstance(value, str):
        return regexes.quoted(value)
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6f}"
    if isinstance(value, Timestamp):
        return f'timestamp("{standard.string_of(value)}")'
    if isinstance(value, Duration):
        return f'duration("{standard.string_of(value)}")'
    return shown(value)


_add("format", "string.(list(dyn)) string", does=_format)
