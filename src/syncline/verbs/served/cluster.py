"""The kinds of an installation behind its API server, as a cluster: Applications, ApplicationSets and AppProjects.

`syncline.verbs.served.home` hands it to verbs that read and edit these. Everything else that a cluster has is not
served this way, and asking for it is an error that says so; what starts, ends or deletes something has routes of its
own, which `ServedHome` asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final
from urllib.parse import quote

import orjson

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.apimachinery.selectors import LabelSelector
from syncline.model import names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, ApiResource, Cluster, Discovery, Listed, Page, PatchType, WatchEvent
from syncline.verbs.errors import Conflict, NotFound
from syncline.verbs.served.api import Forbidden, ServerApi

_PATHS: Final = {
    "Application": ("applications", "appNamespace"),
    "ApplicationSet": ("applicationsets", "appsetNamespace"),
    "AppProject": ("projects", ""),
}


def _resource(kind: str) -> ApiResource:
    version = names.API_VERSION.rpartition("/")[2]
    return ApiResource(gvk=GroupVersionKind(names.GROUP, version, kind), plural=f"{kind.lower()}s", namespaced=True)


class ServedCluster:
    """The objects of an installation, as far as whoever asks may see them."""

    def __init__(self, api: ServerApi) -> None:
        self._api = api

    def acting_as(self, user: str) -> Cluster:
        """Refuse: a server acts as whoever shows the token."""
        raise self._not_served(f"acting as {user}")

    async def discover(self) -> Discovery:
        """Return the kinds that are served."""
        return Discovery(tuple(map(_resource, _PATHS)))

    async def get(self, resource: ApiResource, namespace: str, name: str) -> Object | None:
        """Return one object, or None when it is not there."""
        path, parameter = self._path(resource)
        query = {parameter: namespace} if parameter else {}
        try:
            found = await self._api.get(f"{path}/{quote(name, safe='')}", query)
        except NotFound:
            return None
        except Forbidden as error:
            raise ApiError(403, "Forbidden", error.what) from None
        return _typed(found, resource)

    async def list(self, resource: ApiResource, *, namespace: str = "", label_selector: str = "") -> Listed:
        """Return all objects of a kind that may be seen."""
        path, parameter = self._path(resource)
        query = {parameter: namespace} if parameter else {}
        try:
            found = await self._api.get(path, {**query, "selector": label_selector})
        except Forbidden as error:
            raise ApiError(403, "Forbidden", error.what) from None
        items = found.get("items") if isinstance(found, dict) else None
        typed = [_typed(one, resource) for one in items or () if isinstance(one, dict)]
        if label_selector:
            wanted = LabelSelector.parse(label_selector)
            typed = [one for one in typed if wanted.matches(meta.labels(one))]
        return Listed(tuple(typed), "")

    async def pages(
        self,
        resource: ApiResource,
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        metadata_only: bool = False,  # noqa: ARG002 - the whole object is what a server sends
    ) -> AsyncIterator[Page]:
        """Yield all objects of a kind; of fields nothing but the name can be asked for."""
        field, _, value = field_selector.partition("=")
        if field not in ("", "metadata.name"):
            raise self._not_served(f"choosing by {field}")
        listed = await self.list(resource, namespace=namespace, label_selector=label_selector)
        yield Page(tuple(one for one in listed.items if not field or meta.name(one) == value), "", begins=True)

    async def patch(
        self,
        resource: ApiResource,
        namespace: str,
        name: str,
        patch: Any,
        *,
        kind: PatchType = "merge",
        manager: str,  # noqa: ARG002 - the server writes in its own name
        **_options: Any,
    ) -> Object:
        """Patch the spec or the metadata of an Application."""
        if resource.gvk.kind != "Application" or kind == "strategic":
            raise self._not_served(f"changing {resource.gvk.kind}s")
        body = {"name": name, "patch": orjson.dumps(patch).decode(), "patchType": kind}
        path = f"/api/v1/applications/{quote(name, safe='')}"
        try:
            found = await self._api.ask("PATCH", path, {"appNamespace": namespace}, body)
        except Conflict as error:
            raise ApiError(409, "Conflict", error.what) from None
        return _typed(found, resource)

    async def replace(self, resource: ApiResource, obj: Object, *, manager: str, **_options: Any) -> Object:  # noqa: ARG002
        """Replace an Application."""
        if resource.gvk.kind != "Application":
            raise self._not_served(f"changing {resource.gvk.kind}s")
        path = f"/api/v1/applications/{quote(meta.name(obj), safe='')}"
        return _typed(await self._api.ask("PUT", path, {"appNamespace": meta.namespace(obj)}, obj), resource)

    async def create(self, resource: ApiResource, *_args: Any, **_options: Any) -> Object:
        """Refuse: what is created has a route of its own."""
        raise self._not_served(f"creating {resource.gvk.kind}s")

    async def apply(self, resource: ApiResource, *_args: Any, **_options: Any) -> Object:
        """Refuse: nothing is applied through a server."""
        raise self._not_served(f"applying {resource.gvk.kind}s")

    async def delete(self, resource: ApiResource, *_args: Any, **_options: Any) -> Any:
        """Refuse: what is deleted has a route of its own."""
        raise self._not_served(f"deleting {resource.gvk.kind}s")

    def watch(self, resource: ApiResource, **_options: Any) -> AsyncIterator[WatchEvent]:
        """Refuse: whoever follows something asks again."""
        raise self._not_served(f"watching {resource.gvk.kind}s")

    def logs(self, namespace: str, pod: str, options: Mapping[str, str]) -> AsyncIterator[bytes]:  # noqa: ARG002
        """Refuse: logs are those of an Application, see `syncline.verbs.served.sight`."""
        raise self._not_served("reading logs")

    def _path(self, resource: ApiResource) -> tuple[str, str]:
        if resource.gvk.group != names.GROUP or resource.gvk.kind not in _PATHS:
            raise self._not_served(f"reading {resource.gvk.kind}s")
        path, parameter = _PATHS[resource.gvk.kind]
        return f"/api/v1/{path}", parameter

    def _not_served(self, what: str) -> NeedsUser:
        return NeedsUser(
            f"{what} needs the Kubernetes API, and the server {self._api.server} is selected",
            hint="add --core to use your kubeconfig",
        )


def _typed(obj: Object, resource: ApiResource) -> Object:
    """Return an object with its kind, which Argo CD leaves out."""
    return {**obj, "apiVersion": resource.gvk.api_version, "kind": resource.gvk.kind}
