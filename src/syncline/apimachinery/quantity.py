"""Kubernetes quantities: `500m`, `1.5Gi`, `2e3`, parsed, compared, added and printed as Go prints them.

Handed texts by comparison, defaulting and the sandbox's quotas and scheduling. A quantity is a whole number
of billionths, finer parts are rounded away from zero; two quantities are equal when their values are.
The odd fact: Kubernetes keeps some texts as they were written (`1.500`, `+5`, `1025Ki`), and so does `str()`.
"""

from __future__ import annotations

import re
from operator import attrgetter
from typing import Final, Literal

from syncline.apimachinery.frozen import Ordered, set_field

Format = Literal["DecimalSI", "BinarySI", "DecimalExponent"]

_NANO: Final = 10**9
_LARGEST_BINARY: Final = (2**63 - 1) * _NANO
_LARGEST_EXPONENT: Final = 1000
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_SHAPE = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)


class InvalidQuantity(ValueError):
    """A text that is not a quantity."""


class Quantity(Ordered):
    """An exact amount with the notation it was written in; compares by value alone."""

    __slots__ = __match_args__ = ("nanos", "format", "text")
    _compared = attrgetter("nanos")

    nanos: int
    format: Format
    text: str
    """How it was written, where Kubernetes keeps that; else empty."""

    def __init__(self, nanos: int, format: Format = "DecimalSI", text: str = "") -> None:  # noqa: A002 - its own word
        set_field(self, "nanos", nanos)
        set_field(self, "format", format)
        set_field(self, "text", text)

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.nanos + other.nanos, self.format if self.nanos else other.format)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self.nanos - other.nanos, self.format if self.nanos else other.format)

    def __neg__(self) -> Quantity:
        return Quantity(-self.nanos, self.format)

    def __bool__(self) -> bool:
        return self.nanos != 0

    @property
    def value(self) -> int:
        """The amount in whole units, rounded up (away from zero)."""
        return _divide_away_from_zero(self.nanos, _NANO)

    @property
    def milli_value(self) -> int:
        """The amount in thousandths, rounded up (away from zero)."""
        return _divide_away_from_zero(self.nanos, _NANO // 1000)

    def __str__(self) -> str:
        return self.text or _canonical(self.nanos, self.format)


def parse(text: str | float) -> Quantity:
    """Read a quantity; numbers are taken as their JSON text."""
    written = text if isinstance(text, str) else repr(text)
    shape = _SHAPE.fullmatch(written)
    if shape is None or not written:
        pattern = "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"
        raise InvalidQuantity(f"quantities must match the regular expression '{pattern}'")
    sign, whole, fraction, suffix = shape[1], shape[2] or "0", shape[3] or "", shape[4]
    base, exponent, notation = _read_suffix(suffix)
    digits = int(whole + fraction)
    if base == 2:
        nanos = -(-digits * 2**exponent * _NANO // 10 ** len(fraction))
        kept = bool(digits & 7)
    else:
        shift = exponent - len(fraction)
        nanos = digits * 10 ** (shift + 9) if shift >= -9 else -(-digits // 10 ** (-9 - shift))
        kept = shift % 3 == 0 and not (whole + fraction).endswith("000") and whole[0] != "0"
    if base == 2 and 0 < nanos < _NANO:
        notation = "DecimalSI"
    if not _fits_machine_word(whole, fraction, exponent, notation if base == 10 else "BinarySI"):
        if not shape[2] and not fraction and "0" not in written[: shape.start(4)]:
            raise InvalidQuantity("unable to parse numeric part of quantity")
        kept = False
        if base == 2:
            nanos = min(nanos, _LARGEST_BINARY)
    return Quantity(-nanos if sign == "-" else nanos, notation, written if kept or written == "0" else "")


def canonical(text: str | float) -> str:
    """Return the quantity the way the API server prints it."""
    return str(parse(text))


def equal(left: str | float, right: str | float) -> bool:
    """Return whether both say the same amount; texts that are not quantities are compared as they are."""
    try:
        return parse(left) == parse(right)
    except InvalidQuantity:
        return left == right


def _read_suffix(suffix: str) -> tuple[int, int, Format]:
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix], "DecimalSI"
    if suffix in _BINARY:
        return 2, _BINARY[suffix], "BinarySI"
    exponent = _EXPONENT.fullmatch(suffix)
    if exponent is None or abs(int(exponent[1])) > _LARGEST_EXPONENT:
        raise InvalidQuantity("unable to parse quantity's suffix")
    return 10, int(exponent[1]), "DecimalExponent"


def _fits_machine_word(whole: str, fraction: str, exponent: int, notation: Format) -> bool:
    """Return whether Go keeps the amount in 64 bits: only then may the text be kept and is it never capped."""
    if notation == "BinarySI":
        return not fraction and 15 - len(whole) - exponent * 3 // 10 - 1 >= 0
    return len(whole) + len(fraction) <= 18 and exponent - len(fraction) >= -9


def _canonical(nanos: int, notation: Format) -> str:
    if not nanos:
        return "0"
    if notation == "BinarySI" and abs(nanos) >= 1024 * _NANO and nanos % _NANO == 0:
        return _binary_text(nanos // _NANO)
    mantissa, exponent = nanos, -9
    while mantissa % 1000 == 0:
        mantissa //= 1000
        exponent += 3
    if notation == "DecimalExponent":
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    while exponent not in _DECIMAL_SUFFIX:
        mantissa *= 1000
        exponent -= 3
    return f"{mantissa}{_DECIMAL_SUFFIX[exponent]}"


def _binary_text(amount: int) -> str:
    suffix = ""
    for next_suffix in _BINARY:
        if amount % 1024:
            break
        amount //= 1024
        suffix = next_suffix
    return f"{amount}{suffix}"


def _divide_away_from_zero(number: int, by: int) -> int:
    return -(-number // by) if number > 0 else number // by
