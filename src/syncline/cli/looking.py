"""A look at Applications with the controller's own eyes, for commands that explain, compare or draw.

Reads the cluster once, renders sources as the controller would and asks the same engine; nothing is written.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from syncline import wiring
from syncline.apimachinery.keys import Object
from syncline.cli.options import customized_here
from syncline.core.assess import Assessment
from syncline.model import names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster

if TYPE_CHECKING:
    from syncline.controller.clusters.destinations import Destinations, Place
    from syncline.controller.deliver.observe import Observer
    from syncline.controller.live.cluster import LiveCluster
    from syncline.controller.world import World
    from syncline.model.desired import Desired
    from syncline.model.snapshot import Snapshot
    from syncline.ports.source import Accessible


class Otherwise(NamedTuple):
    """What to look at in place of what an Application says."""

    revisions: Mapping[str, Any] = MappingProxyType({})
    """`revision` or `revisions`, as an operation carries them."""
    desired: Desired | None = None
    server_side: bool = False


_AS_IS = Otherwise()


async def look(cluster: Cluster, namespace: str, app: Object, otherwise: Otherwise = _AS_IS) -> Assessment:
    """Return all that can be said about an Application right now, or if something were otherwise.

    The namespace is that of the installation, where its settings and clusters are.
    """
    async with looking(cluster, namespace) as eyes:
        return await eyes.assess(app["metadata"]["namespace"], app["metadata"]["name"], otherwise)


class Eyes:
    """What a command sees: the home cluster as it was read, and the clusters that Applications are delivered to."""

    def __init__(self, ports: World, live: LiveCluster, observer: Observer, destinations: Destinations) -> None:
        self.ports = ports
        self._live = live
        self._observer = observer
        self._destinations = destinations

    async def assess(self, namespace: str, name: str, otherwise: Otherwise = _AS_IS) -> Assessment:
        """Compare and assess one Application, or what it would be if something were otherwise; raises if it is gone."""
        from syncline.controller.deliver.reconcile import assess_with
        from syncline.controller.runtime.queue import AppKey

        desired = otherwise.desired
        if otherwise.revisions or otherwise.server_side:
            self._pretend(namespace, name, otherwise)
        snapshot = await self._observer.observe(AppKey(namespace, name))
        if snapshot is None:
            raise NeedsUser(f"Application {name} went away while it was read")
        if desired is not None:
            snapshot = await self._with(snapshot, desired)
        return await assess_with(snapshot, self.ports.evaluator)

    async def _with(self, snapshot: Snapshot, desired: Desired) -> Snapshot:
        """Return the snapshot with other desired objects, and what is live of them."""
        from syncline.controller.deliver.survey import survey
        from syncline.model import application

        app = application.parse(snapshot.app)
        place = await self._destinations.place(self._destinations.choose(app.spec.destination))
        seen = await survey(place, app, desired, self.ports.settings)
        return msgspec.structs.replace(snapshot, desired=desired, live=seen.live, schemas=seen.schemas, troubles=())

    async def place(self, assessment: Assessment) -> Place:
        """Return the cluster an Application is delivered to, with a client and what was read of it."""
        known = self._destinations.choose(assessment.app.spec.destination)
        return await self._destinations.place(known)

    def _pretend(self, namespace: str, name: str, otherwise: Otherwise) -> None:
        """Put the Application into our own view of the cluster as if somebody had asked for that."""
        from syncline.controller.deliver.observe import application_key
        from syncline.controller.live.index import version_of
        from syncline.controller.runtime.queue import AppKey

        obj = self._live.index.get(application_key(AppKey(namespace, name)))
        if obj is not None:
            metadata = {**obj["metadata"], "resourceVersion": str(version_of(obj) + 1)}
            if otherwise.server_side:
                annotations = dict(metadata.get("annotations") or {})
                options = [annotations[names.COMPARE_OPTIONS]] if annotations.get(names.COMPARE_OPTIONS) else []
                annotations[names.COMPARE_OPTIONS] = ",".join([*options, "ServerSideDiff=true"])
                metadata["annotations"] = annotations
            pretended = {**obj, "metadata": metadata}
            if otherwise.revisions:
                pretended["operation"] = {"sync": dict(otherwise.revisions)}
            self._live.index.put(pretended)


@asynccontextmanager
async def looking(cluster: Cluster, namespace: str) -> AsyncIterator[Eyes]:
    """Read the home cluster once, for the installation in a namespace."""
    from syncline.controller.clusters.destinations import Destinations
    from syncline.controller.deliver.observe import Observer
    from syncline.controller.live.cluster import LiveCluster
    from syncline.controller.live.interest import Interest
    from syncline.controller.settings import read_settings
    from syncline.controller.sources.desired import Sources

    settings = customized_here((await read_settings(cluster, namespace)).settings)
    ports = wiring.world(cluster, settings, _Silent(), ["/"])
    await use_access(cluster, namespace, ports.source, ports.charts)
    live = LiveCluster(cluster, ports.settings, ports.clock, on_change=lambda _obj: None)
    await live.load()
    sources = Sources(ports, lambda _key: None)
    interest = Interest()
    destinations = Destinations(ports, live, interest)
    try:
        yield Eyes(ports, live, Observer(ports, live, sources, interest, destinations), destinations)
    finally:
        await destinations.stop()
        await sources.stop()
        await ports.evaluator.close()


async def use_access(cluster: Cluster, namespace: str, *readers: object) -> None:
    """Let readers of sources use the credentials of an installation, as far as whoever asks may read them."""
    from syncline.controller.clusters.access import read_access

    access = await read_access(cluster, namespace)
    for reader in readers:
        if hasattr(reader, "use"):
            cast("Accessible", reader).use(access)


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing."""
