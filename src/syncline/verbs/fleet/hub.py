"""Reads a whole fleet from one place: the cluster with the Applications, and the clusters they are delivered to.

Called by the command line. Other clusters are reached with the caller's own kubeconfig, by the address that
Applications name; one that no context leads to stands in the snapshot as not read. Nothing is installed anywhere, and
the Secrets in which Argo CD keeps its own access are left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager

import msgspec

from syncline.apimachinery.keys import Object, key_of
from syncline.model import names
from syncline.model.errors import SynclineError
from syncline.model.fleet import ClusterSnapshot, FleetSnapshot
from syncline.ports.kube import ClusterReader
from syncline.verbs.fleet.reading import APPLICATION, ClusterRead, Wish, drifted, read_cluster

_AT_ONCE = 3
_HOME = (names.IN_CLUSTER_SERVER, names.IN_CLUSTER_NAME)

Reach = Callable[[str], AbstractAsyncContextManager[ClusterReader]]
"""Opens the cluster of a kubeconfig context."""


class Contexts(msgspec.Struct, frozen=True):
    """What a kubeconfig leads to: contexts by the address of their server, and by name; and how one is reached."""

    by_server: Mapping[str, str]
    reach: Reach


class FleetWish(msgspec.Struct, frozen=True, kw_only=True):
    """Which fleet: the names of its home, and what is read of it."""

    name: str
    server: str
    as_of: str
    namespaces: tuple[str, ...] = ()
    secret_metadata: bool = False


class FleetRead(msgspec.Struct, frozen=True):
    """A fleet, and with how many requests it was read."""

    snapshot: FleetSnapshot
    requests: int = 0


async def read_fleet(home: ClusterReader, wish: FleetWish, contexts: Contexts) -> FleetRead:
    """Read the home cluster, then all others at once."""
    first = await read_cluster(
        home,
        Wish(
            name=wish.name,
            server=wish.server or names.IN_CLUSTER_SERVER,
            namespaces=wish.namespaces,
            secret_metadata=wish.secret_metadata,
        ),
    )
    apps = [obj for obj in first.snapshot.objects if key_of(obj).group_kind == APPLICATION]
    turn = asyncio.Semaphore(_AT_ONCE)
    elsewhere = _elsewhere(apps, wish.server)
    others = await asyncio.gather(*(_other(place, elsewhere[place], wish, contexts, turn) for place in elsewhere))
    reads = [first, *others]
    snapshot = FleetSnapshot(
        as_of=wish.as_of, origin=f"context {wish.name}", clusters=tuple(one.snapshot for one in reads)
    )
    return FleetRead(snapshot, sum(one.requests for one in reads))


def _elsewhere(apps: Iterable[Object], home: str) -> dict[str, list[Object]]:
    """Return the Applications of each cluster that is not the home, by its address, or its name where that is all."""
    found: dict[str, list[Object]] = {}
    for app in apps:
        destination = (app.get("spec") or {}).get("destination") or {}
        place = str(destination.get("server") or destination.get("name") or "").rstrip("/")
        if place and place not in (*_HOME, home):
            found.setdefault(place, []).append(app)
    return dict(sorted(found.items()))


async def _other(
    place: str, apps: list[Object], wish: FleetWish, contexts: Contexts, turn: asyncio.Semaphore
) -> ClusterRead:
    is_address = "://" in place
    context = contexts.by_server.get(place, "") if is_address else place
    if not context or (not is_address and context not in contexts.by_server.values()):
        return _unread(place, "no context of the kubeconfig reaches it")
    known = Wish(
        name=context if is_address else place,
        server=place if is_address else "",
        namespaces=wish.namespaces,
        secret_metadata=wish.secret_metadata,
        drifted=frozenset(drifted(apps)),
    )
    async with turn:
        try:
            async with contexts.reach(context) as cluster:
                return await read_cluster(cluster, known)
        except SynclineError as error:
            return _unread(place, str(error))


def _unread(place: str, problem: str) -> ClusterRead:
    server = place if "://" in place else ""
    return ClusterRead(ClusterSnapshot(name=place, server=server, problem=problem))
