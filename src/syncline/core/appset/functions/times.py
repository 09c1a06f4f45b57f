"""Go's time.Time as templates see it: printed and read by layouts such as `2006-01-02`.

Used by `syncline.core.appset.functions.dates`. Python's years end at 9999 and its clock ticks in microseconds, which no
date of an Application needs to go beyond.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import zoneinfo
from collections.abc import Callable
from typing import Any, ClassVar

from syncline.core.appset.functions.durations import GoDuration
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.quoting import to_bytes
from syncline.core.appset.gotemplate.values import Int64, Named, Object

UTC = dt.UTC
ZERO = dt.datetime(1, 1, 1, tzinfo=UTC)
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_CHUNK = re.compile(
    r"January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|__2|_2006|_2|01|02|03|04|05|06|002|15|PM|pm"
    r"|Z070000|Z07:00:00|Z0700|Z07:00|Z07|-070000|-07:00:00|-0700|-07:00|-07"
    r"|[.,]0+(?![0-9])|[.,]9+(?![0-9])|1|2|3|4|5"
)


@dataclasses.dataclass(frozen=True, slots=True)
class GoTime(Object):
    """A moment in a time zone."""

    moment: dt.datetime

    type_name: ClassVar[str] = "time.Time"
    kind: ClassVar[str] = "struct"

    def text(self) -> str:
        """Return the time as Go prints it."""
        return formatted(self.moment, "2006-01-02 15:04:05.999999999 -0700 MST")

    def json(self) -> str:
        """Return the time as JSON has it."""
        return formatted(self.moment, "2006-01-02T15:04:05.999999999Z07:00")

    def method(self, name: str) -> tuple[str, Callable[..., Any]] | None:
        """Return a method of the Go type."""
        moment = self.moment
        methods: dict[str, tuple[str, Callable[..., Any]]] = {
            "Add": ("duration", lambda span: moved(self, span.nanoseconds)),
            "After": ("time", lambda other: moment > other.moment),
            "Before": ("time", lambda other: moment < other.moment),
            "Day": ("", lambda: moment.day),
            "Equal": ("time", lambda other: moment == other.moment),
            "Format": ("string", lambda layout: formatted(moment, layout)),
            "Hour": ("", lambda: moment.hour),
            "IsZero": ("", lambda: moment == ZERO),
            "Minute": ("", lambda: moment.minute),
            "Month": ("", lambda: Named(moment.month, "time.Month", _MONTHS[moment.month - 1])),
            "Nanosecond": ("", lambda: moment.microsecond * 1000),
            "Second": ("", lambda: moment.second),
            "String": ("", self.text),
            "Sub": ("time", lambda other: between(self, other)),
            "UTC": ("", lambda: GoTime(moment.astimezone(UTC))),
            "Unix": ("", lambda: Int64(unix(moment))),
            "UnixMilli": ("", lambda: Int64(unix(moment) * 1000 + moment.microsecond // 1000)),
            "Weekday": ("", lambda: Named(moment.isoweekday() % 7, "time.Weekday", _DAYS[moment.weekday()])),
            "Year": ("", lambda: moment.year),
            "YearDay": ("", lambda: moment.timetuple().tm_yday),
        }
        return methods.get(name)


def between(later: GoTime, earlier: GoTime) -> GoDuration:
    """Return how much time is between two moments."""
    return GoDuration((later.moment - earlier.moment) // dt.timedelta(microseconds=1) * 1000)


def moved(moment: GoTime, nanoseconds: int) -> GoTime:
    """Return a moment that is so much later."""
    try:
        return GoTime(moment.moment + dt.timedelta(microseconds=nanoseconds // 1000))
    except OverflowError:
        raise CallError("the date is outside of the years 1 to 9999") from None


def unix(moment: dt.datetime) -> int:
    """Return the whole seconds since 1970."""
    return (moment - dt.datetime(1970, 1, 1, tzinfo=UTC)) // dt.timedelta(seconds=1)


def location(name: str) -> dt.tzinfo | None:
    """Return a time zone by name; None if it is not known."""
    if name in ("", "UTC", "Local"):
        return UTC
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _zone_name(moment: dt.datetime) -> str:
    if moment.tzinfo is UTC:
        return "UTC"
    return _offset(moment, "-0700") if isinstance(moment.tzinfo, dt.timezone) else moment.tzname() or ""


def formatted(moment: dt.datetime, layout: str) -> str:
    """Return a time printed by a layout."""
    return _CHUNK.sub(lambda found: _printed(moment, found[0], found), layout)


def _printed(moment: dt.datetime, chunk: str, found: re.Match[str]) -> str:
    if chunk[0] in ".,":
        return _fraction(moment, chunk, found)
    if chunk[0] in "Z-" and len(chunk) > 1:
        if chunk[0] == "Z" and not moment.utcoffset():
            return "Z"
        return _offset(moment, chunk)
    hour = moment.hour % 12 or 12
    printers: dict[str, Callable[[], str]] = {
        "January": lambda: _MONTHS[moment.month - 1],
        "Jan": lambda: _MONTHS[moment.month - 1][:3],
        "Monday": lambda: _DAYS[moment.weekday()],
        "Mon": lambda: _DAYS[moment.weekday()][:3],
        "MST": lambda: _zone_name(moment),
        "2006": lambda: f"{moment.year:04d}",
        "_2006": lambda: f"_{moment.year:04d}",
        "__2": lambda: f"{moment.timetuple().tm_yday:3d}",
        "002": lambda: f"{moment.timetuple().tm_yday:03d}",
        "_2": lambda: f"{moment.day:2d}",
        "01": lambda: f"{moment.month:02d}",
        "1": lambda: str(moment.month),
        "02": lambda: f"{moment.day:02d}",
        "2": lambda: str(moment.day),
        "03": lambda: f"{hour:02d}",
        "3": lambda: str(hour),
        "15": lambda: f"{moment.hour:02d}",
        "04": lambda: f"{moment.minute:02d}",
        "4": lambda: str(moment.minute),
        "05": lambda: f"{moment.second:02d}",
        "5": lambda: str(moment.second),
        "06": lambda: f"{moment.year % 100:02d}",
        "PM": lambda: "PM" if moment.hour >= 12 else "AM",
        "pm": lambda: "pm" if moment.hour >= 12 else "am",
    }
    return printers[chunk]()


def _fraction(moment: dt.datetime, chunk: str, found: re.Match[str]) -> str:
    digits = f"{moment.microsecond:06d}000"[: len(chunk) - 1].ljust(min(len(chunk) - 1, 9), "0")
    if chunk[1] == "0":
        return chunk[0] + digits
    # Nines are optional, and stand for a fraction only after seconds.
    kept = digits.rstrip("0")
    del found
    return chunk[0] + kept if kept else ""


def _offset(moment: dt.datetime, chunk: str) -> str:
    seconds = int((moment.utcoffset() or dt.timedelta()).total_seconds())
    sign = "-" if seconds < 0 else "+"
    hours, rest = divmod(abs(seconds), 3600)
    minutes, seconds = divmod(rest, 60)
    body = chunk[1:]
    if body == "07":
        return f"{sign}{hours:02d}"
    colon = ":" if ":" in body else ""
    tail = f"{colon}{seconds:02d}" if body in ("070000", "07:00:00") else ""
    return f"{sign}{hours:02d}{colon}{minutes:02d}{tail}"


def quote(text: str) -> str:
    """Return a text as Go's time package quotes it: every byte outside of ASCII is escaped."""
    row = to_bytes(text.replace("\\", "\\\\").replace('"', '\\"'))
    return '"' + "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in row) + '"'


