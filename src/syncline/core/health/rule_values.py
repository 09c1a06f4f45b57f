"""Reads values out of an object for health rules: compiled paths and message templates.

`syncline.core.health.rule_matches` compares what a path finds, `syncline.core.health.rules` fills messages with it.
A path through `[*]` finds every element's value: words match when any element does, numbers count as their sum.
`[-1]` is the last element, `[#]` how many there are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from syncline.apimachinery.keys import Object

Found = tuple[str, dict[str, Any] | None, Any]
"""What a match rests on: the path of the evidence, the condition (if one matched) and the element (within `some`)."""

Get = Callable[[Object, Any], Any]
"""Finds one value in an object, or in the element at hand; None where there is none."""

_STEP = re.compile(r"\.?(?P<name>[A-Za-z_][A-Za-z0-9_-]*)|\[\"(?P<quoted>[^\"]+)\"\]|\[(?P<index>\*|#|-1|\d+)\]")
_PLACE = re.compile(r"\{([^{}]*)\}")
_COUNT = "#"
_ROOTS = ("metadata", "spec", "status", "item", "kind", "condition")


class InvalidRule(ValueError):
    """A path, a template or a rule that cannot be used as written."""


def steps(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path; `*` stands for every element of a list."""
    found: list[str | int] = []
    end = 0
    while end < len(path):
        match = _STEP.match(path, end)
        if match is None:
            raise InvalidRule(f'{path!r} is not a path: write status.conditions, status.parts[*].name or a["b.c/d"]')
        index = match["index"]
        found.append(match["name"] or match["quoted"] or (index if index in ("*", _COUNT) else int(index)))
        end = match.end()
    if not found or found[0] not in _ROOTS:
        raise InvalidRule(f"the path {path!r} starts with none of {', '.join(_ROOTS)}")
    return tuple(found)


def getter(path: str) -> Get:
    """Compile a path; one that starts with `item` reads the element at hand instead of the object.

    Of several paths with `|` between them the first counts that leads to something.
    """
    if "|" in path:
        return _first([getter(one) for one in path.split("|")])
    found = steps(path)
    if "*" in found:
        return lambda obj, item: [value for value in every(found, obj, item) if value is not None]
    if found[0] == "item":
        rest = found[1:]
        return lambda _, item: _walk(item, rest)
    return lambda obj, _: _walk(obj, found)


def _first(alternatives: list[Get]) -> Get:
    def get(obj: Object, item: Any) -> Any:
        for alternative in alternatives:
            value = alternative(obj, item)
            if value is not None and value != "":
                return value
        return None

    return get


def _walk(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        if step == _COUNT:
            value = len(value) if isinstance(value, list) else None
        elif isinstance(step, str):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        elif isinstance(value, list) and value and step < len(value):
            value = value[step]
        else:
            return None
        if value is None:
            return None
    return value


def every(path: tuple[str | int, ...], obj: Object, item: Any) -> Iterator[Any]:
    """Yield what a path with `[*]` finds in each element of a list, or in each value of a mapping."""
    values, rest = ([item], path[1:]) if path[0] == "item" else ([obj], path)
    for step in rest:
        if step == "*":
            values = [element for value in values for element in _elements(value)]
        else:
            values = [_walk(value, (step,)) for value in values]
    yield from values


def _elements(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def number(value: Any) -> float | None:
    """Return a value as a number, the sum for many; None if it is none."""
    if isinstance(value, list):
        numbers = [number(one) for one in value]
        return sum(one for one in numbers if one is not None)
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return value
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def template(text: str) -> Callable[[Object, Found], str]:
    """Compile `{path|other path|words}`; the first alternative that finds something is put in."""
    pieces = _PLACE.split(text)
    if len(pieces) == 1:
        return lambda _obj, _found: text
    parts = [_constant(piece) if index % 2 == 0 else _place(piece) for index, piece in enumerate(pieces)]
    parts = [part for part, piece in zip(parts, pieces, strict=True) if piece]
    if len(parts) == 1:
        return parts[0]
    return lambda obj, found: "".join([part(obj, found) for part in parts])


def uses(text: str, root: str) -> bool:
    """Whether a template reads from `condition` or `item`."""
    return any(
        alternative.partition(".")[0] == root for place in _PLACE.findall(text) for alternative in place.split("|")
    )


def _constant(text: str) -> Callable[[Object, Found], str]:
    return lambda _obj, _found: text


def _place(text: str) -> Callable[[Object, Found], str]:
    alternatives = [_alternative(one) for one in text.split("|")]
    if len(alternatives) == 1:
        return alternatives[0]

    def fill(obj: Object, found: Found) -> str:
        for alternative in alternatives:
            if value := alternative(obj, found):
                return value
        return ""

    return fill


def _alternative(text: str) -> Callable[[Object, Found], str]:
    root, dot, rest = text.partition(".")
    if not dot or root not in _ROOTS:
        if not text or text in _ROOTS:
            raise InvalidRule(f"{{{text}}} names no value: write a path such as status.phase, or words after |")
        return _constant(text)
    if root == "condition":
        return lambda _obj, found: _text((found[1] or {}).get(rest))
    get = getter(text)
    return lambda obj, found: _text(get(obj, found[2]))


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    return str(value).strip()
