"""Puts what Syncline needs into a cluster: CRDs, the control-plane namespace, the default project, Applications.

Used by `demo` and `up`. Applied with our own field manager; only what the user gave as files takes fields from others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from syncline.apimachinery.keys import Object, gvk_of
from syncline.model import crds, names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource, Cluster

MANAGER = "syncline-install"
_PATIENCE = 100


def default_project(namespace: str) -> Object:
    """Return the project every Application without one belongs to: everything is permitted."""
    return {
        "apiVersion": names.API_VERSION,
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }


async def missing(cluster: Cluster, namespace: str) -> list[Object]:
    """Return what would have to be created for Syncline to run."""
    needed = [
        *crds.all_crds(),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        default_project(namespace),
    ]
    return [obj for obj in needed if not await _exists(cluster, obj)]


async def create(cluster: Cluster, objects: Sequence[Object], *, force: bool = False) -> None:
    """Apply objects in order, waiting for each kind to be served; with `force` over fields that others applied."""
    for obj in objects:
        await cluster.apply(await _served(cluster, obj), obj, manager=MANAGER, force=force)


async def _exists(cluster: Cluster, obj: Object) -> bool:
    gvk = gvk_of(obj)
    resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
    metadata = obj["metadata"]
    return (
        resource is not None
        and await cluster.get(resource, metadata.get("namespace", ""), metadata["name"]) is not None
    )


async def _served(cluster: Cluster, obj: Object) -> ApiResource:
    gvk = gvk_of(obj)
    for _ in range(_PATIENCE):
        resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
        if resource is not None:
            return resource
        await asyncio.sleep(0.1)
    raise NeedsUser(f"{gvk} is not served by this cluster", hint="is its CRD installed?")
