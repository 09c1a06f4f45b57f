"""Reads numbers as Go's strconv does, which is stricter than Python here and laxer there.

Used by the parser for literals and by functions that turn texts into numbers.
"""

from __future__ import annotations

import re

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
_UNDERSCORES = re.compile(r"[+-]?(?:0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|[0-9](?:_?[0-9])*)")
_STRAY_UNDERSCORE = re.compile(r"(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])")
_PREFIXED = re.compile(r"0(?:[xX]([0-9a-fA-F]+)|[bB]([01]+)|[oO]?([0-7]+))|([1-9][0-9]*|0)")
_BASES = (16, 2, 8, 10)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEX_FLOAT = re.compile(r"[+-]?0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)[pP][+-]?[0-9]+")
_WORDS = re.compile(r"[+-]?(?:inf|infinity)|nan", re.IGNORECASE)


class NotANumber(ValueError):
    """A text that Go does not read as this number: `syntax` or `range`."""


def wrapped(value: int) -> int:
    """Return what Go's int64 holds after a calculation."""
    return (value + 2**63) % 2**64 - 2**63


def parse_uint(text: str) -> int:
    """Read an unsigned number in any of Go's bases."""
    if text[:1] in ("+", "-"):
        raise NotANumber("syntax")
    value = _any_base(text)
    if value > UINT64_MAX:
        raise NotANumber("range")
    return value


def parse_int(text: str) -> int:
    """Read a signed number in any of Go's bases."""
    sign = text[:1] if text[:1] in ("+", "-") else ""
    value = _any_base(text[len(sign) :])
    value = -value if sign == "-" else value
    if not INT64_MIN <= value <= INT64_MAX:
        raise NotANumber("range")
    return value


def _any_base(text: str) -> int:
    if "_" in text:
        if not _UNDERSCORES.fullmatch(text):
            raise NotANumber("syntax")
        text = text.replace("_", "")
    found = _PREFIXED.fullmatch(text)
    if found is None or not text.isascii():
        raise NotANumber("syntax")
    if len(text) > 70:
        raise NotANumber("range")
    group = found.lastindex or 4
    return int(found[group], _BASES[group - 1])


def parse_float(text: str) -> float:
    """Read a floating-point number."""
    cleaned = text
    if "_" in text:
        if _STRAY_UNDERSCORE.search(text):
            raise NotANumber("syntax")
        cleaned = text.replace("_", "")
    if _DECIMAL.fullmatch(cleaned):
        value = float(cleaned)
        if value in (float("inf"), float("-inf")):
            raise NotANumber("range")
        return value
    if _HEX_FLOAT.fullmatch(cleaned):
        try:
            return float.fromhex(cleaned)
        except OverflowError:
            raise NotANumber("range") from None
    if _WORDS.fullmatch(cleaned):
        return float(cleaned)
    raise NotANumber("syntax")


def truncated(value: float) -> int:
    """Return the int64 that Go makes of a float64 on amd64."""
    if value != value or not INT64_MIN <= value < 2**63:
        return INT64_MIN
    return int(value)
