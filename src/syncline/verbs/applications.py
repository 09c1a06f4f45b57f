"""Reads and writes Applications directly in the Kubernetes API; every other verb starts here.

A change is a function from the object as it is stored to the object as it should be. It is sent as a merge patch under
the resourceVersion that was read, so fields that nobody here knows stay as they are, and when somebody else wrote in
between it is worked out again from what is stored by then.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Final

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.nearest import instead
from syncline.apimachinery.patch import json_merge
from syncline.controller.app_key import AppKey
from syncline.model import application, names
from syncline.model.application import Application
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, ApiResource, Cluster
from syncline.verbs.errors import Conflict, InvalidRequest, NotFound

MANAGER: Final = "syncline-cli"
"""The field manager of what people change by hand."""
Permit = Callable[[Object], None]
"""Is shown an Application as it is stored, right before it is written, and raises what forbids that."""
_ATTEMPTS = 10
_APPLICATION = GroupKind(names.GROUP, "Application")


class StoredApplication(msgspec.Struct, frozen=True):
    """An Application as the cluster holds it, with every field; `changed` tells whether this request changed it.

    `note` is what whoever asked should know besides.
    """

    obj: Object
    changed: bool = False
    note: str = ""

    @property
    def key(self) -> AppKey:
        """Its namespace and name."""
        return AppKey(self.obj["metadata"]["namespace"], self.obj["metadata"]["name"])

    @property
    def app(self) -> Application:
        """The typed value; raises `syncline.model.errors.InvalidSpec` where it cannot be read."""
        return application.parse(self.obj)

    def control_namespace(self, otherwise: str) -> str:
        """Return the namespace of its installation: the controller says, once it has looked."""
        return str((self.obj.get("status") or {}).get("controllerNamespace") or otherwise)


async def application_resource(cluster: Cluster) -> ApiResource:
    """Return how Applications are served; raises a sentence when they are not."""
    resource = (await cluster.discover()).find(_APPLICATION)
    if resource is None:
        raise NeedsUser(
            "this cluster has no Applications", hint="install the CRDs: syncline admin crds | kubectl apply -f -"
        )
    return resource


async def read_application(cluster: Cluster, key: AppKey) -> StoredApplication:
    """Return one Application; raises a sentence that names the ones there are."""
    return await _read(cluster, await application_resource(cluster), key)


async def _read(cluster: Cluster, resource: ApiResource, key: AppKey) -> StoredApplication:
    found = await cluster.get(resource, key.namespace, key.name)
    if found is None:
        listed = await cluster.list(resource, namespace=key.namespace)
        hint = instead(key.name, [meta.name(item) for item in listed.items])
        raise NotFound(f"Application {key.name} not found in namespace {key.namespace}", hint=hint)
    return StoredApplication(found)


async def locate(cluster: Cluster, key: AppKey) -> AppKey:
    """Return where an Application is whose namespace nobody said: in the one of the key, else in the only other one.

    Where it is in none, or other namespaces may not be read, the key stays as it is.
    """
    resource = await application_resource(cluster)
    if await cluster.get(resource, key.namespace, key.name) is not None:
        return key
    try:
        pages = cluster.pages(resource, field_selector=f"metadata.name={key.name}")
        found = sorted({AppKey(meta.namespace(item), key.name) async for page in pages for item in page.items})
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return key
    if len(found) > 1:
        places = " or ".join(map(str, found))
        raise InvalidRequest(f"there are {len(found)} Applications {key.name}", hint=f"say {places}")
    return found[0] if found else key


async def change_application(
    cluster: Cluster, key: AppKey, change: Callable[[Object], Object], permit: Permit = lambda _stored: None
) -> StoredApplication:
    """Change an Application, also when others write to it; `change` gets a copy of its own, and may alter it.

    `permit` is asked about each state that is changed: nothing is written to another one.
    """
    resource = await application_resource(cluster)
    for _ in range(_ATTEMPTS):
        stored = await _read(cluster, resource, key)
        permit(stored.obj)
        wanted = change(copy.deepcopy(stored.obj))
        if wanted == stored.obj:
            return stored
        try:
            return StoredApplication(await _write(cluster, resource, stored, wanted), changed=True)
        except ApiError as error:
            if error.reason != "Conflict":
                raise
    raise Conflict(f"Application {key.name} keeps being changed by others", hint="try again")


async def _write(cluster: Cluster, resource: ApiResource, stored: StoredApplication, wanted: Object) -> Object:
    """Send the difference; one that sets a null, as Helm values may, is more than a merge patch can say."""
    patch = json_merge.make(stored.obj, wanted) or {}
    if json_merge.apply(stored.obj, patch) != wanted:
        return await cluster.replace(resource, wanted, manager=MANAGER)
    version = stored.obj["metadata"]["resourceVersion"]
    metadata = {**patch.get("metadata", {}), "resourceVersion": version}
    key = stored.key
    return await cluster.patch(resource, key.namespace, key.name, {**patch, "metadata": metadata}, manager=MANAGER)


async def annotate(
    cluster: Cluster, key: AppKey, annotations: dict[str, str], permit: Permit = lambda _stored: None
) -> StoredApplication:
    """Set annotations, whatever else is written to the Application meanwhile."""

    def annotated(app: Object) -> Object:
        app["metadata"]["annotations"] = {**(app["metadata"].get("annotations") or {}), **annotations}
        return app

    return await change_application(cluster, key, annotated, permit)
