"""Says the same thing seldom, however often it happens: what an attacker can cause must not fill a log.

Used by `syncline.server.connections.door` for its own words, and as a filter in front of the log of uvicorn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

_EVERY: Final = 60.0
_REMEMBERED: Final = 256


class Seldom:
    """Passes words on once a minute, with how often they were left out meanwhile."""

    def __init__(self, say: Callable[[str], None], now: Callable[[], float]) -> None:
        self._say = say
        self._now = now
        self._said: dict[str, tuple[float, int]] = {}

    def say(self, words: str) -> None:
        """Say something, unless it was said a moment ago."""
        if (left_out := self.may_say(words)) is not None:
            self._say(words if not left_out else f"{words} ({left_out} times more since this was last said)")

    def may_say(self, words: str) -> int | None:
        """Return how often words were left out since they were last said; None where they are left out now."""
        now = self._now()
        last, left_out = self._said.get(words, (now - _EVERY, 0))
        if now - last < _EVERY:
            self._said[words] = (last, left_out + 1)
            return None
        if len(self._said) >= _REMEMBERED:
            self._said.clear()
        self._said[words] = (now, 0)
        return left_out


class SeldomLogged(logging.Filter):
    """Lets a message of a log through once a minute; failures of our own code always pass."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._seldom = Seldom(lambda _words: None, now)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is logged."""
        return bool(record.exc_info) or self._seldom.may_say(str(record.msg)) is not None
