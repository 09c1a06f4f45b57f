"""Where progress goes: the terminal, a stream, a log, a test's list.

The controller emits frozen events (`syncline.model.progress`); how they look is the receiver's business.
"""

from __future__ import annotations

from typing import Protocol

from syncline.model.progress import Progress


class Sink(Protocol):
    """Receives events in order. Must not block and must not raise."""

    def emit(self, event: Progress) -> None:
        """Take one event."""
        ...
