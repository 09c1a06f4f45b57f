"""Functions of expressions that take plain values: `len(app.status.conditions) > 0`, `lower(app.spec.project)`.

Called by `syncline.core.expr.evaluate`, which counts their work and says which function it was where one fails.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import duration
from syncline.core.appset.functions import times
from syncline.core.appset.functions.durations import GoDuration
from syncline.core.appset.functions.times import GoTime
from syncline.core.expr import operators
from syncline.core.expr.errors import ExprError
from syncline.core.expr.limits import LONGEST_TEXT, MOST_ITEMS
from syncline.core.expr.operators import text

_MANY = 100
_LAYOUTS = (
    "2006-01-02",
    "15:04:05",
    "2006-01-02 15:04:05",
    "2006-01-02T15:04:05Z07:00",
    "2006-01-02T15:04:05.999999999Z07:00",
    "Mon, 02 Jan 2006 15:04:05 MST",
    "Mon, 02 Jan 2006 15:04:05 -0700",
)


def _len(value: Any) -> int:
    if not isinstance(value, str | list | Mapping):
        raise operators.nil_or(value, f"invalid argument for len ({operators.kind(value)})")
    return len(value)


def _repeat(value: Any, count: Any) -> str:
    if len(text(value)) * int(count) > LONGEST_TEXT:
        raise ExprError(f"the expression makes a text of more than {LONGEST_TEXT} characters")
    return text(value) * int(count)


def _string(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "<nil>"}[value]
    if isinstance(value, GoTime | GoDuration):
        return value.text()
    return str(value) if isinstance(value, str | int | float) else msgspec.json.encode(value).decode()


def _replace(value: Any, old: Any, new: Any, count: Any = -1) -> str:
    made = text(value).replace(text(old), text(new), int(count))
    if len(made) > LONGEST_TEXT:
        raise ExprError(f"the expression makes a text of more than {LONGEST_TEXT} characters")
    return made


def _split(value: Any, by: Any, count: Any = -1) -> list[str]:
    if not text(by):
        return list(text(value))
    return text(value).split(by, int(count) - 1 if count > 0 else -1)


def _date(value: Any, layout: Any = "", _zone: Any = "") -> GoTime:
    for one in (layout,) if layout else _LAYOUTS:
        try:
            return GoTime(times.parsed(text(one), text(value)))
        except times.Unparsed:
            continue
    raise ExprError(f"{value} is not a date")


def _duration(value: Any) -> GoDuration:
    try:
        return GoDuration(duration.parse(text(value)))
    except duration.InvalidDuration as error:
        raise ExprError(str(error)) from None


def _from_json(value: Any) -> Any:
    try:
        return msgspec.json.decode(text(value))
    except msgspec.DecodeError:
        raise ExprError("fromJSON was given a text that is not JSON") from None


def _flatten(value: Any) -> list[Any]:
    made: list[Any] = []
    for one in value:
        made += _flatten(one) if isinstance(one, list) else [one]
        if len(made) > MOST_ITEMS:
            raise ExprError(f"the expression makes a list of more than {MOST_ITEMS} elements")
    return made


def _uniq(value: list[Any]) -> list[Any]:
    made: list[Any] = []
    for one in value[:1000]:
        if not operators.within(one, made):
            made.append(one)
    return made


def _numbers(values: tuple[Any, ...]) -> list[Any]:
    found = _flatten(list(values))
    if not found or not all(map(operators.is_number, found)):
        raise ExprError("only numbers can be compared")
    return found


def _get(of: Any, key: Any) -> Any:
    if isinstance(of, Mapping):
        return of.get(key)
    return of[key] if isinstance(of, list) and isinstance(key, int) and -len(of) <= key < len(of) else None


def _rounded(value: Any) -> float:
    return float(math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1))


Plain = tuple[int, int, Callable[..., Any]]
PLAIN: dict[str, Plain] = {
    "abs": (1, 1, abs),
    "ceil": (1, 1, lambda value: float(math.ceil(value))),
    "concat": (1, _MANY, lambda *values: [item for one in values for item in one]),
    "date": (1, 3, _date),
    "duration": (1, 1, _duration),
    "first": (1, 1, lambda value: value[0] if value else None),
    "flatten": (1, 1, _flatten),
    "float": (1, 1, float),
    "floor": (1, 1, lambda value: float(math.floor(value))),
    "fromBase64": (1, 1, lambda value: base64.b64decode(text(value), validate=True).decode()),
    "fromJSON": (1, 1, _from_json),
    "fromPairs": (1, 1, dict),
    "get": (2, 2, _get),
    "hasPrefix": (2, 2, lambda value, part: text(value).startswith(text(part))),
    "hasSuffix": (2, 2, lambda value, part: text(value).endswith(text(part))),
    "indexOf": (2, 2, lambda value, part: text(value).find(text(part))),
    "int": (1, 1, int),
    "join": (1, 2, lambda values, by="": text(by).join(map(text, values))),
    "keys": (1, 1, lambda value: sorted(value.keys())),
    "last": (1, 1, lambda value: value[-1] if value else None),
    "lastIndexOf": (2, 2, lambda value, part: text(value).rfind(text(part))),
    "len": (1, 1, _len),
    "lower": (1, 1, lambda value: text(value).lower()),
    "max": (1, _MANY, lambda *values: max(_numbers(values))),
    "mean": (1, _MANY, lambda *values: sum(_numbers(values)) / len(_numbers(values))),
    "min": (1, _MANY, lambda *values: min(_numbers(values))),
    "now": (0, 0, lambda: None),
    "repeat": (2, 2, _repeat),
    "replace": (3, 4, _replace),
    "reverse": (1, 1, lambda value: value[::-1]),
    "round": (1, 1, _rounded),
    "sort": (1, 1, sorted),
    "split": (2, 3, _split),
    "string": (1, 1, _string),
    "take": (2, 2, lambda value, count: value[:count]),
    "toBase64": (1, 1, lambda value: base64.b64encode(text(value).encode()).decode()),
    "toJSON": (1, 1, lambda value: msgspec.json.format(msgspec.json.encode(value)).decode()),
    "toPairs": (1, 1, lambda value: [[key, value[key]] for key in sorted(value)]),
    "trim": (1, 2, lambda value, chars=None: text(value).strip(chars)),
    "trimPrefix": (2, 2, lambda value, part: text(value).removeprefix(text(part))),
    "trimSuffix": (2, 2, lambda value, part: text(value).removesuffix(text(part))),
    "type": (1, 1, operators.kind),
    "uniq": (1, 1, _uniq),
    "upper": (1, 1, lambda value: text(value).upper()),
    "values": (1, 1, lambda value: [value[key] for key in sorted(value)]),
}
"""Least and most arguments, and what is done with them."""
