"""Sessions that somebody ended before their time: their tokens stay refused, also after a restart.

Kept in memory and in a ConfigMap of the installation, by a digest of the token's id and until the token expires by
itself, so that the list stays short; see docs/decisions/0013-ended-sessions.md. Asked for every request by
`syncline.server.access.tokens`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.server.access.kept_entries import KeptEntries
from syncline.server.requests.failures import UNAVAILABLE, Failure

KEPT_IN: Final = "syncline-ended-sessions"
AT_MOST: Final = 5_000
"""Entries of some sixty bytes each: well below what a ConfigMap holds."""


class Revoked:
    """The ended sessions, of this process and of those before it."""

    def __init__(self, world: World, live: LiveCluster, say: Callable[[str], None]) -> None:
        self._world = world
        self._stored = KeptEntries(world, live, KEPT_IN, "sessions that were ended are good again after a restart", say)
        self._ended: dict[str, int] = {}

    def __contains__(self, token_id: str) -> bool:
        """Whether the session of a token was ended."""
        name = _name(token_id)
        return name in self._ended or name in self._stored.data()

    async def add(self, token_id: str, until: float) -> None:
        """End a session, until its token would expire; 0 is for tokens that do not."""
        now = self._world.clock.now().timestamp()
        known = {**self._kept(), **self._ended}
        over = [name for name, end in known.items() if end and end < now]
        if len(known) - len(over) >= AT_MOST:
            raise Failure(UNAVAILABLE, "too many sessions were ended of late", hint="let this one expire")
        self._ended = {name: end for name, end in self._ended.items() if not end or end >= now}
        # A second more, so that the entry never goes before the token does.
        name, end = _name(token_id), int(until) + 1 if until else 0
        self._ended[name] = end
        await self._stored.keep({name: str(end), **dict.fromkeys(over)})

    def _kept(self) -> dict[str, int]:
        return {str(name): int(end) for name, end in self._stored.data().items() if str(end).isdecimal()}


def _name(token_id: str) -> str:
    return hashlib.sha256(token_id.encode()).hexdigest()[:40]
