"""Regular expressions in expressions (RE2, as in Go), and how Go quotes texts and writes numbers."""

from __future__ import annotations

import functools
import math
from typing import Any, Final

from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.values import Fault

FUNCTIONS: Final = Functions()
_PLAIN_DIGITS: Final = 6
"""From so many digits on Go writes an exponent."""
_GO_WORDS: Final = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
}
"""How Go says what RE2 complains about."""


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        told = str(error.args[0].decode() if isinstance(error.args[0], bytes) else error.args[0])
        said, _, rest = told.partition(": ")
        raise Fault(f"error parsing regexp: {_GO_WORDS.get(said, said)}: `{rest or pattern}`") from None


def matches(text: str, pattern: str) -> bool:
    """Tell whether a part of the text matches."""
    return _compiled(pattern).search(text) is not None


def problem(pattern: str) -> str:
    """Return why Go cannot read a pattern, empty when it can."""
    try:
        _compiled(pattern)
    except Fault as fault:
        return str(fault)
    return ""


def _finding(pattern: str) -> Any:
    try:
        return _compiled(pattern)
    except Fault as fault:
        raise Fault(f"Illegal regex: {fault}") from None


def _find(text: str, pattern: str) -> str:
    found = _finding(pattern).search(text)
    return "" if found is None else str(found.group(0))


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    found: list[str] = []
    for one in _finding(pattern).finditer(text):
        if len(found) == limit:
            break
        found.append(str(one.group(0)))
    return found


FUNCTIONS.add("find", "string.(string) string", does=_find)
FUNCTIONS.add("findAll", "string.(string) list(string)", "string.(string, int) list(string)", does=_find_all)


def quoted(text: str) -> str:
    """Return a text as Go's %q writes it."""
    import json

    return json.dumps(text, ensure_ascii=False)


def shown_double(value: float) -> str:
    """Return a number as Go's shortest format writes it."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if value == 0:
        return "0" if math.copysign(1, value) > 0 else "-0"
    from decimal import Decimal

    exact = Decimal(repr(value)).normalize()
    exponent = exact.adjusted()
    if -4 <= exponent < _PLAIN_DIGITS:
        return f"{exact:f}"
    digits = f"{exact.scaleb(-exponent):f}"
    return f"{digits}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
