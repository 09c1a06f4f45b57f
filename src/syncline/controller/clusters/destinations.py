"""The clusters Applications are delivered to: which one an app means, a client of it, a live view of it.

Asked by `syncline.controller.deliver.observe` and `syncline.controller.deliver.reconcile`. The home cluster is always
there; others are described by Secrets in the control-plane namespace, opened when the first app needs them, and closed
when their Secret changes or goes. Each has its own connections and its own view, so one that is dead or slow concerns
its own apps only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from syncline import tasks
from syncline.apimachinery.keys import GroupKind, Object
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.live.scope import ViewScope
from syncline.controller.world import World
from syncline.model import cluster, cluster_claims, names
from syncline.model.application import Destination
from syncline.model.cluster import KnownCluster, UnreadableCluster
from syncline.model.errors import InvalidSpec
from syncline.ports.kube import Cluster, Connected

SECRET = GroupKind("", "Secret")
PROBE_SECONDS = 30.0
"""How often a cluster that only Secrets name is asked whether it still answers."""
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class OpenDestination:
    """One destination: what is known of it, a client, the live view and who wants to hear of which objects."""

    known: KnownCluster
    cluster: Cluster
    live: LiveCluster
    interest: Interest
    opened: Connected | None = None


@dataclass(frozen=True, slots=True)
class Listeners:
    """Whom to tell of changes, of our own writes, of a cluster that is away, back or closed, and of Events.

    Each gets the server first; `on_event` the object of which there is something new to read.
    """

    on_change: Callable[[str, Object], None]
    on_write: Callable[[str, Object], None]
    on_reach: Callable[[str, str], None]
    on_event: Callable[[str, Object], None]
    on_events_refused: Callable[[str, str], None]
    on_close: Callable[[str], None]


class Destinations:
    """All destinations of one controller. Without `listeners` a cluster is read once and not followed."""

    def __init__(self, world: World, home: LiveCluster, interest: Interest, listeners: Listeners | None = None) -> None:
        self._world = world
        self._home = home
        self._interest = interest
        self._listeners = listeners
        self._known: tuple[KnownCluster, ...] | None = None
        self._broken: tuple[UnreadableCluster, ...] = ()
        self._places: dict[str, OpenDestination] = {}
        self._turn = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()

    def known(self) -> tuple[KnownCluster, ...]:
        """Return every cluster that is described, by server; the home cluster is first unless it is switched off."""
        if self._known is None:
            self._known = self._read()
        return self._known

    def broken(self) -> tuple[UnreadableCluster, ...]:
        """Return the Secrets that cannot be read, and why."""
        self.known()
        return self._broken

    def choose(self, destination: Destination) -> KnownCluster:
        """Return the cluster a destination means; raises `InvalidSpec` in Argo CD's words."""
        settings = self._world.settings
        home = (names.IN_CLUSTER_SERVER, names.IN_CLUSTER_NAME)
        if not settings.in_cluster and (destination.server.rstrip("/") in home or destination.name in home):
            raise InvalidSpec(
                f'cluster "{destination.server or destination.name}" is disabled',
                hint="cluster.inClusterEnabled is false in argocd-cm",
            )
        try:
            return cluster.choose(destination, self.known())
        except InvalidSpec as error:
            raise self._explained(destination, error) from None

    def _explained(self, destination: Destination, error: InvalidSpec) -> InvalidSpec:
        """Return why a cluster is not known: its Secret may be there, and not be readable."""
        given = (destination.server.rstrip("/"), destination.name)
        for broken in self.broken():
            if (broken.server and broken.server == given[0]) or (broken.name and broken.name == given[1]):
                return InvalidSpec(broken.why, hint=f"fix the Secret {broken.secret}; nothing is delivered until then")
        nameless = [broken.secret for broken in self.broken() if not broken.server]
        if not nameless:
            return error
        return InvalidSpec(str(error), hint=f"cluster Secrets that cannot be read: {', '.join(sorted(nameless))}")

    async def place(self, known: KnownCluster) -> OpenDestination:
        """Return a destination, opened if it is the first time; raises `InvalidSpec` where it cannot be."""
        if known.server == names.IN_CLUSTER_SERVER:
            return OpenDestination(known, self._world.home, self._home, self._interest)
        async with self._turn:
            place = self._places.get(known.server)
            if place is not None and place.known != known:
                self._close(known.server)
                place = None
            if place is None:
                place = self._places[known.server] = self._open(known)
                if self._listeners is None:
                    await place.live.load()
                else:
                    await place.live.start(probe=PROBE_SECONDS)
        return place

    async def unread(self, place: OpenDestination) -> str:
        """Wait for a destination's first reading; return why it cannot be looked at, empty when it can."""
        if place.live is self._home or self._listeners is None:
            return place.live.unreachable
        missing = await place.live.settled(_PATIENCE)
        return place.live.unreachable or missing

    def opened(self, server: str) -> OpenDestination | None:
        """Return a destination that is open already."""
        if server == names.IN_CLUSTER_SERVER:
            return OpenDestination(cluster.IN_CLUSTER, self._world.home, self._home, self._interest)
        return self._places.get(server)

    def views(self) -> tuple[LiveCluster, ...]:
        """Return the live view of every open destination, the home cluster's first."""
        return (self._home, *(self._places[server].live for server in sorted(self._places)))

    def secret_changed(self) -> None:
        """Read the Secrets again when next asked; destinations that are no longer described so are closed."""
        self._known = None
        described = {known.server: known for known in self.known()}
        for server in [name for name, place in self._places.items() if described.get(name) != place.known]:
            self._close(server)

    async def stop(self) -> None:
        """Close all."""
        for server in list(self._places):
            self._close(server)
        await asyncio.gather(*self._closing, return_exceptions=True)

    def _read(self) -> tuple[KnownCluster, ...]:
        readable: list[KnownCluster] = []
        broken: list[UnreadableCluster] = []
        for secret in self._home.index.of_kind(SECRET, self._world.settings.namespace):
            if not cluster.is_cluster_secret(secret):
                continue
            try:
                known = cluster.parse_secret(secret)
            except InvalidSpec as error:
                broken.append(cluster.unreadable(secret, str(error)))
            else:
                readable.append(known)
        used, refused = cluster_claims.settled(readable)
        found = {known.server: known for known in used}
        broken += refused
        self._broken = tuple(sorted(broken, key=lambda one: one.secret))
        home = found.pop(names.IN_CLUSTER_SERVER, cluster.IN_CLUSTER)
        enabled = (home,) if self._world.settings.in_cluster else ()
        return (*enabled, *(found[server] for server in sorted(found)))

    def _open(self, known: KnownCluster) -> OpenDestination:
        if self._world.connector is None:
            raise InvalidSpec(f"cluster {known.name} cannot be reached from here: only in-cluster can")
        client = self._world.connector.connect(known)
        scope = ViewScope(known.server, known.namespaces, known.cluster_resources)
        told = self._listeners
        if told is None:
            live = LiveCluster(client, self._world.settings, self._world.clock, on_change=lambda _: None, scope=scope)
        else:
            live = LiveCluster(
                client,
                self._world.settings,
                self._world.clock,
                on_change=lambda obj: told.on_change(known.server, obj),
                on_write=lambda obj: told.on_write(known.server, obj),
                on_reach=lambda trouble: told.on_reach(known.server, trouble),
                on_event=lambda obj: told.on_event(known.server, obj),
                on_events_refused=lambda words: told.on_events_refused(known.server, words),
                scope=scope,
            )
        return OpenDestination(known, client, live, Interest(), client)

    def _close(self, server: str) -> None:
        place = self._places.pop(server)
        if self._listeners is not None:
            self._listeners.on_close(server)
        task = tasks.watch_over(_shut(place), name=f"close {server}")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _shut(place: OpenDestination) -> None:
    await place.live.stop()
    if place.opened is not None:
        await place.opened.close()
