"""Finds the line and column of a field from its path.

`syncline.apimachinery.yaml.reader` fills an `Outline` with one mark per field and list item, in the order of the
text; a lookup walks the loaded value beside it, so nothing is built until somebody asks. The value has the
text's shape, save for two things that the outline notes: an alias has its children elsewhere, and a mapping with
`<<` has fields that stand elsewhere.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

Path = tuple[str | int, ...]

COLUMN_BITS = 32
_COLUMN_MASK = (1 << COLUMN_BITS) - 1


class Position(NamedTuple):
    """A place in a text; both numbers count from 1."""

    line: int
    column: int


_new_tuple = tuple.__new__
"""Makes a Position in half the time, and there is one for every field."""

Name = TypeVar("Name")


class Walk(Generic[Name]):
    """A walk over many places: how a place is named from the one above it and its own step, and what was found."""

    __slots__ = ("found", "join")

    def __init__(self, join: Callable[[Name, str | int], Name]) -> None:
        self.join = join
        self.found: list[tuple[Name, Position]] = []


class Outline:
    """The marks of one document; an entry is an index into them."""

    __slots__ = ("aliases", "ends", "layouts", "marks")

    def __init__(self) -> None:
        self.marks = array("Q")
        self.aliases: dict[int, int] = {}
        self.layouts: dict[int, dict[str | int, int]] = {}
        self.ends: dict[int, int] = {}

    def position(self, entry: int) -> Position:
        """Give the place of one entry."""
        return _place(self.marks[entry])

    def children(self, entry: int) -> int:
        """Give the entry at which the children of an entry start."""
        return self.aliases.get(entry, entry + 1)

    def entries(self, value: Any, start: int) -> Iterator[tuple[str | int, int]]:
        """Pair every field or index of a collection with its entry."""
        if start in self.layouts:
            yield from self.layouts[start].items()
            return
        entry = start
        for step, child in _items(value):
            yield step, entry
            entry += 1 + self._extent(child, entry)

    def find(self, value: Any, path: Path) -> tuple[int, int | None]:
        """Follow a path as far as it leads: the number of steps taken, and the entry reached."""
        start, reached = 0, None
        step: Any
        for taken, step in enumerate(path):
            if value.__class__ is not dict and value.__class__ is not list:
                return taken, reached
            layout = self.layouts.get(start)
            if layout is None:
                # Kept, so that asking for every item of a long list stays linear.
                layout = self.layouts[start] = dict(self.entries(value, start))
            entry = layout.get(step)
            if entry is None or entry >= len(self.marks):
                return taken, reached
            value, start, reached = value[step], self.children(entry), entry
        return len(path), reached

    def collect(self, value: Any, start: int, walk: Walk[Name], name: Name) -> int:
        """Note all places below a collection whose children start at an entry; return the entry after the last."""
        layout = self.layouts[start] if start in self.ends else None
        marks, aliases, join, note = self.marks, self.aliases, walk.join, walk.found.append
        entry = start
        for step, child in _items(value):
            if layout is not None:
                entry = layout[step]
            if entry >= len(marks):
                break
            below = join(name, step)
            note((below, _place(marks[entry])))
            entry += 1
            if child.__class__ is dict or child.__class__ is list:
                alias = aliases.get(entry - 1)
                if alias is None:
                    entry = self.collect(child, entry, walk, below)
                else:
                    self.collect(child, alias, walk, below)
        return entry if layout is None else self.ends[start]

    def _extent(self, value: Any, entry: int) -> int:
        """Count the marks between an entry and its next sibling."""
        if entry in self.aliases:
            return 0
        start = entry + 1
        if start in self.ends:
            return self.ends[start] - start
        following = start
        for _, child in _items(value):
            following += 1
            if child.__class__ is dict or child.__class__ is list:
                following += self._extent(child, following - 1)
        return following - start


def _place(mark: int) -> Position:
    return _new_tuple(Position, ((mark >> COLUMN_BITS) + 1, (mark & _COLUMN_MASK) + 1))


def _items(value: Any) -> Any:
    if value.__class__ is dict:
        return value.items()
    return enumerate(value) if value.__class__ is list else ()
