"""Reads one value as its key wants it: booleans, numbers, durations and sizes as Go reads them.

Called by `syncline.core.settings.assemble` with the text of a setting; what cannot be read is an `InvalidValue` whose
sentence says what would be right. Durations may be given in days, which Argo CD takes and Go does not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from syncline.apimachinery import duration, quantity
from syncline.core.settings.keys import SettingKey, ValueKind

_TRUE: Final = frozenset({"1", "t", "T", "true", "TRUE", "True"})
_FALSE: Final = frozenset({"0", "f", "F", "false", "FALSE", "False"})
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"[+-]?([0-9]{1,18}(\.[0-9]{0,18})?|\.[0-9]{1,18})", re.ASCII)
_DAYS = re.compile(r"[0-9]{1,6}d", re.ASCII)


class InvalidValue(ValueError):
    """A value its key cannot have; the text says what would be right."""


def read(key: SettingKey, text: str) -> Any:
    """Return the value of a plain setting; blocks, Lua and permissions stay texts."""
    reader = _READERS.get(key.type)
    if key.type is ValueKind.CHOICE:
        return _choice(text, key.choices)
    return reader(text) if reader else text


def boolean(text: str) -> bool:
    """Return what Go's ParseBool does."""
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise InvalidValue("is not true or false")


def integer(text: str) -> int:
    """Return a whole number."""
    if not _INTEGER.fullmatch(text):
        raise InvalidValue("is not a whole number")
    return int(text)


def number(text: str) -> float:
    """Return a number."""
    if not _NUMBER.fullmatch(text):
        raise InvalidValue("is not a number")
    return float(text)


def seconds_of(text: str) -> float:
    """Return the seconds of a duration with a unit."""
    if _DAYS.fullmatch(text):
        return int(text[:-1]) * 86400.0
    if _NUMBER.fullmatch(text) and float(text) != 0:
        raise InvalidValue(f"is a duration without a unit: write {text}s")
    try:
        return duration.parse(text) / 1e9
    except duration.InvalidDuration:
        raise InvalidValue("is not a duration: write 90s, 5m or 1h30m") from None


def size(text: str) -> int:
    """Return the bytes of a quantity such as `10M`."""
    try:
        return quantity.parse(text).value
    except ValueError:
        raise InvalidValue("is not a size: write 10M or 1G") from None


def words(text: str) -> tuple[str, ...]:
    """Return the members of a list with commas (or semicolons) between them."""
    return tuple(word.strip() for word in re.split(r"[,;]", text) if word.strip())


def _choice(text: str, choices: tuple[str, ...]) -> str:
    if text not in choices:
        raise InvalidValue("is not one of " + ", ".join(choice or '""' for choice in choices))
    return text


_READERS: Final[Mapping[ValueKind, Callable[[str], Any]]] = {
    ValueKind.BOOLEAN: boolean,
    ValueKind.INTEGER: integer,
    ValueKind.NUMBER: number,
    ValueKind.DURATION: seconds_of,
    ValueKind.SECONDS: lambda text: float(integer(text)),
    ValueKind.MILLISECONDS: lambda text: integer(text) / 1000,
    ValueKind.SIZE: size,
    ValueKind.LIST: words,
}
