"""Reads the schedule of a CronJob as the API server does, to say what is wrong with it.

Asked by `syncline.sandbox.kinds.schedules`. Five fields, or one of the words that begin with `@`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from syncline.apimachinery import duration

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS: Final = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_WORDS: Final = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_EVERY: Final = "@every "
_NUMBER: Final = re.compile(r"[+-]?[0-9]+")


class _Bounds(NamedTuple):
    """The numbers that a field may have, and the words that stand for them, the first for the least."""

    least: int
    most: int
    words: tuple[str, ...] = ()


_FIELDS: Final = (_Bounds(0, 59), _Bounds(0, 23), _Bounds(1, 31), _Bounds(1, 12, _MONTHS), _Bounds(0, 6, _DAYS))


class _Unreadable(Exception):
    """The text says what is wrong."""


def complaint(schedule: str) -> str:
    """Return what is wrong with a schedule; empty where nothing is."""
    try:
        _read(schedule)
    except _Unreadable as error:
        return str(error)
    return ""


def _read(schedule: str) -> None:
    if schedule.startswith("@"):
        _read_word(schedule)
        return
    fields = schedule.split()
    if len(fields) != len(_FIELDS):
        raise _Unreadable(f"expected exactly {len(_FIELDS)} fields, found {len(fields)}: [{' '.join(fields)}]")
    for field, bounds in zip(fields, _FIELDS, strict=True):
        for part in filter(None, field.split(",")):
            _read_range(part, bounds)


def _read_word(word: str) -> None:
    if word in _WORDS:
        return
    if not word.startswith(_EVERY):
        raise _Unreadable(f"unrecognized descriptor: {word}")
    try:
        duration.parse(word.removeprefix(_EVERY))
    except duration.InvalidDuration as error:
        raise _Unreadable(f"failed to parse duration {word}: {error}") from None


def _read_range(text: str, bounds: _Bounds) -> None:
    span, *paces = text.split("/")
    first, *lasts = span.split("-")
    if first in ("*", "?"):
        start, end = bounds.least, bounds.most
    else:
        start = end = _number(first, bounds)
        if len(lasts) == 1:
            end = _number(lasts[0], bounds)
        elif lasts:
            raise _Unreadable(f"too many hyphens: {text}")
    if len(paces) > 1:
        raise _Unreadable(f"too many slashes: {text}")
    step = _whole(paces[0]) if paces else 1
    if paces and not lasts:
        end = bounds.most
    _check_range(text, start, end, step, bounds)


def _check_range(text: str, start: int, end: int, step: int, bounds: _Bounds) -> None:
    if start < bounds.least:
        raise _Unreadable(f"beginning of range ({start}) below minimum ({bounds.least}): {text}")
    if end > bounds.most:
        raise _Unreadable(f"end of range ({end}) above maximum ({bounds.most}): {text}")
    if start > end:
        raise _Unreadable(f"beginning of range ({start}) beyond end of range ({end}): {text}")
    if step == 0:
        raise _Unreadable(f"step of range should be a positive number: {text}")


def _number(text: str, bounds: _Bounds) -> int:
    word = text.lower()
    return bounds.words.index(word) + bounds.least if word in bounds.words else _whole(text)


def _whole(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise _Unreadable(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    number = int(text)
    if number < 0:
        raise _Unreadable(f"negative number ({number}) not allowed: {text}")
    return number
