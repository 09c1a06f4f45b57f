"""Finds the line of a change of files that makes a field of an object differ.

Handed the texts of the changed files by `syncline.api.preview`, asked by `syncline.core.preview.fields`. A line counts
where it says the new value (or part of it) and the line before did not: what a chart makes of a value is found that way
too. Where several lines could be it and none is better, only a file that stands alone is named.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from syncline.apimachinery.paths import FieldPath, KeyMatch
from syncline.model.errors import Place

_SCALAR = (str, int, float, bool)
_VALUE = re.compile(r"^[\s-]*(?:[\w./\"'-]+\s*:)?\s*(?P<value>.*?)\s*(?:\s#.*)?$")
_BRACES = re.compile(r"[{}\[\],]")
_MAX_LINES = 20_000


class Line(NamedTuple):
    """A line of one side of a changed file."""

    number: int
    text: str

    @property
    def key(self) -> str:
        """The key that it gives a value, without quotes."""
        return self.text.strip().removeprefix("- ").partition(":")[0].strip("\"'")

    @property
    def value(self) -> str:
        """What it says behind its key, without quotes."""
        found = _VALUE.match(self.text)
        return found["value"].strip("\"'") if found else ""

    @property
    def values(self) -> tuple[str, ...]:
        """What it says: one value, or those inside of braces or brackets."""
        said = self.value
        if not said.startswith(("{", "[")):
            return (said,)
        inner = (part.rpartition(": ")[2].strip().strip("\"'") for part in _BRACES.split(said))
        return (said, *filter(None, inner))


class ChangedFile(NamedTuple):
    """The lines of a file that are not on the other side."""

    removed: tuple[Line, ...]
    added: tuple[Line, ...]


ChangedLines = Mapping[str, ChangedFile]
"""Changed lines by file."""


def changed_lines(texts: Mapping[str, tuple[bytes, bytes]]) -> dict[str, ChangedFile]:
    """Return which lines differ between two versions of each file."""
    return {name: _compared(before, after) for name, (before, after) in texts.items()}


def _compared(before: bytes, after: bytes) -> ChangedFile:
    old = before.decode(errors="replace").splitlines()[:_MAX_LINES]
    new = after.decode(errors="replace").splitlines()[:_MAX_LINES]
    removed: list[Line] = []
    added: list[Line] = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            removed += [Line(number + 1, old[number]) for number in range(a, b)]
            added += [Line(number + 1, new[number]) for number in range(c, d)]
    return ChangedFile(tuple(removed), tuple(added))


class Search(NamedTuple):
    """The changed lines, and the files among them that an app reads."""

    lines: ChangedLines
    files: Sequence[str]

    def place(self, path: FieldPath, before: Any, after: Any, written: Place | None) -> Place | None:
        """Return the line that makes a field differ; `written` is where the object itself has it."""
        if written is not None and written.line and self._is_added(written):
            return written
        best: tuple[int, Place] | None = None
        for file in self.files:
            for score, line in _scored(self.lines[file], path, before, after):
                if best is None or score > best[0]:
                    best = score, Place(file, line.number)
        return best[1] if best is not None else self._only()

    def _is_added(self, place: Place) -> bool:
        found = self.lines.get(place.file)
        return found is not None and any(line.number == place.line for line in found.added)

    def _only(self) -> Place | None:
        """Return the one place that changed, where there is only one."""
        if len(self.files) != 1:
            return None
        found = self.lines[self.files[0]]
        lines = found.added or found.removed
        return Place(self.files[0], lines[0].number if len(lines) == 1 else 0)


def _scored(changed: ChangedFile, path: FieldPath, before: Any, after: Any) -> Iterable[tuple[int, Line]]:
    names = _names(path)
    for line in changed.added:
        if score := _score(line, names, after, before):
            yield score, line
    for line in changed.removed if after is None else ():
        if score := _score(line, names, before, after):
            yield score, line


def _score(line: Line, names: Sequence[str], value: Any, other: Any) -> int:
    """Return how well a line says a value that the other side does not have; 0 where it does not."""
    named = any(re.search(rf"\b{re.escape(name)}\b", line.text) for name in names)
    inside = isinstance(value, Mapping) and line.key in value
    best = max(_said(said, value, other, named=named) for said in line.values)
    return best + inside if best else 0


def _said(said: str, value: Any, other: Any, *, named: bool) -> int:
    scalar = isinstance(value, _SCALAR)
    text, elsewhere = _text(value), _text(other)
    if not said:
        return 1 if named and not scalar else 0
    if scalar and said == text:
        return 6 + named
    if said in text and (said not in elsewhere or not elsewhere) and len(said) > 1:
        return 4 + named
    if named and not scalar and said in text:
        return 2
    return 0


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(path: FieldPath) -> list[str]:
    """Return the words of a path that a line about it may have, the last first."""
    words = []
    for step in reversed(path.steps[-2:]):
        if isinstance(step, str):
            words.append(step)
        elif isinstance(step, KeyMatch):
            words += [str(value) for _, value in step.keys]
    return words


def read_by(changed: ChangedLines, inputs: Iterable[str]) -> tuple[str, ...]:
    """Return the changed files among files and folders that somebody has read."""
    read = [path.rstrip("/") for path in inputs]
    return tuple(
        name for name in sorted(changed) if any(path in ("", ".", name) or name.startswith(f"{path}/") for path in read)
    )
