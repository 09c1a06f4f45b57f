"""Cron schedules of sync windows: five fields, checked as Argo CD checks them, and their starts around a time.

Called by `syncline.core.policy.windows` with the wall time of the window's zone, so no start falls into the gap or the
repeated hour of a clock change. The odd fact: two day fields are alternatives unless one of them is a plain star, and
`*/2` is no plain star; other readers of cron treat that one differently, so days are always spelled out for them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from datetime import datetime, timedelta

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_FIELDS = (
    ("minute", 0, 59, ()),
    ("hour", 0, 23, ()),
    ("day of the month", 1, 31, ()),
    ("month", 1, 12, _MONTHS),
    ("day of the week", 0, 6, _DAYS),
)


class InvalidSchedule(ValueError):
    """A text that is not a schedule; the message says which field and why."""


def check(schedule: str) -> None:
    """Return when a text is a schedule; raises `InvalidSchedule` otherwise."""
    _spelled(schedule)


def start_after(schedule: str, moment: datetime) -> datetime:
    """Return the first start later than a wall time; raises `InvalidSchedule`."""
    return _neighbour(schedule, moment, reverse=False)


def start_by(schedule: str, moment: datetime) -> datetime:
    """Return the last start at or before a wall time; raises `InvalidSchedule`."""
    return _neighbour(schedule, moment + timedelta(seconds=1), reverse=True)


def _neighbour(schedule: str, moment: datetime, *, reverse: bool) -> datetime:
    from cronsim import CronSim, CronSimError

    spelled = _spelled(schedule)
    try:
        return next(CronSim(spelled, moment, reverse=reverse))
    except (CronSimError, StopIteration):
        raise InvalidSchedule(f"'{schedule}' never starts: no month has such a day") from None


@functools.lru_cache(maxsize=256)
def _spelled(schedule: str) -> str:
    """Return a schedule with every field as a star or a plain list of numbers."""
    words = schedule.split()
    if len(words) != len(_FIELDS):
        raise InvalidSchedule(f"'{schedule}' has {len(words)} fields: give minute, hour, day, month and weekday")
    return " ".join(_field(word, *rule) for word, rule in zip(words, _FIELDS, strict=True))


def _field(text: str, title: str, low: int, high: int, names: tuple[str, ...]) -> str:
    parts = [_part(part, title, low, high, names) for part in text.split(",")]
    if None in parts:
        return "*"
    return ",".join(str(number) for number in sorted({number for part in parts for number in part or ()}))


def _part(text: str, title: str, low: int, high: int, names: tuple[str, ...]) -> Iterable[int] | None:
    """Return the numbers of one range; None for a plain star."""
    span, slash, pace = text.partition("/")
    step = _number(pace, title, ()) if slash else 1
    if step == 0:
        raise InvalidSchedule(f"the step of '{text}' ({title}) is 0")
    if span in ("*", "?"):
        return None if step == 1 else range(low, high + 1, step)
    first, dash, last = span.partition("-")
    begin = _number(first, title, names, low)
    end = _number(last, title, names, low) if dash else high if slash else begin
    if not low <= begin <= high or not low <= end <= high:
        raise InvalidSchedule(f"'{text}' ({title}) is not between {low} and {high}")
    if begin > end:
        raise InvalidSchedule(f"'{text}' ({title}) ends before it starts")
    return range(begin, end + 1, step)


def _number(text: str, title: str, names: tuple[str, ...], first: int = 0) -> int:
    if text.lower() in names:
        return names.index(text.lower()) + first
    if not text.isascii() or not text.isdigit():
        raise InvalidSchedule(f"'{text}' ({title}) is not a number")
    return int(text)
