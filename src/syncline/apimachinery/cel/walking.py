"""Walks through lists and mappings, and counts what a run costs on the way.

`compiling` makes one function for each walk of an expression; the steps that are counted are cel-go's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from syncline.apimachinery.cel import lists, values
from syncline.apimachinery.cel.cost import charges
from syncline.apimachinery.cel.values import Fault, TooLong

LIMIT: Final = 1_000_000
"""What one expression may cost: a tenth of a second or so on an API server."""


class Run:
    """One evaluation: the variables, and what it has cost so far."""

    __slots__ = ("cost", "variables")

    def __init__(self, variables: dict[str, Any]) -> None:
        self.variables = variables
        self.cost = 0

    def charge(self, cost: int) -> None:
        """Add to the cost; raises `TooLong` where that is too much."""
        self.cost += cost
        if self.cost > LIMIT:
            raise TooLong


Work = Callable[[Run], Any]


def _elements(of: Any, *, two: bool) -> list[tuple[Any, ...]]:
    if isinstance(of, list):
        return list(enumerate(of)) if two else [(one,) for one in of]
    if isinstance(of, Mapping):
        return list(of.items()) if two else [(key,) for key in of]
    raise Fault(values.NO_OVERLOAD)


_ROUNDS: Final = {
    "all": (3, 0, 1), "exists": (4, 0, 1), "exists_one": (0, 0, 2), "map": (0, 12, 1),
    "transformMap": (0, 3, 1), "transformMapEntry": (0, 2, 1), "sortBy": (0, 12, 3),
}  # fmt: skip
"""What a walk costs in cel-go's steps: for each element, besides for each that the condition takes, and at the end."""


def _walk(
    run: Run, elements: list[tuple[Any, ...]], names: tuple[str, ...], condition: Work | None, each: int, taken: int
) -> Iterable[tuple[Any, ...]]:
    variables = run.variables
    for element in elements:
        run.charge(each)
        for name, value in zip(names, element, strict=True):
            variables[name] = value
        if condition is None or truth(condition(run)):
            run.cost += taken
            yield element


def truth(value: Any) -> bool:
    """Return a truth value; anything else is a fault."""
    if not isinstance(value, bool):
        raise Fault(values.NO_OVERLOAD)
    return value


Walked = Iterable[tuple[Any, ...]]
Result = Callable[[], Any]


def _decide(run: Run, walked: Walked, result: Result, *, wanted: bool) -> bool:
    fault: Fault | None = None
    decided = False
    for _ in walked:
        if decided:  # whether to go on is asked before the next element, which is then not looked at
            run.cost -= 1
            return wanted
        try:
            decided = truth(result()) is wanted
        except Fault as error:
            fault = fault or error
    if decided:
        return wanted
    if fault is not None:
        raise fault
    return not wanted


def _count(run: Run, walked: Walked, result: Result) -> bool:
    found = sum(truth(result()) for _ in walked)
    run.cost += 2 * found
    return found == 1


def _map_entries(walked: Walked, result: Result) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    for _ in walked:
        for key, value in result().items():
            if key in made:
                raise Fault(f"insert failed: key {key} already exists")
            made[key] = value
    return made


def _sorted(run: Run, walked: Walked, result: Result) -> list[Any]:
    items, keys = [], []
    for (element,) in walked:
        items.append(element)
        keys.append(result())
    run.charge(charges.self_compared(keys))
    return lists.sort(items, keys)


_FOLDS: Final[dict[str, Callable[[Run, Walked, Result], Any]]] = {
    "all": lambda run, walked, result: _decide(run, walked, result, wanted=False),
    "exists": lambda run, walked, result: _decide(run, walked, result, wanted=True),
    "exists_one": _count,
    "map": lambda _run, walked, result: [result() for _ in walked],
    "sortBy": _sorted,
    "transformMap": lambda _run, walked, result: {element[0]: result() for element in walked},
    "transformMapEntry": lambda _run, walked, result: _map_entries(walked, result),
}


def walk(sort: str, of: Work, names: tuple[str, ...], condition: Work | None, result: Work) -> Work:
    """Return what walks through a value: `sort` says what is asked of its elements or made of them."""
    fold = _FOLDS[sort]
    each, taken, after = _ROUNDS[sort]

    def work(run: Run) -> Any:
        elements = _elements(of(run), two=len(names) == 2)
        outer = run.variables
        run.variables = {**outer}
        try:
            walked = _walk(run, elements, names, condition, each, taken)
            made = fold(run, walked, lambda: result(run))
        finally:
            run.variables = outer
        run.charge(after)
        return made

    return work
