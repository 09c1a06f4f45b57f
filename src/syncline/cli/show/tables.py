"""Plain tables, and the words in their cells, as `argocd` and `kubectl` print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from syncline.apimachinery import times
from syncline.cli.show import terminal
from syncline.cli.show.columns import cells, hanging
from syncline.cli.show.words import status_colour


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return columns as wide as their widest cell, two spaces apart; sync status and health in their colours."""
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(cells(line[column]) for line in lines) for column in range(len(header))]
    drawn = [_line(lines[0], widths), *(_line(line, widths, header) for line in lines[1:])]
    return "\n".join(drawn)


def _line(line: Sequence[str], widths: Sequence[int], header: Sequence[str] = ()) -> str:
    titles = header or [""] * len(line)
    shown = [_styled(cell) if title in _STATUSES else cell for cell, title in zip(line, titles, strict=True)]
    padded = (text + " " * (width - cells(cell)) for text, cell, width in zip(shown, line, widths, strict=True))
    return _GAP.join(padded).rstrip()


def _styled(words: str) -> str:
    """Return words that begin with a sync status or a health, that one in its colour."""
    first, space, rest = words.partition(" ")
    colour = status_colour(first.rstrip(":"))
    return f"{terminal.style(first, colour)}{space}{rest}" if colour else words


def fitting_columns(
    header: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None, expendable: Sequence[str]
) -> list[str]:
    """Return the columns of a table that fit on a terminal, those that are expendable left out first to last."""
    kept = list(header)
    widths = {title: max(cells(line[place]) for line in [header, *rows]) for place, title in enumerate(header)}
    for title in expendable:
        if columns is None or sum(widths[one] + len(_GAP) for one in kept) - len(_GAP) <= columns:
            break
        kept.remove(title)
    return kept


def only_columns(header: Sequence[str], rows: Iterable[Sequence[str]], kept: Sequence[str]) -> list[list[str]]:
    """Return the cells of some columns."""
    places = [header.index(title) for title in kept]
    return [[row[place] for place in places] for row in rows]


def table_with_words(header: Sequence[str], rows: Sequence[Sequence[str]], columns: int | None) -> str:
    """Return a table whose last column holds sentences: on a terminal they are wrapped, or stand below their row."""
    if columns is None:
        return table(header, rows)
    others = table(header[:-1], [row[:-1] for row in rows]).split("\n")
    taken = max(cells(terminal.plain(line)) for line in others) + len(_GAP)
    wide = max(cells(row[-1]) for row in [header, *rows])
    if columns - taken < min(wide, _ROOM_FOR_WORDS):
        below = [others[0]]
        for line, row in zip(others[1:], rows, strict=True):
            below += [line, *([_INDENT + hanging(row[-1], columns, len(_INDENT))] if row[-1] else [])]
        return "\n".join(below)
    return "\n".join(
        (line + " " * (taken - cells(terminal.plain(line))) + hanging(words, columns, taken)).rstrip()
        for line, words in zip(others, [header[-1], *(row[-1] for row in rows)], strict=True)
    )


def fields(pairs: Iterable[tuple[str, str]], columns: int | None = None) -> str:
    """Return `Name:               value` lines, long values wrapped where columns says how wide a terminal is."""
    return "\n".join(_field(name, value, columns) for name, value in pairs)


def _field(name: str, value: str, columns: int | None) -> str:
    words = hanging(value, columns, _NAMES)
    return f"{name + ':':<{_NAMES}}{_styled(words) if name in _STATUS_FIELDS else words}".rstrip()


_GAP = "  "
_INDENT = "    "
_NAMES = 20
_ROOM_FOR_WORDS = 30
_STATUSES = ("STATUS", "HEALTH")
_STATUS_FIELDS = ("Sync Status", "Health Status", "Operation", "Phase")


def age(time: str, now: datetime) -> str:
    """Return how long ago something was: `41s`, `12m`, `5h` or `3d`, the smaller unit up to twice the larger."""
    seconds = max(0, int((now - times.parse(time)).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
