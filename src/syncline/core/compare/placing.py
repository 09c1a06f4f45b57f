"""Puts values into objects at field paths, and names list items by what identifies them instead of by number.

Used where a field of one object has to be found again in another: `syncline.core.compare.ignore.respect` and
`syncline.core.compare.ignore.suggest`. Nothing is mutated; parts that stay are shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.paths import KeyMatch, Step, ValueMatch
from syncline.apimachinery.schema.node import Node

Steps = tuple[Step, ...]


def identified(obj: Any, path: tuple[str | int, ...], node: Node | None) -> Steps:
    """Return a concrete path with items of associative lists and sets named by keys and values."""
    steps: list[Step] = []
    for step in path:
        if isinstance(obj, list) and isinstance(step, int):
            item = obj[step] if step < len(obj) else None
            steps.append(_identity(item, node) or step)
            obj, node = item, node.elements if node is not None else None
        else:
            steps.append(step)
            obj = obj.get(step) if isinstance(obj, dict) else None
            node = node.field(str(step)) if node is not None else None
    return tuple(steps)


def _identity(item: Any, node: Node | None) -> Step | None:
    if node is None or node.list_type == "atomic":
        return None
    if isinstance(item, dict):
        keys = tuple((name, item[name]) for name in node.list_keys if name in item)
        return KeyMatch(keys) if keys else None
    return ValueMatch(item) if node.list_type == "set" and not isinstance(item, list) else None


def leaves(obj: Any, node: Node | None, path: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield every value that is neither map nor list, except the keys of list items, with where it stands."""
    if isinstance(obj, dict):
        for name, member in obj.items():
            if not (path and isinstance(path[-1], KeyMatch) and name in dict(path[-1].keys)):
                yield from leaves(member, node.field(name) if node is not None else None, (*path, name))
    elif isinstance(obj, list):
        for number, item in enumerate(obj):
            step = _identity(item, node)
            if not isinstance(step, ValueMatch):
                below = node.elements if node is not None else None
                yield from leaves(item, below, (*path, number if step is None else step))
    else:
        yield path, obj


def put(obj: Any, steps: Steps, value: Any) -> Any:
    """Return the object with a value at a path; maps on the way are made, list items are not."""
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if obj is not None and not isinstance(obj, dict):
            return obj
        fields = obj or {}
        return {**fields, step: put(fields.get(step), rest, value) if rest else value}
    if not isinstance(obj, list):
        return obj if rest else [value]
    at = _position(obj, step)
    if at is None or at >= len(obj):
        return obj if rest else [*obj, value]
    return [*obj[:at], put(obj[at], rest, value) if rest else value, *obj[at + 1 :]]


def cut(obj: Any, steps: Steps) -> Any:
    """Return the object without what is at a path."""
    step, rest = steps[0], steps[1:]
    if isinstance(step, str):
        if not isinstance(obj, dict) or step not in obj:
            return obj
        if rest:
            return {**obj, step: cut(obj[step], rest)}
        return {name: member for name, member in obj.items() if name != step}
    at = _position(obj, step) if isinstance(obj, list) else None
    if at is None or at >= len(obj):
        return obj
    return [*obj[:at], cut(obj[at], rest), *obj[at + 1 :]] if rest else [*obj[:at], *obj[at + 1 :]]


def _position(items: list[Any], step: Step) -> int | None:
    if isinstance(step, int):
        return step
    if isinstance(step, str):
        return None
    return next((number for number, item in enumerate(items) if step.matches(item)), None)
