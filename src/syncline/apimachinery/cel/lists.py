"""The functions of lists and sets that Kubernetes adds to CEL."""

from __future__ import annotations

import itertools
from typing import Any, Final

from syncline.apimachinery.cel import values
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.values import NONE, Duration, Fault, Optional, Timestamp, Uint, same

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add
_ORDERED: Final = ("bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration")
LONGEST: Final = 100_000
"""Elements that a function may make of nothing."""


def _sort_key(items: list[Any]) -> None:
    """Refuse elements that cannot be put in order."""
    kinds = {bool if isinstance(one, bool) else float if values.is_number(one) else type(one) for one in items}
    if len(kinds) > 1:
        raise Fault("list elements must have the same type")
    if kinds and not kinds <= {bool, float, str, bytes, Timestamp, Duration}:
        raise Fault("list elements must be comparable")


def _is_sorted(items: list[Any]) -> bool:
    _sort_key(items)
    return all(one <= other for one, other in itertools.pairwise(items))


def _sum(items: list[Any]) -> Any:
    if items and isinstance(items[0], Duration):
        return Duration(sum(one.ns for one in items))
    if not all(values.is_number(one) for one in items):
        raise Fault(values.NO_OVERLOAD)
    total = sum(items)
    if items and isinstance(items[0], float):
        return float(total)
    if not (0 if items and isinstance(items[0], Uint) else values.INT_MIN) <= total <= values.INT_MAX:
        raise Fault("integer overflow")
    return Uint(total) if items and isinstance(items[0], Uint) else total


def _least(items: list[Any]) -> Any:
    if not items:
        raise Fault("min called on empty list")
    _sort_key(items)
    return min(items)


def _most(items: list[Any]) -> Any:
    if not items:
        raise Fault("max called on empty list")
    _sort_key(items)
    return max(items)


def _index_of(items: list[Any], wanted: Any) -> int:
    return next((place for place, one in enumerate(items) if same(one, wanted)), -1)


def _last_index_of(items: list[Any], wanted: Any) -> int:
    return next((place for place in reversed(range(len(items))) if same(items[place], wanted)), -1)


def sort(items: list[Any], keys: list[Any] | None = None) -> list[Any]:
    """Return a list in order of its elements, or of keys for them."""
    by = items if keys is None else keys
    _sort_key(by)
    return [items[place] for place in sorted(range(len(items)), key=lambda place: by[place])]


def _distinct(items: list[Any]) -> list[Any]:
    found: list[Any] = []
    for one in items:
        if not any(same(one, other) for other in found):
            found.append(one)
    return found


def _slice(items: list[Any], start: int, end: int) -> list[Any]:
    if start < 0 or end < 0:
        raise Fault(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        raise Fault(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if end > len(items):
        raise Fault(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _flatten(items: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise Fault("level must be non-negative")
    found: list[Any] = []
    for one in items:
        if isinstance(one, list) and depth:
            found += _flatten(one, depth - 1)
        else:
            found.append(one)
    return found


def _range(count: int) -> list[int]:
    if count > LONGEST:
        raise values.TooLong
    return list(range(count))


def _contains(one: list[Any], other: list[Any]) -> bool:
    return all(_index_of(one, item) >= 0 for item in other)


_add("isSorted", *(f"list({one}).() bool" for one in _ORDERED), does=_is_sorted)
_add("sum", *(f"list({one}).() {one}" for one in ("int", "uint", "double", "duration")), does=_sum)
_add("min", *(f"list({one}).() {one}" for one in _ORDERED), does=_least)
_add("max", *(f"list({one}).() {one}" for one in _ORDERED), does=_most)
_add("indexOf", "list(A).(A) int", does=_index_of)
_add("lastIndexOf", "list(A).(A) int", does=_last_index_of)
_add("sort", *(f"list({one}).() list({one})" for one in _ORDERED), does=sort)
_add("distinct", "list(A).() list(A)", does=_distinct)
_add("slice", "list(A).(int, int) list(A)", does=_slice)
_add("flatten", "list(list(A)).() list(A)", "list(dyn).(int) list(dyn)", does=_flatten)
_add("reverse", "list(A).() list(A)", does=lambda items: items[::-1])
_add("first", "list(A).() optional(A)", does=lambda items: Optional(True, items[0]) if items else NONE)
_add("last", "list(A).() optional(A)", does=lambda items: Optional(True, items[-1]) if items else NONE)
_add("lists.range", "(int) list(int)", does=_range)
_add("sets.contains", "(list(A), list(A)) bool", does=_contains)
_add("sets.equivalent", "(list(A), list(A)) bool", does=lambda a, b: _contains(a, b) and _contains(b, a))
_add("sets.intersects", "(list(A), list(A)) bool", does=lambda a, b: any(_index_of(a, one) >= 0 for one in b))
