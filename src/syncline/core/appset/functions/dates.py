"""Sprig's functions on dates. The time comes from whoever renders; without one, what asks for it is refused.

Part of the table in `syncline.core.appset.functions`. The local time zone is UTC, as in Argo CD's containers.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

from syncline.apimachinery import duration
from syncline.core.appset.functions import times
from syncline.core.appset.functions.times import GoTime
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Context, Function
from syncline.core.appset.gotemplate.numbers import INT64_MAX, INT64_MIN, wrapped
from syncline.core.appset.gotemplate.values import Int64

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=times.UTC)
_SECOND = 10**9
_ROUNDED = (
    ("y", 3600 * 24 * 365 * _SECOND),
    ("mo", 3600 * 24 * 30 * _SECOND),
    ("d", 3600 * 24 * _SECOND),
    ("h", 3600 * _SECOND),
    ("m", 60 * _SECOND),
    ("s", _SECOND),
)
_NO_TIME = (
    "the time is another at every rendering, so the Application would never come to rest: give the date as a parameter"
)


def _now(ctx: Context) -> GoTime:
    if ctx.now is None:
        raise CallError(_NO_TIME)
    return GoTime(ctx.now.astimezone(times.UTC))


def _moment(ctx: Context, value: Any) -> dt.datetime:
    if isinstance(value, GoTime):
        return value.moment
    if type(value) in (int, Int64):
        return _shifted(_EPOCH, value * _SECOND)
    return _now(ctx).moment


def _shifted(moment: dt.datetime, nanoseconds: int) -> dt.datetime:
    try:
        return moment + dt.timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:
        raise CallError("the date is outside of the years 1 to 9999") from None


def _in_zone(ctx: Context, layout: str, value: Any, zone: str) -> str:
    where = times.location(zone) or times.UTC
    return times.formatted(_moment(ctx, value).astimezone(where), layout)


def _must_modify(change: str, value: GoTime) -> GoTime:
    try:
        return GoTime(_shifted(value.moment, duration.parse(change)))
    except duration.InvalidDuration as error:
        raise CallError(str(error)) from None


def _modify(change: str, value: GoTime) -> GoTime:
    try:
        duration.parse(change)
    except duration.InvalidDuration:
        return value
    return _must_modify(change, value)


def _between(later: dt.datetime, earlier: dt.datetime) -> int:
    return (later - earlier) // dt.timedelta(microseconds=1) * 1000


def _ago(ctx: Context, value: Any) -> str:
    passed = _between(_now(ctx).moment, _moment(ctx, value))
    return duration.text((abs(passed) + _SECOND // 2) // _SECOND * _SECOND * (1 if passed >= 0 else -1))


def _duration(value: Any) -> str:
    seconds = 0
    if isinstance(value, str):
        seconds = _clamped(value)
    elif type(value) is Int64:
        seconds = value
    return duration.text(wrapped(seconds * _SECOND))


def _clamped(text: str) -> int:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or not digits.isascii():
        return 0
    number = int(text) if len(digits) < 30 else (INT64_MIN if text[0] == "-" else INT64_MAX)
    return max(INT64_MIN, min(INT64_MAX, number))


def _duration_round(ctx: Context, value: Any) -> str:
    nanoseconds = 0
    if isinstance(value, str):
        try:
            nanoseconds = duration.parse(value)
        except duration.InvalidDuration:
            nanoseconds = 0
    elif type(value) is Int64:
        nanoseconds = value
    elif isinstance(value, GoTime):
        nanoseconds = _between(_now(ctx).moment, value.moment)
    amount = abs(nanoseconds)
    for unit, scale in _ROUNDED:
        if amount > scale:
            return f"{amount // scale}{unit}"
    return "0s"


def _must_to_date(layout: str, text: str) -> GoTime:
    try:
        return GoTime(times.parsed(layout, text))
    except times.Unparsed as error:
        raise CallError(str(error)) from None


def _to_date(layout: str, text: str) -> GoTime:
    try:
        return _must_to_date(layout, text)
    except CallError:
        return GoTime(times.ZERO)


def _date(ctx: Context, layout: str, value: Any) -> str:
    return _in_zone(ctx, layout, value, "Local")


def _html_date(ctx: Context, value: Any) -> str:
    return _in_zone(ctx, "2006-01-02", value, "Local")


def _html_date_in_zone(ctx: Context, value: Any, zone: str) -> str:
    return _in_zone(ctx, "2006-01-02", value, zone)


DATES: dict[str, Function] = {
    "ago": Function(_ago, "any", needs_context=True),
    "date": Function(_date, "string any", needs_context=True),
    "dateInZone": Function(_in_zone, "string any string", needs_context=True),
    "date_in_zone": Function(_in_zone, "string any string", needs_context=True),
    "dateModify": Function(_modify, "string time"),
    "date_modify": Function(_modify, "string time"),
    "duration": Function(_duration, "any"),
    "durationRound": Function(_duration_round, "any", needs_context=True),
    "htmlDate": Function(_html_date, "any", needs_context=True),
    "htmlDateInZone": Function(_html_date_in_zone, "any string", needs_context=True),
    "mustDateModify": Function(_must_modify, "string time"),
    "must_date_modify": Function(_must_modify, "string time"),
    "mustToDate": Function(_must_to_date, "string string"),
    "now": Function(_now, needs_context=True),
    "toDate": Function(_to_date, "string string"),
    "unixEpoch": Function(lambda value: str(times.unix(value.moment)), "time"),
}
