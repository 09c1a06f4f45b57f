"""Progress of many Applications on a terminal: an overview that is redrawn in place, failures as lines above it.

The sink of `demo` and `up` on a terminal, kept by `syncline.cli.run.session`. With few Applications it prints the same
lines as `syncline.cli.show.story`; with many those would scroll by faster than anybody reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.cli.show import terminal
from syncline.cli.show.overview import overview
from syncline.cli.show.story import Story, lines
from syncline.model.progress import ObjectChanged, Progress, StatusChanged, SyncFinished, TroubleReported

FEW = 10
"""With so many Applications every event is a line."""
_PAUSE = 0.25
_PAUSE_EACH = 0.001
"""Seconds between two overviews for each Application: drawing looks at all of them, and must not hold up the work."""


class LiveView:
    """Prints events, and draws the overview as soon as there are many Applications."""

    def __init__(self, apps: Callable[[], Sequence[Object]]) -> None:
        self._apps = apps
        self._story = Story()
        self._region = terminal.Region()
        self._heard: dict[str, str] = {}
        self._drawn: list[str] = []
        self._many = False

    def emit(self, event: Progress) -> None:
        """Print what matters; remember the rest for the overview."""
        self._many = self._many or len(self._apps()) > FEW
        self._heard[event.app] = _words(event)
        if not self._many or is_important(event):
            self.clear()
            self._story.emit(event)

    def clear(self) -> None:
        """Make room for something else that is printed; the overview comes back below it."""
        if self._drawn:
            self._region.clear()
            self._drawn = []

    async def keep_drawing(self) -> None:
        """Draw until cancelled; the last overview stays on the terminal."""
        try:
            while True:
                count = self._draw()
                await asyncio.sleep(max(_PAUSE, count * _PAUSE_EACH))
        finally:
            self._draw()

    def _draw(self) -> int:
        """Draw what changed; return how many Applications there are."""
        apps, size = self._apps(), terminal.size()
        self._many = self._many or len(apps) > FEW
        if size is None or not self._many:
            return len(apps)
        names = {f"{meta.namespace(obj)}/{meta.name(obj)}" for obj in apps}
        self._heard = {name: words for name, words in self._heard.items() if name in names}
        # The last column and row stay free: what fills them makes some terminals wrap or scroll.
        found = overview(apps, self._heard, columns=size.columns - 1, rows=size.lines - 2)
        if found != self._drawn:
            self._region.draw(found)
            self._drawn = found
        return len(apps)


def _words(event: Progress) -> str:
    """Return an event for the overview, which shows the status itself."""
    if isinstance(event, StatusChanged):
        return event.message
    return "; ".join(text for _mark, _colour, text in lines(event))


def is_important(event: Progress) -> bool:
    """Whether an event is told even where there are too many to tell all."""
    match event:
        case ObjectChanged():
            return event.failed
        case SyncFinished():
            return event.phase != "Succeeded"
        case StatusChanged():
            return event.health == "Degraded" != event.previous_health
        case TroubleReported():
            return True
    return False
