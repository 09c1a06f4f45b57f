"""Makes numbers and texts of any value, as Sprig does: what cannot be converted is zero, never an error.

Used by most modules of this package.
"""

from __future__ import annotations

from typing import Any

from syncline.core.appset.gotemplate import formatting
from syncline.core.appset.gotemplate.functions import Context
from syncline.core.appset.gotemplate.numbers import NotANumber, parse_float, parse_int, truncated, wrapped
from syncline.core.appset.gotemplate.values import NO_VALUE, Int64


def text(ctx: Context, value: Any) -> str:
    """Return a value as a text."""
    return value if isinstance(value, str) else formatting.sprint((value,), ctx.budget)


def integer(value: Any) -> int:
    """Return a value as a whole number of 64 bits."""
    if isinstance(value, int):
        return wrapped(int(value))
    if isinstance(value, float):
        return truncated(value)
    if isinstance(value, str):
        try:
            return parse_int(_without_zero_fraction(value))
        except NotANumber:
            return 0
    return 0


def int64(value: Any) -> Int64:
    """Return a value as an int64."""
    return Int64(integer(value))


def floating(value: Any) -> float:
    """Return a value as a float64."""
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        try:
            return parse_float(value)
        except NotANumber:
            return 0.0
    return 0.0


def is_empty(value: Any) -> bool:
    """Tell whether a value is the zero of its type, or an empty text, list or map."""
    if value is None or value is NO_VALUE:
        return True
    return isinstance(value, str | int | float | complex | list | dict) and not value


def _without_zero_fraction(text_: str) -> str:
    whole, point, fraction = text_.rpartition(".")
    return whole if point and fraction and not fraction.strip("0") else text_
