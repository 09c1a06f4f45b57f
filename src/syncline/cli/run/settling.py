"""Waits until nothing changes any more: for whoever plays a story or proves a repository, in virtual time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.ports.clock import Clock

Statuses = Counter[tuple[str, str]]
_LOOK = 15.0
_STILL = 330.0
"""For how long the statuses stay the same before they count: a pull that failed is tried again after five minutes."""
_LONGEST = 3600.0


async def settled(statuses: Callable[[], Statuses], clock: Clock, *, still: float = _STILL) -> None:
    """Wait until the statuses of all apps have stayed the same for long enough, or an hour is over."""
    begun = since = clock.monotonic()
    before = statuses()
    while clock.monotonic() - since < still and clock.monotonic() - begun < _LONGEST:
        await clock.sleep(_LOOK)
        now = statuses()
        if now != before:
            before, since = now, clock.monotonic()


def status_of(app: Object) -> tuple[str, str]:
    """Return sync status and health of an Application."""
    status = app.get("status") or {}
    return str((status.get("sync") or {}).get("status", "")), str((status.get("health") or {}).get("status", ""))
