"""Writes floating-point numbers as Go's strconv does.

Called by the printer and by functions that write numbers. Python's `repr` gives the same shortest digits; only where
the point and the exponent stand differs.
"""

from __future__ import annotations

import math

_PLAIN_BELOW = 6


def shortest(value: float) -> tuple[str, str, int]:
    """Return sign, digits and the place of the point of the shortest text that reads back as the value."""
    text = repr(abs(value))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    sign = "-" if math.copysign(1, value) < 0 else ""
    return sign, digits or "0", point if digits else 1


def formatted(value: float, verb: str, precision: int | None = None, sharp: bool = False) -> str:
    """Return a float as Go's fmt prints it, with a leading minus if it has one."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("-Inf" if value < 0 else "+Inf")
    if verb in "xX":
        return _hexadecimal(value, verb, precision)
    if verb == "b":
        return _binary(value)
    if verb in "fF":
        return f"{value:.{6 if precision is None else precision}f}"
    if verb in "eE":
        return f"{value:.{6 if precision is None else precision}{verb}}"
    text = general(value) if precision is None else _rounded(value, precision)
    text = text if not sharp else _with_point(text, precision)
    return text.replace("e", "E") if verb == "G" else text


def general(value: float) -> str:
    """Return the shortest text: plain between 1e-4 and a million, else with an exponent."""
    sign, digits, point = shortest(value)
    if not -5 < point - 1 < _PLAIN_BELOW:
        return sign + _scientific(digits, point - 1)
    return sign + _positional(digits, point)


def json(value: float) -> str:
    """Return a float as Go's encoding/json writes it."""
    sign, digits, point = shortest(value)
    magnitude = abs(value)
    if magnitude != 0 and (magnitude < 1e-6 or magnitude >= 1e21):
        text = _scientific(digits, point - 1)
        if text[-4:-2] == "e-" and text[-2] == "0":
            text = text[:-2] + text[-1]
        return sign + text
    return sign + _positional(digits, point)


def _positional(digits: str, point: int) -> str:
    if point <= 0:
        return "0." + "0" * -point + digits if digits != "0" else "0"
    if len(digits) <= point:
        return digits + "0" * (point - len(digits))
    return f"{digits[:point]}.{digits[point:]}"


def _scientific(digits: str, exponent: int) -> str:
    mantissa = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _rounded(value: float, precision: int) -> str:
    digits = max(precision, 1)
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    power = int(exponent)
    bare = mantissa.replace(".", "").lstrip("-").rstrip("0") or "0"
    sign = "-" if mantissa.startswith("-") else ""
    limit = digits
    if limit > len(bare) and len(bare) >= power + 1:
        limit = len(bare)
    if power < -4 or power >= limit:
        return sign + _scientific(bare, power)
    return sign + _positional(bare, power + 1)


def _with_point(text: str, precision: int | None) -> str:
    mantissa, mark, exponent = text.partition("e")
    digits = mantissa.lstrip("-").replace(".", "")
    if "." not in mantissa:
        mantissa += "."
    mantissa += "0" * max(0, (6 if precision is None else precision) - len(digits.lstrip("0") or "0"))
    return mantissa + mark + exponent


def _hexadecimal(value: float, verb: str, precision: int | None) -> str:
    if value == 0:
        fraction = "." + "0" * precision if precision else ""
        text = f"{'-' if math.copysign(1, value) < 0 else ''}0x0{fraction}p+00"
    else:
        mantissa, exponent = math.frexp(abs(value))
        bits = round(mantissa * 2**53)
        if precision is not None and precision < 13:
            shift = 52 - 4 * precision
            bits = _half_even(bits, shift)
            if bits >= 2 ** (53 - shift) * 1:
                bits >>= 1
                exponent += 1
            digits = f"{bits & (2 ** (4 * precision) - 1):0{precision}x}" if precision else ""
        else:
            digits = f"{bits & (2**52 - 1):013x}"
            digits = digits.rstrip("0") if precision is None else digits.ljust(precision, "0")
        power = exponent - 1
        dotted = f".{digits}" if digits else ""
        text = f"{'-' if value < 0 else ''}0x1{dotted}p{'-' if power < 0 else '+'}{abs(power):02d}"
    return text if verb == "x" else text.upper()


def _half_even(bits: int, shift: int) -> int:
    whole, rest = bits >> shift, bits & (2**shift - 1)
    half = 2 ** (shift - 1)
    return whole + (rest > half or (rest == half and whole & 1))


def _binary(value: float) -> str:
    if value == 0:
        return "0p-1074"
    mantissa, exponent = math.frexp(abs(value))
    power = max(exponent - 53, -1074)
    bits = int(math.ldexp(mantissa, exponent - power))
    return f"{'-' if value < 0 else ''}{bits}p{power:+d}"
