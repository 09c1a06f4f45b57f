"""The one place that prints: what the program says goes through `echo`, which lets no control character pass.

Called by every command. Colour is added here too, so that the only escape sequences that reach a terminal are the few
colours below: `style` marks a span with noncharacters of Unicode, and `echo` turns the marks into colours once
everything else is clean. Text that brings such marks itself gains a colour at most.
"""

from __future__ import annotations

import re
import sys

import click

from syncline.apimachinery.printable import printable

_COLOURS = ("red", "green", "yellow", "blue", "white", "cyan", "magenta", "bright_black")
# Noncharacters of Unicode: `printable` escapes those that are not part of a whole span.
_OPEN = {name: chr(0xFDD0 + index) for index, name in enumerate(_COLOURS)}
_NAMES = {mark: name for name, mark in _OPEN.items()}
_CLOSE = "\ufddf"
_SPAN = re.compile(f"([{''.join(_NAMES)}])([^{_CLOSE}]*){_CLOSE}")


def style(text: str, colour: str) -> str:
    """Return text that `echo` prints in a colour, where colours are shown."""
    return f"{_OPEN[colour]}{text}{_CLOSE}"


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print text for people."""
    click.echo(coloured(text), err=err, nl=nl)


def echo_data(text: str, *, nl: bool = True) -> None:
    """Print JSON or YAML: exact for programs that read it, and safe where it goes to a terminal."""
    click.echo(printable(text) if sys.stdout.isatty() else text, nl=nl)


def coloured(text: str) -> str:
    """Return the text with only our own escape sequences in it."""
    parts = []
    end = 0
    for span in _SPAN.finditer(text):
        parts.append(printable(text[end : span.start()]))
        parts.append(click.style(printable(span.group(2)), fg=_NAMES[span.group(1)]))
        end = span.end()
    parts.append(printable(text[end:]))
    return "".join(parts)
