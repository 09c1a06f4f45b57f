"""Many Applications on one screen: how many are well, and what the others wait for.

`syncline.cli.show.live_view` hands in the Applications as the cluster holds them, what it last heard of each, and the
size of the terminal, and draws the lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.printable import printable
from syncline.cli.show import terminal
from syncline.cli.show.columns import cells, cut
from syncline.cli.show.words import status_colour, sync_and_health
from syncline.core import glance

_WIDEST_NAME = 32
_GAP = "  "


class AppLine(NamedTuple):
    """One Application that is not Synced and Healthy."""

    name: str
    sync: str
    health: str
    words: str
    failing: bool


def overview(apps: Sequence[Object], heard: Mapping[str, str], *, columns: int, rows: int) -> list[str]:
    """Return the count, then the Applications that are not Synced and Healthy, failing ones first."""
    lines = sorted(
        (line for obj in apps if (line := _line(obj, heard)) is not None),
        key=lambda line: (not line.failing, line.name),
    )
    failing = sum(line.failing for line in lines)
    good = len(apps) - len(lines)
    head = f"{good} of {len(apps)} Synced and Healthy, {len(lines) - failing} waiting, {failing} failing"
    colour = "red" if failing else "yellow" if lines else "green"
    return [terminal.style(cut(head, columns), colour), *_body(lines, columns, max(rows - 1, 1))]


def _body(lines: Sequence[AppLine], columns: int, room: int) -> list[str]:
    more = len(lines) - room
    shown = lines[: room - 1] if more > 0 else lines
    names = min(max((cells(line.name) for line in shown), default=0), _WIDEST_NAME)
    body = [_drawn(line, names, columns) for line in shown]
    return [*body, cut(f"… and {len(lines) - len(shown)} more", columns)] if more > 0 else body


def _drawn(line: AppLine, names: int, columns: int) -> str:
    name = cut(line.name, names)
    parts = [name + " " * (names - cells(name)), line.sync.ljust(9), line.health.ljust(11)]
    taken = sum(map(cells, parts)) + len(_GAP) * len(parts)
    if taken > columns:
        return cut(_GAP.join(parts), columns)
    parts[1:] = [terminal.style(part, status_colour(part.strip()) or "white") for part in parts[1:]]
    return _GAP.join([*parts, cut(printable(" ".join(line.words.split())), columns - taken)])


def _line(obj: Object, heard: Mapping[str, str]) -> AppLine | None:
    name = meta.name(obj)
    sync, health = sync_and_health(obj)
    trouble = glance.trouble(obj)
    if trouble:
        return AppLine(name, sync, health, trouble, failing=True)
    if (sync, health) == ("Synced", "Healthy"):
        return None
    key = f"{meta.namespace(obj)}/{name}"
    return AppLine(name, sync, health, glance.waits(obj, heard.get(key, "")), failing=False)
