"""How wide text is on a terminal, and how it is cut and wrapped to fit there."""

from __future__ import annotations

import textwrap
import unicodedata


def cells(text: str) -> int:
    """Return how many columns of a terminal a text without control characters takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text: str, columns: int) -> str:
    """Return the text, its end replaced by `…` where it is wider than so many columns."""
    if cells(text) <= columns:
        return text
    while text and cells(text) >= columns:
        text = text[:-1]
    return f"{text}…"


def hanging(text: str, columns: int | None, indent: int) -> str:
    """Return the text wrapped to so many columns, lines after the first indented; as it is where columns is None.

    The first line is taken to stand behind `indent` columns of other text. A word that is longer than a line is kept
    whole, so that it can be copied.
    """
    if columns is None or columns - indent < _NARROWEST:
        return text
    wrapped = [
        part
        for line in text.split("\n")
        for part in textwrap.wrap(line, columns - indent, break_long_words=False, break_on_hyphens=False) or [""]
    ]
    return ("\n" + " " * indent).join(wrapped)


_NARROWEST = 20
