"""Room for the bodies of webhooks: strangers may send them, and nothing proves who they are before the last byte.

Asked by the route of webhooks while it reads. A body of ordinary size always finds room; large ones share some, so that
however many come at the same time, the process stays as large as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from syncline.server.requests.failures import EXHAUSTED, Failure

ORDINARY: Final = 1024 * 1024
SHARED: Final = 100 * 1024 * 1024


class BodyRoom:
    """How much of the shared room is taken."""

    def __init__(self) -> None:
        self.taken = 0
        """In bytes, beyond what every body has."""

    @contextmanager
    def body(self) -> Iterator[Callable[[int], None]]:
        """Yield what is told the size of one body as it grows, and raises where there is no room for it."""
        mine = 0

        def grown(size: int) -> None:
            nonlocal mine
            more = max(0, size - ORDINARY) - mine
            if self.taken + more > SHARED:
                raise Failure(EXHAUSTED, "too many large webhooks at the same time", status=429)
            self.taken += more
            mine += more

        try:
            yield grown
        finally:
            self.taken -= mine
