"""Notices when what could not be read can be read again: a kind that was forbidden, an API group that was down.

Run by `syncline.controller.controller`. While there is a gap nothing is pruned and no Application is taken down, and
the objects in it are Unknown. No object changes when a gap closes, so nothing else would wake the Applications that
wait.
"""

from __future__ import annotations

from collections.abc import Callable

from syncline.controller.destinations import Destinations
from syncline.controller.live import LiveCluster
from syncline.ports.clock import Clock

_EVERY = 5.0


class Gaps:
    """What cannot be read of each destination."""

    def __init__(self, destinations: Destinations, clock: Clock, on_closed: Callable[[str], None]) -> None:
        self._destinations = destinations
        self._clock = clock
        self._on_closed = on_closed
        self._known: dict[str, frozenset[str]] = {}

    async def run(self) -> None:
        """Look now and then, until cancelled."""
        while True:
            await self._clock.sleep(_EVERY)
            self.look()

    def look(self) -> None:
        """Tell of every destination of which more can be read than at the last look."""
        for known in self._destinations.known():
            place = self._destinations.opened(known.server)
            now = unread(place.live) if place is not None else frozenset()
            before, self._known[known.server] = self._known.get(known.server, frozenset()), now
            if place is not None and before - now:
                self._on_closed(known.server)


def unread(live: LiveCluster) -> frozenset[str]:
    """Return the kinds and API groups of a cluster that cannot be read."""
    return frozenset((*map(str, live.failures), *live.discovery.failed))
