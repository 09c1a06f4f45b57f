"""What the operators of expressions do with values, with Go's care about types.

Used by `syncline.core.expr.evaluate` and `syncline.core.expr.builtins`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import re2

from syncline.core.appset.functions.durations import GoDuration
from syncline.core.appset.functions.times import GoTime, between, moved
from syncline.core.expr.errors import ExprError, InvalidExpr, NothingThere
from syncline.core.expr.limits import LONGEST_TEXT, MOST_ITEMS

_QUIET = re2.Options()
_QUIET.log_errors = False
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def is_number(value: Any) -> bool:
    """Whether a value is a number; truth values are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def kind(value: Any) -> str:
    """Return the type of a value, in the words of the language."""
    if value is None:
        return "nil"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "int" if isinstance(value, int) else "float"
    for known, word in ((str, "string"), (Mapping, "map"), (list, "array"), (GoTime, "time"), (GoDuration, "duration")):
        if isinstance(value, known):
            return word
    return type(value).__name__.lower()


def truth(value: Any) -> bool:
    """Return a truth value; nothing else counts as one."""
    if not isinstance(value, bool):
        raise nil_or(value, f"{kind(value)} is not true or false")
    return value


def text(value: Any) -> str:
    """Return a text; nothing else counts as one."""
    if not isinstance(value, str):
        raise nil_or(value, f"{kind(value)} is not a text")
    return value


def nil_or(value: Any, words: str) -> ExprError:
    """Return the error for a value: nil is often just not there yet."""
    return NothingThere(words) if value is None else ExprError(words)


def equal(left: Any, right: Any) -> bool:
    """Whether two values are the same; numbers are, whatever their type."""
    if is_number(left) and is_number(right):
        return bool(left == right)
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(left == right)


def compare(word: str, left: Any, right: Any) -> bool:
    """Put two values in order."""
    for one in (left, right):
        if isinstance(one, GoDuration):
            left, right = (side.nanoseconds if isinstance(side, GoDuration) else side for side in (left, right))
            break
    if isinstance(left, GoTime) and isinstance(right, GoTime):
        left, right = left.moment, right.moment
    elif not (is_number(left) and is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
        raise nil_or(left if left is None else right, f"{kind(left)} {word} {kind(right)} cannot be put in order")
    return _ORDER[word](left, right)


def within(needle: Any, hay: Any) -> bool:
    """Whether a list has an element, or a map a key."""
    if hay is None:
        return False
    if isinstance(hay, Mapping):
        return isinstance(needle, str) and needle in hay
    if isinstance(hay, list):
        return any(equal(needle, one) for one in hay)
    raise ExprError(f'operator "in" not defined on {kind(hay)}')


def matches(subject: Any, pattern: Any) -> bool:
    """Whether a text has a part that a regular expression describes; nil has none."""
    if subject is None:
        return False
    try:
        return re2.search(text(pattern), text(subject), _QUIET) is not None
    except re2.error as error:
        raise InvalidExpr(f"the pattern {pattern!r} is not a regular expression: {error}") from None


def add(left: Any, right: Any) -> Any:
    """Return a sum, or two texts as one."""
    if isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > LONGEST_TEXT:
            raise ExprError(f"the expression makes a text of more than {LONGEST_TEXT} characters")
        return left + right
    if isinstance(left, GoDuration) and isinstance(right, GoTime):
        left, right = right, left
    if isinstance(left, GoTime) and isinstance(right, GoDuration):
        return moved(left, right.nanoseconds)
    return _calculated("+", left, right)


def subtract(left: Any, right: Any) -> Any:
    """Return a difference; of two times it is a duration."""
    if isinstance(left, GoTime) and isinstance(right, GoTime):
        return between(left, right)
    if isinstance(left, GoTime) and isinstance(right, GoDuration):
        return moved(left, -right.nanoseconds)
    return _calculated("-", left, right)


def calculated(word: str, left: Any, right: Any) -> Any:
    """Return what arithmetic makes of two values."""
    if word in ("+", "-"):
        return add(left, right) if word == "+" else subtract(left, right)
    return _calculated(word, left, right)


def _calculated(word: str, left: Any, right: Any) -> Any:
    durations = isinstance(left, GoDuration) + isinstance(right, GoDuration)
    a, b = (one.nanoseconds if isinstance(one, GoDuration) else one for one in (left, right))
    if not is_number(a) or not is_number(b):
        broken = left if left is None else right
        raise nil_or(broken, f"{kind(left)} {word} {kind(right)} cannot be calculated")
    try:
        result = _number(word, a, b)
    except ZeroDivisionError:
        raise ExprError("division by zero") from None
    except (OverflowError, ValueError):
        raise ExprError(f"{a} {word} {b} is not a number that fits") from None
    keeps = (durations == 2 and word != "/") or durations == 1
    return GoDuration(int(result)) if keeps else result


def _number(word: str, a: Any, b: Any) -> Any:
    match word:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a / b
        case "%":
            if not isinstance(a, int) or not isinstance(b, int):
                raise ExprError("operator % is for whole numbers")
            return abs(a) % abs(b) * (-1 if a < 0 else 1)
        case _:
            return float(a) ** float(b)


def span(start: Any, end: Any) -> list[int]:
    """Return the whole numbers from one to another, both included."""
    if not isinstance(start, int) or not isinstance(end, int):
        raise ExprError("operator .. is for whole numbers")
    if end - start > MOST_ITEMS:
        raise ExprError(f"the expression makes a list of more than {MOST_ITEMS} elements")
    return list(range(start, end + 1))
