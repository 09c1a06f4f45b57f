"""Types a YAML scalar as Go's reader and the JSON step after it do.

Called by `syncline.apimachinery.yaml.build` for every scalar and by `syncline.apimachinery.yaml.writer` to learn
which strings need quotes. The rules are YAML 1.1 with Go's number syntax: `y` and `off` are booleans, `1e3` and
`0o17` are numbers, dates and `22:22` are strings. A float without a fraction becomes an integer, because the
number travels through JSON text, which has no other way to write it.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any

TAG_PREFIX = "tag:yaml.org,2002:"
INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
UINT64_MAX = 2**64 - 1

_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(_TRUE, True),
    **dict.fromkeys(_FALSE, False),
    **dict.fromkeys(_NULL),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_NUMBER_START = frozenset("+-.0123456789")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))")
_BASES = (16, 2, 8, 10)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_DOT_FLOAT = re.compile(r"\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_SIGNED_BINARY = re.compile(r"0b([-+][01]+)")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?:[Tt]|( ))([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?(4)|(?:Z|[-+][0-9]{2}:[0-9]{2})))?"
)


class ScalarError(ValueError):
    """A scalar that has no JSON value; the loader adds the position."""


def resolve_plain(text: str) -> Any:
    """Give the value of an unquoted, untagged scalar: None, bool, int, float or str."""
    return json_number(typed(text))


def typed(text: str) -> Any:
    """Type a plain scalar as Go's YAML does, before the step through JSON."""
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first not in _NUMBER_START:
        return text
    if first == ".":
        return text if _DOT_FLOAT.fullmatch(text) is None else _finite(text, otherwise=text)
    return _number(text)


def _number(text: str) -> Any:
    digits = text.replace("_", "")
    match = _INTEGER.fullmatch(digits)
    if match is not None:
        integer = _integer(match)
        # Go tries the unsigned type only on texts without a sign.
        if INT64_MIN <= integer <= INT64_MAX or (integer <= UINT64_MAX and match[1] == "" and integer > 0):
            return integer
    if _FLOAT.fullmatch(digits):
        return _finite(digits, otherwise=text)
    signed = _SIGNED_BINARY.fullmatch(digits)
    if signed is not None and INT64_MIN <= int(signed[1], 2) <= INT64_MAX:
        return int(signed[1], 2)
    return text


def _integer(match: re.Match[str]) -> int:
    group = match.lastindex or 0
    if group == 5 and len(match[5]) > 20:
        return 2**64  # out of range like the number itself, without the cost of converting it
    value = int(match[group], _BASES[group - 2])
    return -value if match[1] == "-" else value


def _finite(digits: str, *, otherwise: str) -> float | str:
    number = float(digits)
    return otherwise if math.isinf(number) else number


def json_number(value: Any) -> Any:
    """Send a typed scalar through JSON text: what Kubernetes finds on the other side."""
    kind = type(value)
    if kind is float:
        return _json_float(value)
    if kind is int and value > INT64_MAX:
        return float(value)
    return value


def _json_float(value: float) -> int | float:
    if not math.isfinite(value):
        raise ScalarError("infinity and not-a-number have no JSON form: quote the value or give a number")
    if not value.is_integer() or abs(value) >= 2**63:
        return value
    if abs(value) < 2**53:
        return int(value)
    # JSON carries the shortest digits that name the float, and those are then read as an integer.
    digits, exponent = _shortest(repr(value))
    integer = int(digits) * 10 ** (exponent - len(digits) + 1)
    integer = -integer if value < 0 else integer
    return integer if INT64_MIN <= integer <= INT64_MAX else value


def resolve_tagged(tag: str, text: str) -> Any:
    """Give the typed value of a scalar with an explicit tag; unknown tags leave the text as it is."""
    name = tag.removeprefix(TAG_PREFIX) if tag.startswith(TAG_PREFIX) else ""
    if name == "binary":
        return _binary(text)
    if name not in ("bool", "int", "float", "null", "timestamp"):
        return text
    if name == "timestamp":
        if not _is_timestamp(text):
            raise ScalarError("the value is not a !!timestamp")
        return text
    value = typed(text)
    if name == "float" and type(value) is int and value <= INT64_MAX:
        return float(value)
    wanted: dict[str, type] = {"bool": bool, "int": int, "float": float, "null": type(None)}
    if type(value) is not wanted[name]:
        raise ScalarError(f"the value is not of the type its tag !!{name} names")
    return value


def _is_timestamp(text: str) -> bool:
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    import datetime as dt

    try:
        dt.date(int(match[1]) or 4, int(match[2]), int(match[3]))
    except ValueError:
        return False
    return match[5] is None or (int(match[5]) < 24 and int(match[6]) < 60 and int(match[7]) < 60)


def _binary(text: str) -> str:
    import base64

    try:
        content = base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except ValueError as error:  # also of texts that are not ASCII
        raise ScalarError("the !!binary value is not valid base64") from error
    # Go puts one replacement character for every byte that is not UTF-8.
    escaped = content.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", "\ufffd", escaped)


def key_text(value: Any) -> str:
    """Turn a typed scalar that serves as a mapping key into the string JSON needs."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int and value <= INT64_MAX:
        return str(value)
    if kind is float:
        return _float32_text(value)
    if value is None:
        raise ScalarError("a key cannot be null: quote it")
    raise ScalarError("a number too large for 64 bits cannot be a key: quote it")


def _float32_text(value: float) -> str:
    """Write a float with the fewest digits that name its 32-bit neighbour, as Go does for keys."""
    if math.isnan(value):
        return ".nan"
    try:
        narrow: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        narrow = math.copysign(math.inf, value)
    if math.isinf(narrow):
        return ".inf" if narrow > 0 else "-.inf"
    for precision in range(9):
        text = f"{narrow:.{precision}e}"
        if struct.pack("<f", float(text)) == struct.pack("<f", narrow):
            break
    digits, exponent = _shortest(text)
    sign = "-" if math.copysign(1, narrow) < 0 else ""
    if exponent < -4 or exponent >= 6:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{fraction}e{exponent:+03d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    rest = digits[exponent + 1 :]
    return f"{sign}{whole}.{rest}" if rest else sign + whole


def _shortest(text: str) -> tuple[str, int]:
    """Split a printed float into its significant digits and its decimal exponent."""
    mantissa, _, power = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    leading = len(digits) - len(digits.lstrip("0"))
    exponent = int(power or 0) + len(whole) - 1 - leading
    stripped = digits.strip("0")
    return (stripped, exponent) if stripped else ("0", 0)
