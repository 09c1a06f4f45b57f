"""Sprig's arithmetic: whole numbers are int64 and overflow as in Go, fractions are reckoned exactly and then rounded.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

import fractions
import math
from collections.abc import Callable
from typing import Any

from syncline.core.appset.functions import convert
from syncline.core.appset.gotemplate import floats, formatting
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.numbers import INT64_MAX, INT64_MIN, wrapped
from syncline.core.appset.gotemplate.values import Int64, Ints

_DIVISION_PLACES = 10**16
"""A quotient is rounded after sixteen places."""


def _add(*values: Any) -> Int64:
    return Int64(wrapped(sum(map(convert.integer, values))))


def _sub(first: Any, second: Any) -> Int64:
    return Int64(wrapped(convert.integer(first) - convert.integer(second)))


def _mul(first: Any, *others: Any) -> Int64:
    value = convert.integer(first)
    for other in others:
        value = wrapped(value * convert.integer(other))
    return Int64(value)


def _divided(first: Any, second: Any) -> tuple[int, int]:
    """Return quotient and remainder, both towards zero."""
    dividend, divisor = convert.integer(first), convert.integer(second)
    if divisor == 0:
        raise CallError("runtime error: integer divide by zero")
    quotient = abs(dividend) // abs(divisor)
    quotient = quotient if (dividend < 0) == (divisor < 0) else -quotient
    return quotient, dividend - quotient * divisor


def _div(first: Any, second: Any) -> Int64:
    return Int64(wrapped(_divided(first, second)[0]))


def _mod(first: Any, second: Any) -> Int64:
    return Int64(_divided(first, second)[1])


def _max(first: Any, *others: Any) -> Int64:
    return Int64(max(map(convert.integer, (first, *others))))


def _min(first: Any, *others: Any) -> Int64:
    return Int64(min(map(convert.integer, (first, *others))))


def _extreme(choose: Callable[[float, float], float]) -> Callable[..., float]:
    def chosen(first: Any, *others: Any) -> float:
        value = convert.floating(first)
        for other in map(convert.floating, others):
            value = math.nan if math.isnan(value) or math.isnan(other) else choose(value, other)
        return value

    return chosen


def _exact(value: Any) -> fractions.Fraction:
    number = convert.floating(value)
    if not math.isfinite(number):
        raise CallError(f"Cannot create a Decimal from {floats.formatted(number, 'v')}")
    return fractions.Fraction(repr(number))


def _reckoned(
    first: Any, others: tuple[Any, ...], step: Callable[[fractions.Fraction, fractions.Fraction], fractions.Fraction]
) -> float:
    value = _exact(first)
    for other in others:
        value = step(value, _exact(other))
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _quotient(first: fractions.Fraction, second: fractions.Fraction) -> fractions.Fraction:
    if second == 0:
        raise CallError("decimal division by 0")
    scaled = first / second * _DIVISION_PLACES
    rounded = math.floor(abs(scaled) + fractions.Fraction(1, 2))
    return fractions.Fraction(rounded if scaled >= 0 else -rounded, _DIVISION_PLACES)


def _whole(choose: Callable[[float], int]) -> Callable[[Any], float]:
    def chosen(value: Any) -> float:
        number = convert.floating(value)
        if not math.isfinite(number):
            return number
        return math.copysign(float(choose(number)), number)

    return chosen


def _power_of_ten(places: int) -> float:
    try:
        return 10.0**places
    except OverflowError:
        return math.inf


def _round(value: Any, places: int, *round_on: float) -> float:
    limit = round_on[0] if round_on else 0.5
    number = convert.floating(value)
    power = _power_of_ten(places)
    digit = power * number
    if not math.isfinite(digit) or power in (0, math.inf):
        return digit / power if power else math.nan
    fraction = math.modf(digit)[0]
    rounded = math.ceil(digit) if fraction >= limit else math.floor(digit)
    return math.copysign(float(rounded), digit) / power if rounded == 0 else float(rounded) / power


def _until_step(ctx: Context, start: int, stop: int, step: int) -> Ints:
    if (stop < start and step >= 0) or (stop >= start and step <= 0):
        return Ints()
    row = range(start, stop, step)
    ctx.budget.items(max(0, (stop - start) // step))
    return Ints(row)


def _until(ctx: Context, count: int) -> Ints:
    return _until_step(ctx, 0, count, -1 if count < 0 else 1)


def _seq(ctx: Context, *numbers: int) -> str:
    match numbers:
        case (end,):
            step = -1 if end < 1 else 1
            row = _until_step(ctx, 1, end + step, step)
        case (start, end):
            step = -1 if end < start else 1
            row = _until_step(ctx, start, end + step, step)
        case (start, step, end):
            if end < start and step > 0:
                return ""
            row = _until_step(ctx, start, end + (-1 if end < start else 1), step)
        case _:
            return ""
    return " ".join(map(str, row))


def _atoi(text: str) -> int:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or not digits.isascii() or not digits.isdecimal():
        return 0
    if len(digits.lstrip("0")) > 19:
        return INT64_MIN if text[0] == "-" else INT64_MAX
    return max(INT64_MIN, min(INT64_MAX, int(text)))


def _to_decimal(ctx: Context, value: Any) -> Int64:
    """Return an octal number as what it is."""
    text = formatting.sprint((value,), ctx.budget)
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits or len(digits) > 70 or any(char not in "01234567" for char in digits):
        return Int64(0)
    number = int(text, 8)
    return Int64(number if INT64_MIN <= number <= INT64_MAX else 0)


ARITHMETIC: dict[str, Function] = {
    "add": Function(_add, "any..."),
    "add1": Function(lambda value: _add(value, 1), "any"),
    "add1f": Function(lambda value: _reckoned(value, (1,), lambda a, b: a + b), "any"),
    "addf": Function(lambda *values: _reckoned(0.0, values, lambda a, b: a + b), "any..."),
    "atoi": Function(_atoi, "string"),
    "biggest": Function(_max, "any any..."),
    "ceil": Function(_whole(math.ceil), "any"),
    "div": Function(_div, "any any"),
    "divf": Function(lambda first, *others: _reckoned(first, others, _quotient), "any any..."),
    "float64": Function(convert.floating, "any"),
    "floor": Function(_whole(math.floor), "any"),
    "int": Function(convert.integer, "any"),
    "int64": Function(convert.int64, "any"),
    "max": Function(_max, "any any..."),
    "maxf": Function(_extreme(max), "any any..."),
    "min": Function(_min, "any any..."),
    "minf": Function(_extreme(min), "any any..."),
    "mod": Function(_mod, "any any"),
    "mul": Function(_mul, "any any..."),
    "mulf": Function(lambda first, *others: _reckoned(first, others, lambda a, b: a * b), "any any..."),
    "round": Function(_round, "any int float..."),
    "seq": Function(_seq, "int...", needs_context=True),
    "sub": Function(_sub, "any any"),
    "subf": Function(lambda first, *others: _reckoned(first, others, lambda a, b: a - b), "any any..."),
    "toDecimal": Function(_to_decimal, "any", needs_context=True),
    "until": Function(_until, "int", needs_context=True),
    "untilStep": Function(_until_step, "int int int", needs_context=True),
}
