"""Plain tables, and the words in their cells, as `argocd` and `kubectl` print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from syncline.apimachinery import times


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return columns as wide as their widest cell, two spaces apart."""
    lines = [tuple(header), *(tuple(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def fields(pairs: Iterable[tuple[str, str]]) -> str:
    """Return `Name:               value` lines."""
    return "\n".join(f"{name + ':':<20}{value}".rstrip() for name, value in pairs)


def age(time: str, now: datetime) -> str:
    """Return how long ago something was: `41s`, `12m`, `5h` or `3d`, the smaller unit up to twice the larger."""
    seconds = max(0, int((now - times.parse(time)).total_seconds()))
    for size, unit in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= 2 * size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
