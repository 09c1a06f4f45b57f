"""Counts what the server was asked, for `/metrics`: answers by route and status, and how long they took.

Told by `syncline.server.requests.dispatch`; read by `syncline.server.routes.metrics`. Bounded by the table of routes.
"""

from __future__ import annotations

from typing import Final

from syncline.server.requests.routing import Endpoint

BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of durations, in seconds."""


class Meter:
    """What was answered so far."""

    def __init__(self) -> None:
        self.answers: dict[tuple[str, str, int], int] = {}
        """How many answers there were, by method, path of the route and status."""
        self.durations: dict[tuple[str, str], list[int]] = {}
        """How many answers took at most as long as each bucket, by method and path; the last is all of them."""
        self.seconds: dict[tuple[str, str], float] = {}
        self.webhooks = {"inFlight": 0, "total": 0}

    def answered(self, endpoint: Endpoint, status: int, seconds: float) -> None:
        """Count one answer."""
        place = (endpoint.method, endpoint.path)
        self.answers[(*place, status)] = self.answers.get((*place, status), 0) + 1
        counts = self.durations.setdefault(place, [0] * (len(BUCKETS) + 1))
        for position, bound in enumerate(BUCKETS):
            if seconds <= bound:
                counts[position] += 1
        counts[-1] += 1
        self.seconds[place] = self.seconds.get(place, 0.0) + seconds
