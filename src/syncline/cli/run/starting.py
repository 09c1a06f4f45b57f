"""Waits for an API server that is there but cannot answer yet, and says so.

Used by `up` and `controller` around everything they ask before the controller runs; from then on the controller asks
again by itself. A server that starts, restarts or is overloaded answers 429, 500 or 503 for a while.
"""

from __future__ import annotations

from asyncio import sleep
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from syncline.cli.show import terminal
from syncline.ports.kube import ApiError

T = TypeVar("T")
_PASSING: Final = frozenset({429, 500, 502, 503, 504})
_FIRST: Final = 1.0
_LONGEST: Final = 30.0


async def until_answered(ask: Callable[[], Awaitable[T]]) -> T:
    """Return what `ask` returns; it is called again for as long as the server only says that it cannot answer now."""
    pause = _FIRST
    while True:
        try:
            return await ask()
        except ApiError as error:
            if error.code not in _PASSING:
                raise
            words = f"the API server answers {error.code} ({error.message}); trying again in {pause:g} s"
            terminal.echo(words, err=True)
        await sleep(pause)
        pause = min(pause * 2, _LONGEST)
