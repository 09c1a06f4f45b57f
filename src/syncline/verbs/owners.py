"""Finds the Application that a live object belongs to, for requests that name an object alone."""

from __future__ import annotations

from syncline.apimachinery.keys import ObjectKey
from syncline.controller.app_key import AppKey
from syncline.controller.settings import read_settings
from syncline.core.compare import tracking
from syncline.ports.kube import Cluster
from syncline.verbs.errors import InvalidRequest, NotFound


async def application_of(cluster: Cluster, namespace: str, name: str) -> AppKey:
    """Return the Application that delivers an object, of the installation in a namespace.

    The object is named `Kind/name`, `Kind/namespace/name` or `group/Kind:namespace/name`, and read from the cluster.
    """
    kind, object_namespace, plain = _parts(name)
    settings = (await read_settings(cluster, namespace)).settings
    served = [one for one in (await cluster.discover()).resources if one.gvk.kind.lower() == kind.lower()]
    if not served:
        raise NotFound(f"the cluster does not serve the kind {kind}")
    for resource in served:
        for obj in (await cluster.list(resource, namespace=object_namespace if resource.namespaced else "")).items:
            whole = {"apiVersion": resource.gvk.api_version, "kind": resource.gvk.kind, **obj}
            if obj["metadata"]["name"] == plain and (instance := tracking.owner_of(whole, settings)):
                owner_namespace, underscore, owner = instance.partition("_")
                return AppKey(owner_namespace, owner) if underscore else AppKey(namespace, instance)
    raise NotFound(f"no Application delivers {name}", hint="name the Application with --app")


def _parts(name: str) -> tuple[str, str, str]:
    """Return kind, namespace and name of an object."""
    if ":" in name:
        key = ObjectKey.parse(name)
        return key.kind, key.namespace, key.name
    kind, _, rest = name.partition("/")
    namespace, _, plain = rest.rpartition("/")
    if not plain:
        raise InvalidRequest(f"{name!r} names no object", hint="write Deployment/web or Deployment/shop/web")
    return kind, namespace, plain
