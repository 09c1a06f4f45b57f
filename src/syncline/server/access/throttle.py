"""Counts failed logins, so that nobody can guess: five within five minutes lock an account for as long.

Only accounts that exist are counted, so that no number of made-up names pushes one out. A guess counts before it is
checked, so that guesses at the same time do not pass the limit together. The counts are kept in a ConfigMap too: a
process that was made to restart begins with them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from syncline.apimachinery import times
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.server.access.kept_entries import KeptEntries

MOST: Final = 5
WINDOW: Final = 300.0
KEPT_IN: Final = "syncline-login-failures"


class Failures(msgspec.Struct, frozen=True):
    """How many guesses at an account failed in a row, and when the last one was."""

    count: int
    last: datetime


class Throttle:
    """The failed logins of all accounts."""

    def __init__(self, world: World, live: LiveCluster, say: Callable[[str], None]) -> None:
        self._world = world
        self._stored = KeptEntries(world, live, KEPT_IN, "a restart forgets failed logins", say)
        self._failed: dict[str, Failures] = {}

    def is_locked(self, name: str) -> bool:
        """Whether an account takes no guesses now."""
        found = self._known(name)
        return found is not None and found.count >= MOST

    def guess(self, name: str) -> None:
        """Count a guess, before it is checked."""
        found = self._known(name)
        self._failed[name] = Failures((found.count if found else 0) + 1, self._world.clock.now())

    async def failed(self, name: str) -> None:
        """Keep a guess that was wrong where a restart does not lose it."""
        await self._keep(name, self._failed.get(name))

    async def succeeded(self, name: str) -> None:
        """Forget the guesses at an account whose owner came."""
        had = self._kept(name) is not None
        self._failed.pop(name, None)
        if had:
            await self._keep(name, None)

    def _known(self, name: str) -> Failures | None:
        """Return the failures that count still, of this process and of those before it."""
        found = [one for one in (self._failed.get(name), self._kept(name)) if one is not None]
        now = self._world.clock.now()
        alive = [one for one in found if abs((now - one.last).total_seconds()) < WINDOW]
        return max(alive, key=lambda one: one.count, default=None)

    def _kept(self, name: str) -> Failures | None:
        count, _, last = str(self._stored.data().get(name, "")).partition(" ")
        try:
            return Failures(int(count), times.parse(last))
        except (ValueError, times.InvalidTime):
            return None

    async def _keep(self, name: str, found: Failures | None) -> None:
        text = f"{found.count} {times.format_time(found.last)}" if found is not None else None
        await self._stored.keep({name: text})
