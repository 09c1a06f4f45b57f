"""Functions of expressions that look at each element: `all(app.status.resources, .health?.status != 'Degraded')`.

Called by `syncline.core.expr.evaluate` with the elements and what is worked out for one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from syncline.core.expr import operators
from syncline.core.expr.errors import ExprError


class Of(Protocol):
    """Works out the closure for one element."""

    def __call__(self, element: Any, index: int, **more: Any) -> Any:
        """Return what the closure gives."""
        ...


Items = Sequence[Any]


def _picked(items: Items, of: Of) -> list[int]:
    return [at for at, item in enumerate(items) if operators.truth(of(item, at))]


def _first(items: Items, of: Of, order: Sequence[int]) -> int | None:
    return next((at for at in order if operators.truth(of(items[at], at))), None)


def _find(items: Items, of: Of, _rest: Items) -> Any:
    at = _first(items, of, range(len(items)))
    return None if at is None else items[at]


def _find_last(items: Items, of: Of, _rest: Items) -> Any:
    at = _first(items, of, range(len(items) - 1, -1, -1))
    return None if at is None else items[at]


def _all(items: Items, of: Of, _rest: Items) -> bool:
    return all(operators.truth(of(item, at)) for at, item in enumerate(items))


def _any(items: Items, of: Of, _rest: Items) -> bool:
    return any(operators.truth(of(item, at)) for at, item in enumerate(items))


def _sum(items: Items, of: Of, _rest: Items) -> Any:
    total: Any = 0
    for at, item in enumerate(items):
        total = operators.add(total, of(item, at))
    return total


def _group_by(items: Items, of: Of, _rest: Items) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for at, item in enumerate(items):
        groups.setdefault(str(of(item, at)), []).append(item)
    return groups


def _sort_by(items: Items, of: Of, rest: Items) -> list[Any]:
    keys = [of(item, at) for at, item in enumerate(items)]
    if not (all(map(operators.is_number, keys)) or all(isinstance(key, str) for key in keys)):
        raise ExprError("sortBy needs numbers or texts to sort by")
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=bool(rest) and rest[0] == "desc")
    return [items[at] for at in order]


def _reduce(items: Items, of: Of, rest: Items) -> Any:
    if not rest and not items:
        raise ExprError("reduce of an empty list needs a first value")
    total, start = (rest[0], 0) if rest else (items[0], 1)
    for at in range(start, len(items)):
        total = of(items[at], at, acc=total)
    return total


CLOSURES: dict[str, Callable[[Items, Of, Items], Any]] = {
    "all": _all,
    "any": _any,
    "count": lambda items, of, _rest: len(_picked(items, of)),
    "filter": lambda items, of, _rest: [items[at] for at in _picked(items, of)],
    "find": _find,
    "findIndex": lambda items, of, _rest: _first(items, of, range(len(items))),
    "findLast": _find_last,
    "findLastIndex": lambda items, of, _rest: _first(items, of, range(len(items) - 1, -1, -1)),
    "groupBy": _group_by,
    "map": lambda items, of, _rest: [of(item, at) for at, item in enumerate(items)],
    "none": lambda items, of, rest: not _any(items, of, rest),
    "one": lambda items, of, _rest: len(_picked(items, of)) == 1,
    "reduce": _reduce,
    "sortBy": _sort_by,
    "sum": _sum,
}
