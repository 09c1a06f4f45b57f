"""Which Applications a change concerns: the watches of the subject, and how each maps to keys.

Declared to `syncline.controller.runtime.runtime` by `syncline.controller.deliver.applications`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncline.apimachinery.keys import GroupKind
from syncline.controller.app_key import APPLICATION, AppKey
from syncline.controller.clusters.destinations import SECRET, Destinations, OpenDestination
from syncline.controller.deliver.attention import Attention
from syncline.controller.deliver.causes import KnownCauses
from syncline.controller.deliver.lookout import Lookout
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.deliver.orphans import Orphans
from syncline.controller.deliver.roster import Roster
from syncline.controller.runtime.subject import LiveChange, News, Watch, Where
from syncline.controller.world import World
from syncline.model import cluster, names
from syncline.model.published import KIND as DIAGNOSIS

APPLICATION_SET = GroupKind(names.GROUP, "ApplicationSet")
KINDS = frozenset({APPLICATION, PROJECT})
"""Kinds of the home cluster that Applications live on, whatever settings exclude."""
_GATHER = 0.1
"""Changes of managed objects within so many seconds are looked at together."""
_GATHER_GENERATED = 1.0
"""So are those of generated Applications, for the app that delivers their set: it looks at all of them each time."""
_GATHER_EVENTS = 2.0
"""So are Events, longer: a crashing pod brings many, and they explain what was seen already."""


class Changes:
    """Maps changes to Applications."""

    def __init__(
        self,
        world: World,
        roster: Roster,
        destinations: Destinations,
        lookout: Lookout,
        orphans: Orphans,
        attention: Attention,
        causes: KnownCauses,
    ) -> None:
        self._world = world
        self._roster = roster
        self._destinations = destinations
        self._lookout = lookout
        self._orphans = orphans
        self._attention = attention
        self._causes = causes

    def watches(self) -> tuple[Watch[AppKey], ...]:
        """Return every reason to look at an Application that a cluster tells."""
        apps, told = frozenset({APPLICATION}), frozenset({DIAGNOSIS})
        ours = frozenset({APPLICATION, APPLICATION_SET})
        return (
            Watch(kinds=apps, keys=self._itself),
            Watch(kinds=frozenset({PROJECT}), keys=lambda _change: self._roster.all()),
            Watch(kinds=frozenset({SECRET}), keys=self._of_cluster_secret),
            Watch(keys=self._concerned, where=Where.ANYWHERE, gather=_GATHER),
            Watch(kinds=ours, keys=self._parents, where=Where.ANYWHERE, news=News.WRITTEN, gather=_GATHER),
            Watch(kinds=apps, keys=self._above, where=Where.ANYWHERE, news=News.WRITTEN, gather=_GATHER_GENERATED),
            Watch(kinds=told, keys=lambda _change: self._permitted(self._causes.stirred())),
            Watch(kinds=told, keys=lambda _change: self._permitted(self._causes.stirred()), news=News.WRITTEN),
            Watch(keys=self._warned, where=Where.ANYWHERE, news=News.WARNED, gather=_GATHER_EVENTS),
        )

    def _itself(self, change: LiveChange) -> Iterator[AppKey]:
        if self._roster.permits(change.key.namespace):
            app = AppKey(change.key.namespace, change.key.name)
            self._lookout.heard_of(app)
            self._attention.heard(app, change.obj)
            yield app

    def _of_cluster_secret(self, change: LiveChange) -> Iterable[AppKey]:
        """Return all: any of them may name the cluster that a Secret describes."""
        ours = change.key.namespace == self._world.settings.namespace
        return self._roster.all() if ours and cluster.is_cluster_secret(change.obj) else ()

    def _concerned(self, change: LiveChange) -> Iterable[AppKey]:
        """Return those that own an object or what owns it, that desire it, or that watch its namespace for orphans."""
        place = self._destinations.opened(change.server)
        if place is None:
            return ()
        watchers = self._orphans.watchers(change.server, change.key.namespace)
        others = sorted(place.interest.apps(change.key) | watchers)
        return self._permitted((*self._owners(place, change), *others))

    def _warned(self, change: LiveChange) -> Iterable[AppKey]:
        """Return those that own an object which a new Event is about, or that desire it."""
        place = self._destinations.opened(change.server)
        if place is None:
            return ()
        return self._permitted((*self._owners(place, change), *sorted(place.interest.apps(change.key))))

    def _parents(self, change: LiveChange) -> Iterable[AppKey]:
        """Return the app that delivers an Application or set which we wrote to."""
        place = self._destinations.opened(change.server)
        instance = "" if place is None else place.live.index.instance_of(change.key)
        return self._permitted([self._roster.of_instance(instance)]) if instance else ()

    def _above(self, change: LiveChange) -> Iterable[AppKey]:
        """Return those that deliver what owns an Application which we wrote to."""
        place = self._destinations.opened(change.server)
        return () if place is None else self._permitted(self._owners(place, change))

    def _owners(self, place: OpenDestination, change: LiveChange) -> list[AppKey]:
        return [self._roster.of_instance(one) for one in sorted(place.live.index.instances_above(change.obj))]

    def _permitted(self, apps: Iterable[AppKey]) -> list[AppKey]:
        return [app for app in apps if self._roster.permits(app.namespace)]
