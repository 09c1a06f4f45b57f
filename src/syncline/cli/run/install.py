"""Puts what Syncline needs into a cluster: CRDs, the control-plane namespace, the default project, Applications.

Used by `demo`, `up` and `install`. Applied with our own field manager; fields of others are taken only for files that
the user named, and for what `syncline install` made before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from syncline.apimachinery.keys import Object, gvk_of
from syncline.cli.show import terminal
from syncline.model import crds
from syncline.model.default_project import default_project
from syncline.model.errors import NeedsUser
from syncline.model.published_crd import diagnosis_crd
from syncline.ports.kube import ApiError, ApiResource, Cluster

MANAGER = "syncline-install"
_PATIENCE = 100
_DENIED = 403


async def missing(cluster: Cluster, namespace: str, more: Sequence[Object] = ()) -> list[Object]:
    """Return what would have to be created for Syncline to run, and of what else should be there."""
    needed = [
        *crds.all_crds(),
        diagnosis_crd(),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
        default_project(namespace),
        *more,
    ]
    return [obj for obj in needed if not await exists(cluster, obj)]


def for_argocd_cli(namespace: str) -> list[Object]:
    """Return what the command line of Argo CD looks for before it answers with --core; for sandboxes alone.

    It wants its settings, and a ready repo-server that it can forward a port to, although it asks it nothing for
    `app list` and `app get`. Nothing answers there: whoever asks it to render is told so.
    """
    part = {"app.kubernetes.io/part-of": "argocd"}
    told = "Syncline renders itself; this pod is here for `argocd --core`, and nothing answers on its ports"
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "in-place-of-argocd-repo-server",
            "namespace": namespace,
            "labels": {**part, "app.kubernetes.io/name": "argocd-repo-server"},
            "annotations": {"sandbox.syncline.io/simulated": told},
        },
        "spec": {"containers": [{"name": "nothing", "image": "sandbox.syncline.io/nothing:1"}]},
    }
    settings: list[Object] = [
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace, "labels": part}}
        for kind, name in (("ConfigMap", "argocd-cm"), ("ConfigMap", "argocd-rbac-cm"), ("Secret", "argocd-secret"))
    ]
    return [*settings, pod]


async def create(cluster: Cluster, objects: Sequence[Object], *, force: bool = False) -> None:
    """Apply objects in order, waiting for each kind to be served; with `force` over fields that others applied."""
    for obj in objects:
        try:
            await cluster.apply(await served(cluster, obj), obj, manager=MANAGER, force=force)
        except ApiError as error:
            if error.code != _DENIED or obj["metadata"]["name"] != diagnosis_crd()["metadata"]["name"]:
                raise
            # Deliveries do not depend on it.
            terminal.echo(f"no diagnosis is published: {error}", err=True)


async def exists(cluster: Cluster, obj: Object) -> bool:
    """Whether an object is there; one of a kind that is not served is not."""
    gvk = gvk_of(obj)
    resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
    metadata = obj["metadata"]
    return (
        resource is not None
        and await cluster.get(resource, metadata.get("namespace", ""), metadata["name"]) is not None
    )


async def served(cluster: Cluster, obj: Object) -> ApiResource:
    """Return the resource of an object's kind, once the cluster serves it."""
    gvk = gvk_of(obj)
    for _ in range(_PATIENCE):
        resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
        if resource is not None:
            return resource
        await asyncio.sleep(0.1)
    raise NeedsUser(f"{gvk} is not served by this cluster", hint="is its CRD installed?")
