"""Plain tables, as `argocd` and `kubectl` print them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


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
