"""One YAML document: its value, and where each of its fields stands.

Made by `syncline.apimachinery.yaml.reader`, kept by whoever reports on fields. The value is shared with aliases
of the same anchor: nobody may mutate it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from syncline.apimachinery.yaml.positions import Name, Outline, Path, Position, Walk


class Document:
    """A document that is not empty; `index` counts such documents from 0, `line` is where its content starts."""

    __slots__ = ("_outline", "_start", "index", "value")

    def __init__(self, value: Any, *, index: int, start: Position, outline: Outline | Callable[[], Outline]) -> None:
        self.value = value
        self.index = index
        self._start = start
        self._outline = outline

    def __repr__(self) -> str:
        return f"Document(index={self.index}, line={self.line})"

    @property
    def line(self) -> int:
        """The line on which the document's content starts."""
        return self._start.line

    def position(self, path: Path) -> Position | None:
        """Give the place of a field's key or a list's item, or None if the path leads nowhere."""
        taken, entry = self._find(path)
        return self._place(entry) if taken == len(path) else None

    def position_or_parent(self, path: Path) -> Position:
        """Give the place of the field, or of the nearest field above it that exists."""
        return self._place(self._find(path)[1])

    def places(self) -> list[tuple[Path, Position]]:
        """Give every field and list item with its place, in the order of the value."""
        return self.named_places((), root=(), join=_longer)

    def named_places(
        self, path: Path, *, root: Name, join: Callable[[Name, str | int], Name]
    ) -> list[tuple[Name, Position]]:
        """Give all places below a path in one walk, each named by joining its step to the name of the one above it."""
        taken, entry = self._find(path)
        walk = Walk(join)
        if taken == len(path) and isinstance(self._outline, Outline):
            value = self.value
            for step in path:
                value = value[step]
            self._outline.collect(value, 0 if entry is None else self._outline.children(entry), walk, root)
        return walk.found

    def _find(self, path: Path) -> tuple[int, int | None]:
        if not isinstance(self._outline, Outline):
            self._outline = self._outline()
        return self._outline.find(self.value, path)

    def _place(self, entry: int | None) -> Position:
        if entry is None or not isinstance(self._outline, Outline):
            return self._start
        return self._outline.position(entry)


def _longer(path: Path, step: str | int) -> Path:
    return (*path, step)
