"""The clusters an installation delivers to, as its Secrets describe them, and clients of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.nearest import instead
from syncline.controller.clusters.access import SECRETS
from syncline.controller.settings import read_settings
from syncline.model import cluster as clusters
from syncline.model import cluster_claims, names
from syncline.model.cluster import IN_CLUSTER, KnownCluster
from syncline.model.errors import InvalidSpec, NeedsUser
from syncline.model.settings.settings import Settings
from syncline.ports.kube import ApiResource, Cluster, Connector
from syncline.verbs.applications import MANAGER
from syncline.verbs.errors import InvalidRequest, NotFound

Connectors = Callable[[Settings], Connector]
"""Builds what opens clusters under the settings of an installation; `syncline.wiring.connector` is one."""


async def cluster_secrets(home: Cluster, namespace: str) -> tuple[ApiResource, list[Object]]:
    """Return how Secrets are served, and those that describe clusters."""
    resource = (await home.discover()).find(GroupKind("", "Secret"))
    if resource is None:
        raise NeedsUser("this cluster serves no Secrets")
    listed = await home.list(resource, namespace=namespace, label_selector=f"{names.SECRET_TYPE}=cluster")
    return resource, list(listed.items)


async def known_clusters(home: Cluster, namespace: str) -> tuple[list[KnownCluster], dict[str, str]]:
    """Return all clusters, the one with the Applications first, and the Secrets that cannot be read."""
    known, broken = [], {}
    for secret in (await cluster_secrets(home, namespace))[1]:
        try:
            known.append(clusters.parse_secret(secret))
        except InvalidSpec as error:
            broken[str(secret["metadata"]["name"])] = str(error)
    if not any(one.server == IN_CLUSTER.server for one in known):
        known.append(IN_CLUSTER)
    known.sort(key=lambda one: (one.server != IN_CLUSTER.server, one.server, bool(one.project), one.secret))
    return known, broken


async def put_cluster(home: Cluster, secret: Object, *, replace: bool, hint: str) -> None:
    """Store the Secret of a cluster; one that is there is replaced only where that was asked for.

    Names and addresses stay unique, and the name of the home cluster is nobody else's.
    """
    namespace, wanted = secret["metadata"]["namespace"], clusters.parse_secret(secret)
    known, _broken = await known_clusters(home, namespace)
    # Somebody may have written the Secret of this cluster by hand, under another name.
    same = (one for one in known if one.secret and (one.server, one.project) == (wanted.server, wanted.project))
    if present := next(same, None):
        secret = {**secret, "metadata": {**secret["metadata"], "name": present.secret}}
        wanted = clusters.parse_secret(secret)
    name = wanted.secret
    if refused := cluster_claims.refusal(wanted, known):
        raise InvalidRequest(refused)
    if (await home.get(SECRETS, namespace, name)) is None:
        await home.create(SECRETS, secret, manager=MANAGER)
        return
    if not replace:
        raise InvalidRequest("this cluster already exists", hint=hint)
    await home.replace(SECRETS, secret, manager=MANAGER)


async def remove_cluster(home: Cluster, namespace: str, secret: str) -> None:
    """Delete the Secret of a cluster."""
    await home.delete(SECRETS, namespace, secret, propagation="Background")


async def refresh_cluster(home: Cluster, namespace: str, secret: str, now: str) -> None:
    """Ask whoever keeps a copy of a cluster to read it again, as Argo CD is asked."""
    patch = {"metadata": {"annotations": {names.REFRESH: now}}}
    await home.patch(SECRETS, namespace, secret, patch, kind="merge", manager=MANAGER)


def chosen_cluster(known: list[KnownCluster], wanted: str) -> KnownCluster | None:
    """Return the cluster with this address, else the one with this name; those of no project come first."""
    ordered = sorted(known, key=lambda one: bool(one.project))
    by_server = (one for one in ordered if one.server == wanted.rstrip("/"))
    return next(by_server, None) or next((one for one in ordered if one.name == wanted), None)


def find_cluster(known: list[KnownCluster], wanted: str) -> KnownCluster:
    """Return the cluster with this name or address; raises a sentence that names those there are."""
    if found := chosen_cluster(known, wanted):
        return found
    raise NotFound(f"no cluster named {wanted}", hint=instead(wanted, [one.name for one in known]))


@asynccontextmanager
async def opened(home: Cluster, namespace: str, known: KnownCluster, connectors: Connectors) -> AsyncIterator[Cluster]:
    """Yield a client of a cluster, by the settings of an installation; that of the home cluster is the one given."""
    if known.server == IN_CLUSTER.server:
        yield home
        return
    settings = (await read_settings(home, namespace)).settings
    cluster = connectors(settings).connect(known)
    try:
        yield cluster
    finally:
        await cluster.close()
