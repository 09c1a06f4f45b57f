"""Tells when nothing moves any more: no verdict for a while, and nobody still waits for an answer.

Used by the players of cases (`fleet.py` here, `tests.support.rolling.playing`). Quiet alone is no rest: on a busy
machine a controller may take longer to begin than anybody waits.
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

from syncline.apimachinery.keys import Object
from syncline.ports.clock import Clock

REFRESH = "argocd.argoproj.io/refresh"


class Pace(NamedTuple):
    """How long to wait until nothing moves any more, and at most."""

    look: float
    quiet: float
    limit: float


class Look(NamedTuple):
    """What is to be seen now, and which Applications still wait for an answer, with what they wait for."""

    seen: Any
    waiting: dict[str, str]


def waiting(apps: Iterable[Object]) -> dict[str, str]:
    """Return the Applications that somebody has still to look at, or whose sync has yet to begin or to go on."""
    found = {app["metadata"]["name"]: _waits(app) for app in apps if not app["metadata"].get("deletionTimestamp")}
    return {name: what for name, what in found.items() if what}


def _waits(app: Object) -> str:
    status = app.get("status") or {}
    state = status.get("operationState") or {}
    if REFRESH in (app["metadata"].get("annotations") or {}):
        return "a refresh"
    if not (status.get("sync") or {}).get("status"):
        return "a first look"
    if app.get("operation") and state.get("phase") != "Running":
        return "the begin of a sync"
    if state.get("phase") == "Running" and "Retrying attempt" in str(state.get("message")):
        return "another attempt"
    return ""


async def settle(look: Callable[[], Awaitable[Look]], clock: Clock, pace: Pace) -> None:
    """Return once nobody waits and nothing has moved for a while; an operation that never ends may stand still too."""
    begun = last = clock.monotonic()
    before: Any = None
    while True:
        now = await look()
        if now.seen != before or now.waiting:
            before, last = now.seen, clock.monotonic()
        elif clock.monotonic() - last >= pace.quiet:
            return
        left = now.waiting or before
        assert clock.monotonic() - begun < pace.limit, f"no rest within {pace.limit:.0f} s: {left}"
        await clock.sleep(pace.look)
