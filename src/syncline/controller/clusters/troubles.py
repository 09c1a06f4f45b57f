"""Says which clusters are away and which cluster Secrets cannot be read, and when that is over.

Told by `syncline.controller.controller`; the words go where troubles of Applications go, under the name `/cluster`.
"""

from __future__ import annotations

from collections.abc import Callable

from syncline.controller.clusters.destinations import Destinations
from syncline.model import names

_CLUSTER = "/cluster"
"""Stands for the cluster itself where progress names an Application; others add their name."""
_WARNINGS = "/warnings"
"""Stands for the Events we read."""


class ClusterTroubles:
    """What is wrong with clusters right now. `tell` is given a name and words; no words where all is well."""

    def __init__(self, destinations: Destinations, tell: Callable[[str, str], None]) -> None:
        self._destinations = destinations
        self._tell = tell
        self._unreadable: dict[str, str] = {}

    def secrets_changed(self) -> None:
        """Say which cluster Secrets cannot be read, and when one can be again."""
        before, self._unreadable = self._unreadable, {one.secret: one.why for one in self._destinations.broken()}
        for secret in sorted({*before, *self._unreadable}):
            self._tell(f"{_CLUSTER}/{secret}", self._unreadable.get(secret, ""))

    def events_refused(self, server: str, words: str) -> None:
        """Say that Events of a cluster may not be read, or may be again; nothing else depends on them."""
        self._tell(_WARNINGS + self._suffix(server), words and f"health is assessed without Events: {words}")

    def reached(self, server: str, trouble: str) -> None:
        """Say that a cluster is away, or back."""
        self._tell(_CLUSTER + self._suffix(server), trouble)

    def _suffix(self, server: str) -> str:
        place = self._destinations.opened(server)
        return "" if server == names.IN_CLUSTER_SERVER or place is None else f"/{place.known.name}"
