"""Go durations: `1h30m`, `250ms`, parsed to nanoseconds and printed as Go prints them.

Handed texts from object fields and settings of the Argo CD language; nanoseconds are whole numbers, as in Go.
"""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_LARGEST: Final = 2**63 - 1
_NUMBER = re.compile(r"([0-9]*)(?:\.([0-9]*))?", re.ASCII)
_UNIT = re.compile(r"[^.0-9]*")


class InvalidDuration(ValueError):
    """A text that is not a duration."""


def parse(text: str) -> int:
    """Return the nanoseconds a duration says."""
    quoted = _quoted(text)
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    if not rest:
        raise InvalidDuration(f"time: invalid duration {quoted}")
    total = 0
    while rest:
        amount, rest = _component(rest, quoted)
        total += amount
        if total > _LARGEST + negative:
            raise InvalidDuration(f"time: invalid duration {quoted}")
    return -total if negative else total


def _component(rest: str, quoted: str) -> tuple[int, str]:
    number = _NUMBER.match(rest)
    whole, fraction = (number[1], number[2] or "") if number else ("", "")
    if number is None or not (whole or fraction):
        raise InvalidDuration(f"time: invalid duration {quoted}")
    rest = rest[number.end() :]
    unit = _UNIT.match(rest)
    name = unit[0] if unit else ""
    if not name:
        raise InvalidDuration(f"time: missing unit in duration {quoted}")
    if name not in _UNITS:
        raise InvalidDuration(f"time: unknown unit {_quoted(name)} in duration {quoted}")
    scale = _UNITS[name]
    amount = int(whole or "0") * scale + int(fraction or "0") * scale // 10 ** len(fraction)
    return amount, rest[len(name) :]


def _quoted(text: str) -> str:
    """Quote as Go's time package does: every byte outside ASCII is escaped."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').encode()
    return '"' + "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in escaped) + '"'


def text(nanoseconds: int) -> str:
    """Return the duration as Go prints it, such as `1h30m0s`, `1.5s`, `250ms`."""
    if nanoseconds == 0:
        return "0s"
    sign = "-" if nanoseconds < 0 else ""
    amount = abs(nanoseconds)
    for unit, scale in (("ns", 1), ("µs", 10**3), ("ms", 10**6)):
        if amount < scale * 1000:
            return f"{sign}{_decimal(amount, scale)}{unit}"
    minutes, rest = divmod(amount, _UNITS["m"])
    hours, minutes = divmod(minutes, 60)
    seconds = f"{_decimal(rest, _UNITS['s'])}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{seconds}"
    return f"{sign}{minutes}m{seconds}" if minutes else f"{sign}{seconds}"


def _decimal(amount: int, scale: int) -> str:
    whole, rest = divmod(amount, scale)
    if not rest:
        return str(whole)
    return f"{whole}.{str(rest).zfill(len(str(scale)) - 1).rstrip('0')}"
