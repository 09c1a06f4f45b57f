"""Which Applications there are, which of them are ours to look at, and where each is delivered to.

Asked by the other parts of the subject: `syncline.controller.deliver.applications` and
`syncline.controller.deliver.changes`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.clusters.destinations import Destinations
from syncline.controller.live.index import LiveIndex
from syncline.controller.world import World
from syncline.core.policy import namespaces
from syncline.model.application import Destination
from syncline.model.cluster import KnownCluster
from syncline.model.errors import InvalidSpec


class _Spec(msgspec.Struct):
    destination: Destination | None = None
    project: Any = None


class _Delivered(msgspec.Struct):
    """As much of an Application as says where it is delivered to, and for whom."""

    spec: _Spec | None = None


_KEPT = 100_000
"""Of so many Applications it is remembered where they are delivered to."""
_DELIVERED = msgspec.json.Decoder(_Delivered)


class Roster:
    """The Applications of the home cluster, as the live view has them."""

    def __init__(self, world: World, home: LiveIndex, destinations: Destinations) -> None:
        self._world = world
        self._home = home
        self._destinations = destinations
        self._clusters: dict[AppKey, tuple[int, KnownCluster | None, str]] = {}
        self._known: tuple[KnownCluster, ...] = ()

    def all(self) -> list[AppKey]:
        """Return every Application in a namespace that we look after."""
        found = self._home.keys(APPLICATION)
        return [AppKey(key.namespace, key.name) for key in found if self.permits(key.namespace)]

    def permits(self, namespace: str) -> bool:
        """Whether Applications of a namespace are looked at at all."""
        return namespaces.permitted(namespace, self._world.settings)

    def exists(self, key: AppKey) -> bool:
        """Whether an Application is there."""
        return application_key(key) in self._home

    def of_instance(self, instance: str) -> AppKey:
        """Return the Application that marks its objects so."""
        namespace, underscore, name = instance.partition("_")
        return AppKey(namespace, name) if underscore else AppKey(self._world.settings.namespace, instance)

    def cluster_of(self, key: AppKey) -> KnownCluster | None:
        """Return the cluster an Application is delivered to; None where it names none that is known.

        Asked whenever an app is put into a queue or taken out of it, so the answer is kept while neither the app nor
        the clusters change.
        """
        return self._looked_up(key)[1]

    def project_of(self, key: AppKey) -> str:
        """Return the project of an Application; kept as `cluster_of` is."""
        return self._looked_up(key)[2]

    def _looked_up(self, key: AppKey) -> tuple[int, KnownCluster | None, str]:
        known, version = self._destinations.known(), self._home.version(application_key(key))
        if known is not self._known or len(self._clusters) > _KEPT:
            self._known, self._clusters = known, {}
        kept = self._clusters.get(key)
        if kept is None or kept[0] != version or not version:
            kept = self._clusters[key] = (version, *self._chosen(key))
        return kept

    def _chosen(self, key: AppKey) -> tuple[KnownCluster | None, str]:
        project = ""
        try:
            found = self._home.part(application_key(key), _DELIVERED)
            spec = found.spec if found is not None else None
            project = str((spec and spec.project) or "")
            return self._destinations.choose((spec and spec.destination) or Destination()), project
        except (InvalidSpec, msgspec.ValidationError):
            return None, project

    def lane_of(self, key: AppKey) -> str:
        """Return the server an Application is delivered to; those that name none share a lane."""
        found = self.cluster_of(key)
        return found.server if found else ""