class Unparsed(ValueError):
    """A text that does not fit its layout; the message is Go's."""


_READERS = {
    "2006": (r"[0-9]{4}", "year"),
    "06": (r"[0-9]{2}", "short_year"),
    "01": (r"[0-9]{2}", "month"),
    "1": (r"[0-9]{1,2}", "month"),
    "02": (r"[0-9]{2}", "day"),
    "2": (r"[0-9]{1,2}", "day"),
    "_2": (r" ?[0-9]{1,2}", "day"),
    "15": (r"[0-9]{2}", "hour"),
    "03": (r"[0-9]{2}", "hour12"),
    "3": (r"[0-9]{1,2}", "hour12"),
    "04": (r"[0-9]{2}", "minute"),
    "4": (r"[0-9]{1,2}", "minute"),
    "05": (r"[0-9]{2}", "second"),
    "5": (r"[0-9]{1,2}", "second"),
    "002": (r"[0-9]{3}", "year_day"),
    "January": ("(?i:" + "|".join(_MONTHS) + ")", "month_name"),
    "Jan": ("(?i:" + "|".join(name[:3] for name in _MONTHS) + ")", "month_name"),
    "Monday": ("(?i:" + "|".join(_DAYS) + ")", ""),
    "Mon": ("(?i:" + "|".join(name[:3] for name in _DAYS) + ")", ""),
    "MST": (r"[A-Z]{3,4}", "zone"),
    "PM": (r"AM|PM", "half"),
    "pm": (r"am|pm", "half"),
}
_LIMITS = {"month": (1, 12), "hour": (0, 23), "hour12": (0, 12), "minute": (0, 59), "second": (0, 59)}


def parsed(layout: str, text: str) -> dt.datetime:
    """Read a time by a layout."""
    return _Reading(layout, text).time()


