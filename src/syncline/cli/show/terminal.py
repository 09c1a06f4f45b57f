"""The one place that prints: what the program says goes through `echo`, which lets no control character pass.

Called by every command. Colour is added here too, so that the only escape sequences that reach a terminal are the few
colours below and the movements of a `Region`: `style` marks a span with noncharacters of Unicode, and `echo` turns the
marks into colours once everything else is clean. Text that brings such marks itself gains a colour at most.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from syncline.apimachinery.printable import printable
from syncline.cli.show.columns import cells

_COLOURS = ("red", "green", "yellow", "blue", "white", "cyan", "magenta", "bright_black", "bold", "dim")
_FACES = ("bold", "dim")
# Noncharacters of Unicode: `printable` escapes those that are not part of a whole span.
_OPEN = {name: chr(0xFDD0 + index) for index, name in enumerate(_COLOURS)}
_NAMES = {mark: name for name, mark in _OPEN.items()}
_CLOSE = "\ufddf"
_SPAN = re.compile(f"([{''.join(_NAMES)}])([^{_CLOSE}]*){_CLOSE}")
_ERASE_BELOW = "\x1b[J"


def style(text: str, colour: str) -> str:
    """Return text that `echo` prints in a colour, bold or dim, where colours are shown."""
    return f"{_OPEN[colour]}{text}{_CLOSE}"


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text for people."""
    click.echo(coloured(text), err=err, nl=nl)


def echo_data(text: str, *, nl: bool = True) -> None:
    """Print JSON or YAML: exact for programs that read it, and safe where it goes to a terminal."""
    click.echo(printable(text) if sys.stdout.isatty() else text, nl=nl)


def echo_to(file: Path | None, text: str, *, data: bool = False) -> None:
    """Print text for people or programs, or write it to a file, which gets no colours."""
    if file is not None:
        file.write_text(f"{text if data else printable(plain(text))}\n", encoding="utf-8")
    elif data:
        echo_data(text)
    else:
        echo(text)


def coloured(text: str) -> str:
    """Return the text with only our own escape sequences in it."""
    parts = []
    end = 0
    for span in _SPAN.finditer(text):
        parts.append(printable(text[end : span.start()]))
        name = _NAMES[span.group(1)]
        shown = {name: True} if name in _FACES else {"fg": name}
        parts.append(click.style(printable(span.group(2)), **shown))
        end = span.end()
    parts.append(printable(text[end:]))
    return "".join(parts)


def plain(text: str) -> str:
    """Return text as it is seen, without what `style` put into it."""
    return _SPAN.sub(r"\2", text)


def size() -> os.terminal_size | None:
    """Return columns and rows of the terminal that standard output goes to; None where it goes elsewhere."""
    return shutil.get_terminal_size() if sys.stdout.isatty() else None


def columns() -> int | None:
    """Return how wide the terminal is that standard output goes to; None where it goes elsewhere."""
    found = size()
    return found.columns if found else None


class Region:
    """Lines at the bottom of the terminal that are replaced in place; whoever prints in between clears it first.

    Kept by whoever draws. Colours follow the same rule as those of `echo`.
    """

    def __init__(self) -> None:
        self._shown: list[str] = []

    def draw(self, lines: Sequence[str]) -> None:
        """Replace what is shown."""
        text = "".join(f"{coloured(line)}\n" for line in lines)
        if click.globals.resolve_color_default() is False:
            text = click.unstyle(text)
        self._write(self._back() + text)
        self._shown = [click.unstyle(coloured(line)) for line in lines]

    def clear(self) -> None:
        """Take the lines away; what is printed next stands in their place."""
        self._write(self._back())
        self._shown = []

    def _back(self) -> str:
        """Return what moves the cursor to the first line: a terminal made narrower has wrapped the lines meanwhile."""
        columns = shutil.get_terminal_size().columns
        rows = sum(max(1, -(-cells(line) // columns)) for line in self._shown)
        return f"\x1b[{rows}A\r{_ERASE_BELOW}" if rows else ""

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


class PassingLine:
    """One line on standard error that says how far something is, and goes when it is done; terminals alone see it."""

    def __init__(self) -> None:
        self._on = sys.stderr.isatty()
        self._shown = 0

    def show(self, text: str) -> None:
        """Put this in place of what is shown."""
        if self._on:
            clean = printable(text)
            sys.stderr.write(f"\r{clean.ljust(self._shown)}")
            sys.stderr.flush()
            self._shown = len(clean)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write(f"\r{' ' * self._shown}\r")
            sys.stderr.flush()
            self._shown = 0
