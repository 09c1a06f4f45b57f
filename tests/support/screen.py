"""A small terminal: keeps what a person would see of text with colours, line feeds and movements of the cursor."""

from __future__ import annotations

import re

_PIECES = re.compile(r"\x1b\[(\d*(?:;\d+)*)([A-Za-z])|([\r\n])|([^\x1b\r\n])")


class Screen:
    """Lines of a fixed width that never scroll away; `rows` says how far the cursor can move up."""

    def __init__(self, columns: int, rows: int) -> None:
        self._columns = columns
        self._rows = rows
        self._lines: list[str] = [""]
        self._row = 0
        self._column = 0

    @property
    def text(self) -> str:
        """Everything that was ever shown and not replaced, from the first line on."""
        return "\n".join(line.rstrip() for line in self._lines).rstrip("\n")

    def write(self, text: str) -> None:
        """Obey what a program wrote, a line feed returning to the first column."""
        for number, command, movement, letter in _PIECES.findall(text):
            if letter:
                self._put(letter)
            elif movement:
                self._column = 0
                self._down(int(movement == "\n"))
            elif command == "A":
                top = max(0, len(self._lines) - self._rows)
                self._row = max(top, self._row - int(number or 1))
            elif command == "J":
                del self._lines[self._row + 1 :]
                self._lines[self._row] = self._lines[self._row][: self._column]
            elif command != "m":
                raise AssertionError(f"the program moves the cursor in a way nobody expects: {number}{command}")

    def _put(self, letter: str) -> None:
        if self._column == self._columns:
            self._column = 0
            self._down(1)
        line = self._lines[self._row].ljust(self._column)
        self._lines[self._row] = line[: self._column] + letter + line[self._column + 1 :]
        self._column += 1

    def _down(self, rows: int) -> None:
        self._row += rows
        if self._row == len(self._lines):
            self._lines.append("")