class _Reading:
    """A text that is being read by a layout."""

    def __init__(self, layout: str, text: str) -> None:
        self._layout = layout
        self._text = text
        self._rest = text
        self._found: dict[str, str] = {}
        self._offset: dt.timedelta | None = None
        self._fraction = 0

    def time(self) -> dt.datetime:
        """Return the time that the text says."""
        at = 0
        after_seconds = False
        for chunk in _CHUNK.finditer(self._layout):
            self._literal(self._layout[at : chunk.start()], chunk[0])
            self._chunk(chunk[0])
            at = chunk.end()
            after_seconds = chunk[0] in ("05", "5")
            following = self._layout[at : at + 1]
            if after_seconds and following not in (".", ",") and self._rest[:1] in (".", ","):
                self._optional_fraction()
        self._literal(self._layout[at:], "")
        if self._rest:
            raise self._wrong(f": extra text: {quote(self._rest)}")
        return self._made()

    def _wrong(self, told: str) -> Unparsed:
        return Unparsed(f"parsing time {quote(self._text)}{told}")

    def _cannot(self, what: str, rest: str | None = None) -> Unparsed:
        left = quote(self._rest if rest is None else rest)
        return self._wrong(f" as {quote(self._layout)}: cannot parse {left} as {quote(what)}")

    def _literal(self, literal: str, chunk: str) -> None:
        del chunk
        for index, char in enumerate(literal):
            if char == " ":
                if self._rest and not self._rest.startswith(" "):
                    raise self._cannot(literal[index:])
                self._rest = self._rest.lstrip(" ")
            elif not self._rest.startswith(char):
                raise self._cannot(literal[index:] if index else literal)
            else:
                self._rest = self._rest[1:]

    def _optional_fraction(self) -> None:
        found = re.match(r"[.,]([0-9]+)", self._rest)
        if found:
            self._fraction = int(found[1][:6].ljust(6, "0"))
            self._rest = self._rest[found.end() :]

    def _chunk(self, chunk: str) -> None:
        if chunk[0] in ".,":
            self._read_fraction(chunk)
        elif chunk[0] in "Z-":
            self._read_offset(chunk)
        else:
            pattern, name = _READERS.get(chunk, (r"[0-9]+", ""))
            found = re.match(pattern, self._rest)
            if found is None:
                raise self._cannot(chunk)
            self._rest = self._rest[found.end() :]
            self._keep(name, found[0])

    def _keep(self, name: str, value: str) -> None:
        if name in _LIMITS and not _LIMITS[name][0] <= int(value) <= _LIMITS[name][1]:
            raise self._wrong(f": {name.removesuffix('12')} out of range")
        if name:
            self._found[name] = value.strip()

    def _read_fraction(self, chunk: str) -> None:
        if chunk[1] == "9":
            self._optional_fraction()
            return
        found = re.match(rf"[.,]([0-9]{{{len(chunk) - 1}}})", self._rest)
        if found is None:
            raise self._cannot(chunk)
        self._fraction = int(found[1][:6].ljust(6, "0"))
        self._rest = self._rest[found.end() :]

    def _read_offset(self, chunk: str) -> None:
        if chunk[0] == "Z" and self._rest.startswith("Z"):
            self._rest = self._rest[1:]
            self._offset = dt.timedelta()
            return
        body = chunk[1:].replace("07", "([0-9]{2})", 1).replace("00", "([0-9]{2})")
        found = re.match(rf"([+-]){body}", self._rest)
        if found is None:
            raise self._cannot(chunk)
        hours, minutes, seconds = ([int(part) for part in found.groups()[1:]] + [0, 0])[:3]
        offset = dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
        self._offset = offset if found[1] == "+" else -offset
        self._rest = self._rest[found.end() :]

    def _made(self) -> dt.datetime:
        found = self._found
        year = int(found.get("year", "0"))
        if "short_year" in found:
            short = int(found["short_year"])
            year = short + (1900 if short >= 69 else 2000)
        month = int(found.get("month", "1"))
        if "month_name" in found:
            month = [name[:3].lower() for name in _MONTHS].index(found["month_name"][:3].lower()) + 1
        day = int(found.get("day", "1"))
        zone = UTC if not self._offset else dt.timezone(self._offset)
        try:
            made = dt.datetime(
                max(year, 1),
                month,
                day,
                self._hour(),
                int(found.get("minute", "0")),
                int(found.get("second", "0")),
                self._fraction,
                tzinfo=zone,
            )
        except ValueError:
            raise self._wrong(": day out of range") from None
        if "year_day" in found:
            made = made.replace(month=1, day=1) + dt.timedelta(days=int(found["year_day"]) - 1)
        return made

    def _hour(self) -> int:
        hour = int(self._found.get("hour", self._found.get("hour12", "0")))
        half = self._found.get("half", "").upper()
        if half == "PM" and hour < 12:
            return hour + 12
        return 0 if half == "AM" and hour == 12 else hour
