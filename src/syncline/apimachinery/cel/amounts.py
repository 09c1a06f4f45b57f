"""Quantities and semantic versions in expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from syncline.apimachinery import quantity
from syncline.apimachinery.cel import values
from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.regexes import quoted
from syncline.apimachinery.cel.values import Fault, Opaque

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add
_NANO: Final = 10**9


@dataclass(frozen=True, slots=True, order=True)
class Amount(Opaque):
    """A quantity; equal when the amounts are."""

    type_name: ClassVar[str] = "kubernetes.Quantity"
    nanos: int


def _quantity(text: str) -> Amount:
    try:
        return Amount(quantity.parse(text).nanos)
    except quantity.InvalidQuantity as error:
        raise Fault(str(error)) from None


def _is_quantity(text: str) -> bool:
    try:
        quantity.parse(text)
    except quantity.InvalidQuantity:
        return False
    return True


def _whole(amount: Amount) -> bool:
    return amount.nanos % _NANO == 0 and values.INT_MIN <= amount.nanos // _NANO <= values.INT_MAX


def _integer(amount: Amount) -> int:
    if not _whole(amount):
        raise Fault("cannot convert value to integer")
    return amount.nanos // _NANO


def _compared(one: Any, other: Any) -> int:
    return int(one > other) - int(one < other)


_AMOUNT: Final = "kubernetes.Quantity"
_add("isQuantity", "(string) bool", does=_is_quantity)
_add("quantity", f"(string) {_AMOUNT}", does=_quantity)
_add("sign", f"({_AMOUNT}) int", does=lambda a: _compared(a.nanos, 0))
_add("isInteger", f"{_AMOUNT}.() bool", does=_whole)
_add("asInteger", f"{_AMOUNT}.() int", does=_integer)
_add("asApproximateFloat", f"{_AMOUNT}.() double", does=lambda a: a.nanos / _NANO)
_add("add", f"{_AMOUNT}.({_AMOUNT}) {_AMOUNT}", does=lambda a, b: Amount(a.nanos + b.nanos))
_add("add", f"{_AMOUNT}.(int) {_AMOUNT}", does=lambda a, b: Amount(a.nanos + b * _NANO))
_add("sub", f"{_AMOUNT}.({_AMOUNT}) {_AMOUNT}", does=lambda a, b: Amount(a.nanos - b.nanos))
_add("sub", f"{_AMOUNT}.(int) {_AMOUNT}", does=lambda a, b: Amount(a.nanos - b * _NANO))


_NUMBER: Final = r"(0|[1-9]\d*)"
_SEMVER: Final = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, order=True)
class Semver(Opaque):
    """A version; builds do not count when two are compared."""

    type_name: ClassVar[str] = "kubernetes.Semver"
    numbers: tuple[int, int, int]
    before: tuple[Any, ...]
    """The order of what follows the dash; a version without it comes last."""


def _rank(part: str) -> tuple[int, int, str]:
    return (0, int(part), "") if part.isdigit() else (1, 0, part)


def _parse_semver(text: str) -> Semver | None:
    found = _SEMVER.fullmatch(text)
    if found is None:
        return None
    parts = found[4].split(".") if found[4] else []
    if any(part.isdigit() and len(part) > 1 and part.startswith("0") for part in parts):
        return None
    numbers = (int(found[1]), int(found[2]), int(found[3]))
    if max(numbers) > values.UINT_MAX:
        return None
    return Semver(numbers, (0, *map(_rank, parts)) if parts else (1,))


def _normal(text: str) -> str:
    bare = text.removeprefix("v")
    found = re.fullmatch(r"(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)", bare, re.ASCII | re.DOTALL)
    if found is None:
        return bare
    if found[4] and found[3] is None:
        return bare
    return ".".join(str(int(found[place] or 0)) for place in (1, 2, 3)) + found[4]


def _semver(text: str, normalize: bool = False) -> Semver:
    found = _parse_semver(_normal(text) if normalize else text)
    if found is None:
        raise Fault(_problem(text))
    return found


def _problem(text: str) -> str:
    if not text:
        return "Version string empty"
    if text.count(".") < 2:
        return "No Major.Minor.Patch elements found"
    numbers = text.split("-", maxsplit=1)[0].split("+", maxsplit=1)[0].split(".")[:3]
    for name, part in zip(("major", "minor", "patch"), numbers, strict=False):
        if not (part.isascii() and part.isdigit()):
            return f"Invalid character(s) found in {name} number {quoted(part)}"
    return f"Invalid version {quoted(text)}"


def _is_semver(text: str, normalize: bool = False) -> bool:
    return _parse_semver(_normal(text) if normalize else text) is not None


_VERSION: Final = "kubernetes.Semver"
_add("isSemver", "(string) bool", "(string, bool) bool", does=_is_semver)
_add("semver", f"(string) {_VERSION}", f"(string, bool) {_VERSION}", does=_semver)
for _place, _name in enumerate(("major", "minor", "patch")):
    _add(_name, f"{_VERSION}.() int", does=lambda a, place=_place: a.numbers[place])
for _kind in (_AMOUNT, _VERSION):
    _add("isGreaterThan", f"{_kind}.({_kind}) bool", does=lambda a, b: a > b)
    _add("isLessThan", f"{_kind}.({_kind}) bool", does=lambda a, b: a < b)
    _add("compareTo", f"{_kind}.({_kind}) int", does=_compared)
