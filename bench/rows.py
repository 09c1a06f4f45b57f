"""One line of the table, and how the time of a call is taken."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_ROUNDS = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure, the raw cost of the same work in the same unit, and what the figure should be."""

    name: str
    figure: float
    unit: str
    raw: float | None = None
    raw_is: str = ""
    at_most: float | None = None
    at_least: float | None = None

    @property
    def ratio(self) -> float | None:
        """The figure as a multiple of the raw cost."""
        return self.figure / self.raw if self.raw else None

    @property
    def goal(self) -> str:
        """What the figure should be, in words; empty when it is only watched."""
        if self.at_most is not None:
            return f"≤ {number(self.at_most)}"
        return f"≥ {number(self.at_least)}" if self.at_least is not None else ""

    @property
    def good(self) -> bool | None:
        """Whether the goal is met; None without a goal."""
        if self.at_most is not None:
            return self.figure <= self.at_most
        return self.figure >= self.at_least if self.at_least is not None else None


def number(value: float) -> str:
    """Return a figure with about three digits that mean something."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(rows: Sequence[Row]) -> str:
    """Return rows as one table: numbers to the right, words to the left."""
    head = ("name", "figure", "unit", "raw", "ratio", "goal", "ok", "raw is")
    lines = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in (1, 3, 4, 5) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    raw = number(row.raw) if row.raw else ""
    ratio = f"{row.ratio:.2f}" if row.ratio is not None else ""
    good = {None: "", True: "yes", False: "NO"}[row.good]
    return (row.name, number(row.figure), row.unit, raw, ratio, row.goal, good, row.raw_is)


def microseconds(call: Callable[[], object], *, calls: int = 40) -> float:
    """Return the best round's time of one call: the round that other programs disturbed least."""
    call()
    best = float("inf")
    for _ in range(_ROUNDS):
        gc.collect()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def seconds(run: Callable[[], object], *, rounds: int) -> float:
    """Return the shortest of several runs: the one that other programs disturbed least."""
    found = []
    for _ in range(rounds):
        gc.collect()
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def beside_copy(obj: object, calls: Mapping[str, Callable[[], object]], goals: Mapping[str, float]) -> list[Row]:
    """Time calls in microseconds; a goal holds for every row whose name begins with its key."""
    import orjson

    copy = microseconds(lambda: orjson.loads(orjson.dumps(obj)))
    return [
        Row(
            name=name,
            figure=microseconds(call),
            unit="µs",
            raw=copy,
            raw_is="JSON copy",
            at_most=next((goal for begin, goal in goals.items() if name.startswith(begin)), None),
        )
        for name, call in calls.items()
    ]
