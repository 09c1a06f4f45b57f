"""What the real server's decoder sees in a body besides its values: keys given twice, times that are none.

Asked by `syncline.sandbox.api.requests` (keys) and `syncline.sandbox.api.conforming` (times).
"""

from __future__ import annotations

import calendar
import json
import re
from typing import Any, Final

import orjson

_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)")
_ELEMENTS: Final = (
    *((r"\d{4}", "2006"), ("-", "-"), (r"\d\d", "01"), ("-", "-"), (r"\d\d", "02"), ("T", "T"), (r"\d\d", "15")),
    *((":", ":"), (r"\d\d", "04"), (":", ":"), (r"\d\d(?:[.,]\d+)?", "05"), (r"Z|[+-]\d\d:\d\d", "Z07:00")),
)
_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"


def repeated(content: bytes, decoded: Any) -> list[str]:
    """Return the paths of keys that a JSON body gives more than once.

    Written again, a body is as long as it was unless it has repeated keys, spaces or escapes: only then it is read
    once more, key by key.
    """
    if len(orjson.dumps(decoded)) == len(content):
        return []
    found: list[str] = []
    _walk(json.loads(content, object_pairs_hook=_Pairs), "", found)
    return found


class _Pairs(list[tuple[str, Any]]):
    """An object with all its keys."""


def _walk(value: Any, path: str, found: list[str]) -> None:
    if isinstance(value, _Pairs):
        seen: set[str] = set()
        for key, item in value:
            where = f"{path}.{key}" if path else key
            if key in seen and where not in found:
                found.append(where)
            seen.add(key)
            _walk(item, where, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _walk(item, f"{path}[{index}]", found)


def time_problem(text: str) -> str:
    """Return Go's sentence about a text that is not a time, empty when it is one."""
    found = _TIME.fullmatch(text)
    if found is None:
        return _unparsed(text)
    year, month, day, hour, minute, second = map(int, found.groups())
    wrong = ""
    if not 1 <= month <= 12:
        wrong = "month"
    elif hour > 23:
        wrong = "hour"
    elif minute > 59:
        wrong = "minute"
    elif second > 59:
        wrong = "second"
    elif not 1 <= day <= calendar.monthrange(year or 4, month)[1]:
        wrong = "day"
    return f'parsing time "{text}": {wrong} out of range' if wrong else ""


def _unparsed(text: str) -> str:
    rest = text
    for pattern, element in _ELEMENTS:
        found = re.match(pattern, rest)
        if found is None:
            return f'parsing time "{text}" as "{_LAYOUT}": cannot parse "{rest}" as "{element}"'
        rest = rest[found.end() :]
    return f'parsing time "{text}": extra text: "{rest}"'
