"""CEL's own functions and operators, in cel-go's words where they fail."""

from __future__ import annotations

import math
from typing import Any, Final

from syncline.apimachinery.cel import regexes, times, values
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.values import NONE, Duration, Fault, Optional, Timestamp, TypeName, Uint

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add


def _int(value: int) -> int:
    if not values.INT_MIN <= value <= values.INT_MAX:
        raise Fault("integer overflow")
    return value


def _uint(value: int) -> Uint:
    if not 0 <= value <= values.UINT_MAX:
        raise Fault("unsigned integer overflow")
    return Uint(value)


def _divided(one: int, other: int) -> int:
    if other == 0:
        raise Fault("division by zero")
    whole = abs(one) // abs(other)
    return _int(whole if (one < 0) == (other < 0) else -whole)


def _rest(one: int, other: int) -> int:
    if other == 0:
        raise Fault("modulus by zero")
    return one - other * _divided(one, other) if other != -1 else 0


def _fraction(one: float, other: float) -> float:
    if other == 0:
        return math.nan if one == 0 or math.isnan(one) else math.copysign(math.inf, one) * math.copysign(1, other)
    return one / other


_add("_+_", "(int, int) int", does=lambda a, b: _int(a + b))
_add("_+_", "(uint, uint) uint", does=lambda a, b: _uint(int(a) + int(b)))
_add("_+_", "(double, double) double", "(string, string) string", does=lambda a, b: a + b)
_add("_+_", "(bytes, bytes) bytes", "(list(A), list(A)) list(A)", does=lambda a, b: a + b)
_add("_+_", "(timestamp, duration) timestamp", does=lambda a, b: times.moment(a.ns + b.ns))
_add("_+_", "(duration, timestamp) timestamp", does=lambda a, b: times.moment(a.ns + b.ns))
_add("_+_", "(duration, duration) duration", does=lambda a, b: times.length(a.ns + b.ns))
_add("_-_", "(int, int) int", does=lambda a, b: _int(a - b))
_add("_-_", "(uint, uint) uint", does=lambda a, b: _uint(int(a) - int(b)))
_add("_-_", "(double, double) double", does=lambda a, b: a - b)
_add("_-_", "(timestamp, timestamp) duration", does=lambda a, b: times.length(a.ns - b.ns))
_add("_-_", "(timestamp, duration) timestamp", does=lambda a, b: times.moment(a.ns - b.ns))
_add("_-_", "(duration, duration) duration", does=lambda a, b: times.length(a.ns - b.ns))
_add("_*_", "(int, int) int", does=lambda a, b: _int(a * b))
_add("_*_", "(uint, uint) uint", does=lambda a, b: _uint(int(a) * int(b)))
_add("_*_", "(double, double) double", does=lambda a, b: a * b)
_add("_/_", "(int, int) int", does=_divided)
_add("_/_", "(uint, uint) uint", does=lambda a, b: Uint(_divided(int(a), int(b))))
_add("_/_", "(double, double) double", does=_fraction)
_add("_%_", "(int, int) int", does=_rest)
_add("_%_", "(uint, uint) uint", does=lambda a, b: Uint(_rest(int(a), int(b))))
_add("-_", "(int) int", does=lambda a: _int(-a))
_add("-_", "(double) double", does=lambda a: -a)
_add("!_", "(bool) bool", does=lambda a: not a)

_ORDERED: Final = (
    "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration",
)  # fmt: skip
_NUMBERS: Final = ("int", "uint", "double")
_PAIRS: Final = tuple(
    [f"({one}, {one}) bool" for one in _ORDERED]
    + [f"({one}, {other}) bool" for one in _NUMBERS for other in _NUMBERS if one != other]
)
_add("_<_", *_PAIRS, does=lambda a, b: a < b)
_add("_<=_", *_PAIRS, does=lambda a, b: a <= b)
_add("_>_", *_PAIRS, does=lambda a, b: a > b)
_add("_>=_", *_PAIRS, does=lambda a, b: a >= b)
_add("_==_", "(A, A) bool", does=values.same)
_add("_!=_", "(A, A) bool", does=lambda a, b: not values.same(a, b))


def _in_list(value: Any, items: list[Any]) -> bool:
    return any(values.same(value, item) for item in items)


def _in_map(key: Any, entries: Any) -> bool:
    return isinstance(key, str | int | float) and key in entries


_add("@in", "(A, list(A)) bool", does=_in_list)
_add("@in", "(A, map(A, B)) bool", does=_in_map)
_add("size", "(string) int", "(bytes) int", "(list(A)) int", "(map(A, B)) int", does=len)
_add("size", "string.() int", "bytes.() int", "list(A).() int", "map(A, B).() int", does=len)
_add("dyn", "(A) dyn", does=lambda a: a)
_add("type", "(A) type(A)", does=lambda a: TypeName(values.type_name(a)))
_add("startsWith", "string.(string) bool", does=str.startswith)
_add("endsWith", "string.(string) bool", does=str.endswith)
_add("contains", "string.(string) bool", does=lambda a, b: b in a)
_add("matches", "string.(string) bool", "(string, string) bool", does=regexes.matches)


