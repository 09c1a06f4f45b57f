"""ApplicationSets as a subject of the runtime: what wakes one, and one pass.

Registered by `syncline.controller.controller` beside Applications. Several processes that share the work leave sets to
the one that holds shard 0: a set belongs to no cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncline.apimachinery import meta
from syncline.controller.app_key import APPLICATION
from syncline.controller.appsets.keys import APPLICATION_SET, AppSetKey, appset_key, tenant_of
from syncline.controller.appsets.reconcile import SetReconciler
from syncline.controller.appsets.repositories import Repositories
from syncline.controller.clusters.destinations import SECRET, Destinations
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.deliver.report import Reporter
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.runtime.shards import Shards
from syncline.controller.runtime.subject import LiveChange, News, Subject, Watch
from syncline.controller.world import World
from syncline.core.appset.changes import controller_of
from syncline.core.policy import namespaces
from syncline.core.policy.token_refs import SCM_CREDENTIALS
from syncline.model import cluster, names
from syncline.model.look_again import LookAgain

KINDS = frozenset({APPLICATION_SET})
"""Kinds of the home cluster that sets live on, whatever settings exclude."""
_GATHER = 0.3
"""Changes of a set's Applications within so many seconds are looked at together."""


class ApplicationSets(Subject[AppSetKey]):
    """Keeps Applications as their sets generate them. `live` is the view of the cluster that holds them."""

    name = "ApplicationSet"

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        destinations: Destinations,
        *,
        reporter: Reporter,
        shards: Shards | None = None,
    ) -> None:
        self.width = world.settings.application_sets.reconciliations
        self._world = world
        self._live = live
        self._shards = shards
        self._repositories = Repositories(world, live.index)
        self._reconciler = SetReconciler(world, live, destinations, self._repositories, reporter)

    def access_changed(self) -> None:
        """Read repositories again, with other credentials and keys."""
        self._repositories.forget()

    def watches(self) -> Sequence[Watch[AppSetKey]]:
        """Return what wakes sets: themselves, their Applications, clusters and projects."""
        apps = frozenset({APPLICATION})
        return (
            Watch(kinds=KINDS, keys=self._itself),
            Watch(kinds=apps, keys=self._owner, gather=_GATHER),
            Watch(kinds=apps, keys=self._owner, news=News.WRITTEN, gather=_GATHER),
            Watch(kinds=frozenset({PROJECT}), keys=lambda _change: self.keys(), gather=_GATHER),
            Watch(kinds=frozenset({SECRET}), keys=self._of_secret, gather=_GATHER),
        )

    def keys(self) -> list[AppSetKey]:
        """Return every set that we look after."""
        found = self._live.index.keys(APPLICATION_SET)
        return [AppSetKey(key.namespace, key.name) for key in found if self._permits(key.namespace)]

    def tenant_of(self, key: AppSetKey) -> str:
        """Return the project of a set: one whose generators ask a slow server holds up no other's."""
        return tenant_of(self._live.index.get(appset_key(key)) or {"metadata": {"namespace": key.namespace}})

    def is_ours(self, _key: AppSetKey) -> bool:
        """Whether this process holds the shard that sets belong to."""
        return self._shards is None or 0 in self._shards.held

    async def reconcile(self, key: AppSetKey) -> LookAgain:
        """Bring the Applications of a set to where it wants them."""
        return await self._reconciler.reconcile(key)

    def _permits(self, namespace: str) -> bool:
        """Whether sets of a namespace are looked at: of the control plane's, and of those that the operator lists."""
        settings = self._world.settings
        return namespace == settings.namespace or namespaces.listed(namespace, settings.application_sets.namespaces)

    def _itself(self, change: LiveChange) -> Iterable[AppSetKey]:
        return [AppSetKey(change.key.namespace, change.key.name)] if self._permits(change.key.namespace) else []

    def _owner(self, change: LiveChange) -> Iterable[AppSetKey]:
        owner = controller_of(change.obj)
        is_ours = owner is not None and owner.is_set and self._permits(change.key.namespace)
        return [AppSetKey(change.key.namespace, owner.name)] if owner is not None and is_ours else []

    def _of_secret(self, change: LiveChange) -> Iterable[AppSetKey]:
        """Return all for a cluster, to which any may deliver; for a token those that may name it."""
        namespace = change.key.namespace
        if namespace == self._world.settings.namespace and cluster.is_cluster_secret(change.obj):
            return self.keys()
        if meta.labels(change.obj).get(names.SECRET_TYPE) == SCM_CREDENTIALS:
            return [key for key in self.keys() if key.namespace == namespace]
        return ()
