"""Takes messages of notifications to their receivers.

Implemented by `syncline.adapters.notify`; used by `syncline.controller.notify` and `syncline admin notifications`.
"""

from __future__ import annotations

from typing import Protocol

from syncline.model.notifications import Message


class NotDelivered(Exception):
    """A receiver did not take a message; the text says why, without credentials. With `again` it may do so later."""

    def __init__(self, words: str, *, again: bool = True, pause: float = 0.0) -> None:
        super().__init__(words)
        self.again = again
        self.pause = pause
        """Seconds that the receiver asked us to wait."""


class Messenger(Protocol):
    """Delivers messages, each once."""

    async def deliver(self, message: Message) -> None:
        """Hand a message over; raises `NotDelivered`."""
        ...