def _int_of(value: Any) -> int:
    if isinstance(value, float):
        if not -(2.0**63) < value < 2.0**63:
            raise Fault("integer overflow")
        return int(value)
    if isinstance(value, Timestamp):
        return value.ns // 10**9
    if isinstance(value, Duration):
        return value.ns
    if isinstance(value, str):
        return _parsed(value, "int", values.INT_MIN, values.INT_MAX)
    return _int(int(value))


def _unreadable(wanted: str) -> Fault:
    return Fault(f"type conversion error from 'string' to '{wanted}'")


def _parsed(text: str, wanted: str, least: int, most: int) -> int:
    digits = text[1:] if text[:1] in ("+", "-") and wanted == "int" else text
    if not (digits.isascii() and digits.isdigit() and least <= int(text) <= most):
        raise _unreadable(wanted)
    return int(text)


def _uint_of(value: Any) -> Uint:
    if isinstance(value, str):
        return Uint(_parsed(value, "uint", 0, values.UINT_MAX))
    return _uint(int(value))


def _double_of(value: Any) -> float:
    try:
        return float(value)
    except ValueError:
        raise _unreadable("double") from None


_TRUTHS: Final = {
    "1": True, "t": True, "T": True, "TRUE": True, "true": True, "True": True,
    "0": False, "f": False, "F": False, "FALSE": False, "false": False, "False": False,
}  # fmt: skip


def _bool_of(value: str) -> bool:
    if value not in _TRUTHS:
        raise _unreadable("bool")
    return _TRUTHS[value]


def string_of(value: Any) -> str:
    """Return a value as `string` writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return regexes.shown_double(value)
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise Fault("invalid UTF-8 in bytes, cannot convert to string") from None
    return times.shown(value) if isinstance(value, Timestamp | Duration) else str(value)


_add("int", *(f"({one}) int" for one in ("int", "uint", "double", "string", "timestamp", "duration")), does=_int_of)
_add("uint", "(uint) uint", "(int) uint", "(double) uint", "(string) uint", does=_uint_of)
_add("double", "(double) double", "(int) double", "(uint) double", "(string) double", does=_double_of)
_add("bool", "(bool) bool", does=lambda a: a)
_add("bool", "(string) bool", does=_bool_of)
_add(
    "string",
    *(f"({one}) string" for one in ("string", "bool", "int", "uint", "double", "bytes", "timestamp", "duration")),
    does=string_of,
)
_add("bytes", "(bytes) bytes", does=lambda a: a)
_add("bytes", "(string) bytes", does=str.encode)
_add("timestamp", "(string) timestamp", does=times.parse)
_add("timestamp", "(timestamp) timestamp", does=lambda a: a)
_add("timestamp", "(int) timestamp", does=lambda a: times.moment(a * 10**9))
_add("duration", "(string) duration", does=times.parse_length)
_add("duration", "(duration) duration", does=lambda a: a)

for _name, _part in times.PARTS.items():
    _add(_name, "timestamp.() int", does=lambda a, part=_part: part(times.local(a, "UTC"), a))
    _add(_name, "timestamp.(string) int", does=lambda a, zone, part=_part: part(times.local(a, zone), a))
for _name, _unit in (("getHours", 3600), ("getMinutes", 60), ("getSeconds", 1)):
    _add(_name, "duration.() int", does=lambda a, unit=_unit: _divided(a.ns, unit * 10**9))
_add("getMilliseconds", "duration.() int", does=lambda a: _divided(a.ns, 10**6))


def _value(given: Optional) -> Any:
    if not given.there:
        raise Fault("optional.none() dereference")
    return given.value


def _of_non_zero(value: Any) -> Optional:
    return NONE if values.zero(value) else Optional(True, value)


_add("optional.of", "(A) optional(A)", does=lambda a: Optional(True, a))
_add("optional.ofNonZeroValue", "(A) optional(A)", does=_of_non_zero)
_add("optional.none", "() optional(A)", does=lambda: NONE)
_add("value", "optional(A).() A", does=_value)
_add("hasValue", "optional(A).() bool", does=lambda a: a.there)
_add("or", "optional(A).(optional(A)) optional(A)", does=lambda a, b: a if a.there else b)
_add("orValue", "optional(A).(A) A", does=lambda a, b: a.value if a.there else b)
_add("optional.unwrap", "(list(optional(A))) list(A)", does=lambda items: [one.value for one in items if one.there])
_add("unwrapOpt", "list(optional(A)).() list(A)", does=lambda items: [one.value for one in items if one.there])
