"""Moments and lengths of time of expressions, parsed and printed as Go does."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any, Final

from syncline.apimachinery import duration
from syncline.apimachinery.cel.values import Duration, Fault, Timestamp

_SHAPE: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_FIRST: Final = -62135596800 * 10**9
_LAST: Final = 253402300799 * 10**9 + 999999999
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse(text: str) -> Timestamp:
    """Return the moment that RFC 3339 writes so."""
    found = _SHAPE.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        year, month, day, hour, minute, second = (int(found[place]) for place in range(1, 7))
        whole = datetime(year, month, day, hour, minute, second, tzinfo=_zone(found[8]))
    except ValueError:
        raise Fault("type conversion error from 'string' to 'google.protobuf.Timestamp'") from None
    fraction = int((found[7] or "0")[:9].ljust(9, "0"))
    return moment(_nanoseconds(whole - _EPOCH) + fraction, _offset(whole))


def _zone(text: str) -> tzinfo:
    if text in "Zz":
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:])))


def _nanoseconds(given: timedelta) -> int:
    return (given.days * 86400 + given.seconds) * 10**9 + given.microseconds * 1000


def parse_length(text: str) -> Duration:
    """Return the duration that Go writes so."""
    try:
        return length(duration.parse(text))
    except duration.InvalidDuration:
        raise Fault("type conversion error from 'string' to 'google.protobuf.Duration'") from None


def moment(ns: int, offset: int = 0) -> Timestamp:
    """Return a moment of the years that there are."""
    if not _FIRST <= ns <= _LAST:
        raise Fault("timestamp overflow")
    return Timestamp(ns, offset)


def _offset(given: datetime) -> int:
    return int((given.utcoffset() or timedelta()).total_seconds()) // 60


def length(ns: int) -> Duration:
    """Return a duration that Go can hold."""
    if not -(1 << 63) <= ns < 1 << 63:
        raise Fault("duration overflow")
    return Duration(ns)


def shown(value: Timestamp | Duration) -> str:
    """Return how `string` writes it."""
    if isinstance(value, Duration):
        sign, whole, part = "-" if value.ns < 0 else "", abs(value.ns) // 10**9, abs(value.ns) % 10**9
        fraction = f".{part:09d}".rstrip("0") if part else ""
        return f"{sign}{whole}{fraction}s"
    at = _EPOCH + timedelta(seconds=value.ns // 10**9, minutes=value.offset)
    part = value.ns % 10**9
    fraction = f".{part:09d}".rstrip("0") if part else ""
    sign, hours, minutes = "-" if value.offset < 0 else "+", *divmod(abs(value.offset), 60)
    zone = f"{sign}{hours:02d}:{minutes:02d}" if value.offset else "Z"
    return f"{at.isoformat(timespec='seconds')[:19]}{fraction}{zone}"


def local(value: Timestamp, zone: str) -> datetime:
    """Return the date and time of a moment in a time zone, by its name or offset."""
    at = _EPOCH + timedelta(seconds=value.ns // 10**9)
    offset = re.fullmatch(r"([+-]?)(\d\d):(\d\d)", zone, re.ASCII)
    if offset:
        return at.astimezone(_zone(f"{offset[1] or '+'}{offset[2]}:{offset[3]}"))
    if zone in ("", "UTC"):
        return at
    from zoneinfo import ZoneInfo

    try:
        return at.astimezone(ZoneInfo(zone))
    except (OSError, ValueError, LookupError):
        raise Fault(f"unknown time zone {zone}") from None


PARTS: Final[dict[str, Callable[[datetime, Timestamp], Any]]] = {
    "getFullYear": lambda at, _: at.year,
    "getMonth": lambda at, _: at.month - 1,
    "getDate": lambda at, _: at.day,
    "getDayOfMonth": lambda at, _: at.day - 1,
    "getDayOfWeek": lambda at, _: at.isoweekday() % 7,
    "getDayOfYear": lambda at, _: at.timetuple().tm_yday - 1,
    "getHours": lambda at, _: at.hour,
    "getMinutes": lambda at, _: at.minute,
    "getSeconds": lambda at, _: at.second,
    "getMilliseconds": lambda _, moment: moment.ns % 10**9 // 10**6,
}
