"""Counts the objects in an Application's namespace that belong to nobody, where its project wants to be warned of them.

Asked by `syncline.controller.deliver.observe` in every pass. An object that belongs to nobody wakes nobody either, so
the Applications that watch a namespace are remembered, and `syncline.controller.deliver.changes` asks who they are.
"""

from __future__ import annotations

from collections import defaultdict

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import AppKey
from syncline.controller.clusters.destinations import OpenDestination
from syncline.controller.world import World
from syncline.core.policy import orphans
from syncline.core.policy.bounds import Bounds


class Orphans:
    """The namespaces that are watched for orphans, and by whom."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._watchers: dict[tuple[str, str], set[AppKey]] = defaultdict(set)
        self._watched: dict[AppKey, tuple[str, str]] = {}

    def count(
        self,
        key: AppKey,
        place: OpenDestination,
        namespace: str,
        bounds: Bounds,
        managed: frozenset[ObjectKey],
    ) -> int:
        """Return how many objects belong to nobody, with those they own; 0 where nobody wants to know."""
        self.forget(key)
        rules = orphans.wanted(bounds.project.spec if bounds.project is not None else None)
        if rules is None or not namespace:
            return 0
        where = (place.known.server, namespace)
        self._watched[key] = where
        self._watchers[where].add(key)
        index = place.live.index
        found = orphans.roots(index.strays(namespace), managed, rules, index.excluded)
        shown = set(found) - bounds.denied(found)
        return len(index.with_descendants(shown, bounds.child_filter())) if shown else 0

    def forget(self, key: AppKey) -> None:
        """Stop watching on behalf of an Application."""
        where = self._watched.pop(key, None)
        if where is not None:
            self._watchers[where].discard(key)

    def watchers(self, server: str, namespace: str) -> frozenset[AppKey]:
        """Return the Applications that want to hear of anything in a namespace."""
        return frozenset(self._watchers.get((server, namespace), ()))
