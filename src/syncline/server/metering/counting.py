"""Counts what the controller tells of its progress, for `/metrics`.

Put around the sink of a controller by `syncline.cli.run.session`; read by `syncline.server.metering.scraping`.
"""

from __future__ import annotations

from collections import Counter

from syncline.model.progress import Progress, SyncFinished
from syncline.ports.sink import Sink

_MOST = 50_000
"""Applications and phases that are counted; where there are more, counting begins again."""


class CountingSink:
    """Counts the operations that ended, and passes all progress on."""

    def __init__(self, inner: Sink) -> None:
        self._inner = inner
        self.ended: Counter[tuple[str, str]] = Counter()
        """By Application (`namespace/name`) and phase."""

    def emit(self, event: Progress) -> None:
        """Take notice of an event."""
        if isinstance(event, SyncFinished):
            if len(self.ended) >= _MOST:
                self.ended.clear()
            self.ended[event.app, event.phase] += 1
        self._inner.emit(event)
