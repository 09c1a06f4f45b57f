"""A look at Applications with the controller's own view, for requests that explain, compare, draw or act on objects.

Reads the cluster once, renders sources as the controller would and asks the same engine; nothing is written. An
Application can be looked at as it is stored, or as it would be if something were overrides.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import cast

import msgspec

from syncline import turns
from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.controller.clusters.access import read_access
from syncline.controller.clusters.destinations import Destinations, OpenDestination
from syncline.controller.deliver.observe import Observer
from syncline.controller.deliver.reconcile import assess_with
from syncline.controller.deliver.survey import survey
from syncline.controller.diagnosis import views
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.settings import read_settings
from syncline.controller.sources.desired import DesiredSources
from syncline.controller.world import World
from syncline.core.assess import Assessment, AssessmentCache
from syncline.model import cluster as clusters
from syncline.model import codec, names
from syncline.model.desired import Desired
from syncline.model.fleet import FleetSnapshot
from syncline.model.layers import Layers
from syncline.model.operation import SyncOperation
from syncline.model.settings.settings import Settings
from syncline.model.snapshot import Snapshot
from syncline.ports.kube import Cluster, ClusterReader
from syncline.ports.source import Accessible

Worlds = Callable[[Cluster, Settings], World]
"""Builds the ports of one look at a cluster; `syncline.wiring.observer_ports` is one."""


class Overrides(msgspec.Struct, frozen=True, kw_only=True):
    """What to look at in place of what an Application says."""

    sync: SyncOperation | None = None
    """A sync that is looked at as if somebody had asked for it: its revisions count."""
    desired: Desired | None = None
    """Objects in place of those its sources make."""
    server_side: bool = False
    """Whether the server is asked what applying would change."""


_AS_IS = Overrides()


class Seen(msgspec.Struct, frozen=True):
    """An Application as it is now, and the cluster it is delivered to."""

    assessment: Assessment
    place: OpenDestination


class ClusterView:
    """What a request sees: the home cluster as it was read, and the clusters that Applications are delivered to."""

    def __init__(self, ports: World, home: LiveCluster, observer: Observer, destinations: Destinations) -> None:
        self.ports = ports
        self.home = home
        self._observer = observer
        self._destinations = destinations

    async def assess(self, app: Object, overrides: Overrides = _AS_IS) -> Assessment:
        """Compare and assess one Application, or what it would be if something were overrides."""
        with turns.working_for(str((app.get("spec") or {}).get("project") or "")):
            snapshot = await self._observer.observe(supposed(app, overrides))
            if overrides.desired is not None:
                snapshot = await self._with(snapshot, overrides.desired)
            return await assess_with(snapshot, self.ports.evaluator, AssessmentCache(prepared=self._observer.prepared))

    async def layers(self, assessment: Assessment) -> Layers:
        """Return which layers of its sources say what the objects of an Application are."""
        return await self._observer.layers(assessment.app, assessment.snapshot.desired)

    async def around(self, assessment: Assessment) -> FleetSnapshot:
        """Return the clusters in view, for whoever looks for causes outside of an Application."""
        return await views.around(self._destinations, assessment.snapshot)

    async def see(self, app: Object) -> Seen:
        """Return an Application with the cluster it is delivered to."""
        assessment = await self.assess(app)
        return Seen(assessment, await self.place(assessment))

    async def place(self, assessment: Assessment) -> OpenDestination:
        """Return the cluster an Application is delivered to, with a client and what was read of it."""
        return await self._destinations.place(self._destinations.choose(assessment.app.spec.destination))

    def cluster(self, server: str) -> ClusterReader | None:
        """Return the client of a cluster that is open."""
        place = self._destinations.opened(server)
        return place.cluster if place is not None else None

    def live_of(self, server: str) -> LiveCluster | None:
        """Return the live view of a cluster, where it is open."""
        place = self._destinations.opened(server)
        return place.live if place is not None else None

    async def _with(self, snapshot: Snapshot, desired: Desired) -> Snapshot:
        """Return the snapshot with other desired objects, and what is live of them."""
        app = self._observer.prepared.app(snapshot.app)
        place = await self._destinations.place(self._destinations.choose(app.spec.destination))
        seen = await survey(
            place, app, desired, self.ports.settings, self._observer.prepared, self._observer.bounds(app, place)
        )
        return msgspec.structs.replace(
            snapshot,
            desired=desired,
            live=seen.live,
            schemas=seen.schemas,
            unpermitted=seen.unpermitted,
            troubles=(),
        )


def supposed(app: Object, overrides: Overrides) -> Object:
    """Return the Application as it would be if something were overrides."""
    if overrides.server_side:
        metadata = app["metadata"]
        annotations = dict(metadata.get("annotations") or {})
        options = [annotations[names.COMPARE_OPTIONS]] if annotations.get(names.COMPARE_OPTIONS) else []
        annotations[names.COMPARE_OPTIONS] = ",".join([*options, "ServerSideDiff=true"])
        app = {**app, "metadata": {**metadata, "annotations": annotations}}
    if overrides.sync is not None:
        # A sync that runs is bound to revisions of its own, which would win over those asked for.
        status = {name: value for name, value in (app.get("status") or {}).items() if name != "operationState"}
        app = {**app, "operation": {"sync": codec.to_object(overrides.sync)}, "status": status}
    return app


async def look(
    cluster: Cluster, namespace: str, app: Object, worlds: Worlds, overrides: Overrides = _AS_IS
) -> Assessment:
    """Return all that can be said about an Application right now, or if something were overrides.

    The namespace is that of the installation, where its settings and clusters are.
    """
    async with looking(cluster, namespace, worlds) as view:
        return await view.assess(app, overrides)


@asynccontextmanager
async def looking(cluster: Cluster, namespace: str, worlds: Worlds) -> AsyncIterator[ClusterView]:
    """Read the home cluster once, for the installation in a namespace."""
    settings = (await read_settings(cluster, namespace)).settings
    ports = worlds(cluster, settings)
    await use_access(cluster, namespace, ports.source, ports.charts)
    live = LiveCluster(cluster, ports.settings, ports.clock, on_change=lambda _obj: None)
    await live.load()
    try:
        async with standing_view(ports, live) as view:
            yield view
    finally:
        await ports.evaluator.close()


@asynccontextmanager
async def standing_view(ports: World, live: LiveCluster) -> AsyncIterator[ClusterView]:
    """Look through a live view of the home cluster that somebody else keeps, for as long as the block lasts."""
    sources = DesiredSources(ports, lambda _key: None)
    interest = Interest()
    destinations = Destinations(ports, live, interest)
    observer = Observer(ports, live, sources, interest, destinations, only_looks=True)

    def changed(obj: Object) -> None:
        """Forget what rests on credentials that are others now."""
        if obj.get("kind") == "Secret" and meta.namespace(obj) == ports.settings.namespace:
            if clusters.is_cluster_secret(obj):
                destinations.secret_changed()
            elif meta.labels(obj).get(names.SECRET_TYPE):
                sources.access_changed()

    live.listeners.append(changed)
    try:
        yield ClusterView(ports, live, observer, destinations)
    finally:
        live.listeners.remove(changed)
        await destinations.stop()
        await sources.stop()


async def use_access(cluster: Cluster, namespace: str, *readers: object) -> None:
    """Let readers of sources use the credentials of an installation, as far as whoever asks may read them."""
    access = await read_access(cluster, namespace)
    for reader in readers:
        if hasattr(reader, "use"):
            cast("Accessible", reader).use(access)
