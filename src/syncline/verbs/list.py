"""Finds the Applications of a namespace, or of a whole installation, by labels and by what their specs say."""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import Object
from syncline.controller.settings import read_settings
from syncline.core.policy import namespaces
from syncline.ports.kube import Cluster
from syncline.verbs.applications import StoredApplication, application_resource


class ListRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which Applications are wanted; empty fields want all."""

    selector: str = ""
    projects: tuple[str, ...] = ()
    repo: str = ""
    cluster: str = ""
    path: str = ""

    def matches(self, obj: Object) -> bool:
        """Whether an Application is wanted; the selector is left to the API server."""
        spec = obj.get("spec") or {}
        destination = spec.get("destination") or {}
        sources = spec.get("sources") or [spec.get("source") or {}]
        return (
            (not self.projects or (spec.get("project") or "default") in self.projects)
            and (not self.repo or any(item.get("repoURL") == self.repo for item in sources))
            and (not self.cluster or self.cluster in (destination.get("server"), destination.get("name")))
            and (not self.path or any(item.get("path") == self.path for item in sources))
        )


async def list_applications(cluster: Cluster, namespace: str, request: ListRequest) -> list[StoredApplication]:
    """Return the Applications of a namespace (empty: of all) that are wanted, by namespace and name."""
    resource = await application_resource(cluster)
    listed = await cluster.list(resource, namespace=namespace, label_selector=request.selector)
    return sorted((StoredApplication(obj) for obj in listed.items if request.matches(obj)), key=_order)


async def list_installation(cluster: Cluster, namespace: str, request: ListRequest) -> list[StoredApplication]:
    """Return the Applications that are wanted, of all namespaces that the installation in a namespace looks after."""
    settings = (await read_settings(cluster, namespace)).settings
    if not settings.application_namespaces:
        return await list_applications(cluster, namespace, request)
    found = await list_applications(cluster, "", request)
    return [stored for stored in found if namespaces.permitted(stored.key.namespace, settings)]


def _order(stored: StoredApplication) -> str:
    return str(stored.key)
