"""The steps of a jq path expression as functions: each takes a place in an object and yields the places it leads to.

Put together by `syncline.apimachinery.jq_paths`, which reads expressions. A step that does not fit the object fails
with jq's words, which quote no values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from syncline.apimachinery import equality

Path = tuple[str | int, ...]
Found = tuple[Path, Any]
Walk = Callable[[Path, Any], Iterator[Found]]
Values = Callable[[Any], Iterator[Any]]


class PathFailed(Exception):
    """The object has another shape than the expression says; the text is jq's and says no values."""


def here(path: Path, value: Any) -> Iterator[Found]:
    """Yield the place itself."""
    yield path, value


def all_of(parts: list[Walk]) -> Walk:
    """Return the walk to what each of several walks leads to, in order (`a, b`)."""
    return lambda path, value: itertools.chain.from_iterable(part(path, value) for part in parts)


def then(first: Walk, second: Walk) -> Walk:
    """Return the walk that goes on where another one ends (`a | b`)."""
    return lambda path, value: (found for middle in first(path, value) for found in second(*middle))


def optional(walk: Walk) -> Walk:
    """Return the walk that ends silently where another one fails (`a?`)."""

    def quietly(path: Path, value: Any) -> Iterator[Found]:
        try:
            yield from walk(path, value)
        except PathFailed:
            return

    return quietly


def field(name: str) -> Walk:
    """Return the step into a field; of null it is null."""

    def step(path: Path, value: Any) -> Iterator[Found]:
        if value is not None and not isinstance(value, dict):
            raise PathFailed(f'Cannot index {type_of(value)} with "{name}"')
        yield (*path, name), value.get(name) if value is not None else None

    return step


def index(number: int) -> Walk:
    """Return the step to a list item; negative numbers count from the end."""

    def step(path: Path, value: Any) -> Iterator[Found]:
        if value is not None and not isinstance(value, list):
            raise PathFailed(f"Cannot index {type_of(value)} with number")
        items = value or []
        at = number if number >= 0 else len(items) + number
        yield (*path, at), items[at] if 0 <= at < len(items) else None

    return step


def items(path: Path, value: Any) -> Iterator[Found]:
    """Yield every item of a list or map."""
    if isinstance(value, list):
        yield from (((*path, at), item) for at, item in enumerate(value))
    elif isinstance(value, dict):
        yield from (((*path, name), item) for name, item in value.items())
    else:
        raise PathFailed(f"Cannot iterate over {type_of(value)}")


def selected(condition: Values) -> Walk:
    """Return the step that stays where a condition holds (`select(c)`)."""
    return lambda path, value: ((path, value) for verdict in condition(value) if is_true(verdict))


def is_true(value: Any) -> bool:
    """Whether jq takes a value for true: all but null and false."""
    return value is not None and value is not False


def constant(value: Any) -> Values:
    """Return the value that is always the same."""
    return lambda _value: iter((value,))


def compared(left: Values, right: Values, *, wanted: bool) -> Values:
    """Return whether two values are equal, or (not `wanted`) differ."""
    return lambda value: (equality.equal(a, b) is wanted for b in right(value) for a in left(value))


def joined(left: Values, right: Values, *, decided_by: bool) -> Values:
    """Return `or` (decided by true) or `and` (decided by false) of two conditions."""

    def join(value: Any) -> Iterator[Any]:
        for first in left(value):
            if is_true(first) is decided_by:
                yield decided_by
            else:
                yield from (is_true(second) for second in right(value))

    return join


def _starts(value: Any, text: str) -> bool:
    if not isinstance(value, str):
        raise PathFailed("startswith() requires string inputs")
    return value.startswith(text)


def _ends(value: Any, text: str) -> bool:
    if not isinstance(value, str):
        raise PathFailed("endswith() requires string inputs")
    return value.endswith(text)


def _has(value: Any, name: str) -> bool:
    if not isinstance(value, dict):
        raise PathFailed(f"Cannot check whether {type_of(value)} has a string key")
    return name in value


TESTS: dict[str, Callable[[Any, str], bool]] = {"startswith": _starts, "endswith": _ends, "has": _has}


def type_of(value: Any) -> str:
    """Return jq's word for the type of a value."""
    if isinstance(value, bool):
        return "boolean"
    names = {dict: "object", list: "array", str: "string", int: "number", float: "number"}
    return names.get(type(value), "null")
