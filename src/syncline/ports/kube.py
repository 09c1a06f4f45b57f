"""What the controller may ask of one cluster: narrow views on the one Kubernetes client.

`syncline.adapters.kube` implements them over `syncline.ports.transport`. Every refusal by the API server is an
`ApiError`; an answer that never came is `syncline.ports.transport.TransportError`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from enum import StrEnum
from typing import Any, Literal, Protocol

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object
from syncline.model.cluster import KnownCluster


class ApiResource(msgspec.Struct, frozen=True, kw_only=True):
    """A kind as the API server serves it."""

    gvk: GroupVersionKind
    plural: str
    namespaced: bool
    verbs: frozenset[str] = frozenset()
    short_names: tuple[str, ...] = ()

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return the URL path of the collection, or of one object in it."""
        group, version = self.gvk.group, self.gvk.version
        parts = ["/apis", group, version] if group else ["/api", version]
        if self.namespaced and namespace:
            parts += ["namespaces", namespace]
        parts += [part for part in (self.plural, name, subresource) if part]
        return "/".join(parts)


class Discovery(msgspec.Struct, frozen=True):
    """Every kind a cluster serves, and the API groups that could not be asked.

    A group in `failed` is unknown, not gone: nothing of it may be pruned.
    """

    resources: tuple[ApiResource, ...]
    failed: dict[str, str] = {}
    version: str = ""

    @property
    def short_version(self) -> str:
        """The version as Argo CD shows it, such as 1.33; empty where it is not known."""
        return ".".join(self.version.removeprefix("v").split(".")[:2])

    def find(self, kind: GroupKind, version: str = "") -> ApiResource | None:
        """Return the resource of a kind, of the wanted version or else of the server's preferred (first) one."""
        for resource in self.resources:
            if resource.gvk.group_kind == kind and version in ("", resource.gvk.version):
                return resource
        return None


class EventType(StrEnum):
    """What a watch reports."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


class WatchEvent(msgspec.Struct, frozen=True):
    """One change; for a bookmark only metadata.resourceVersion of `obj` means anything."""

    type: EventType
    obj: Object


class Listed(msgspec.Struct, frozen=True):
    """A complete list at one resourceVersion."""

    items: tuple[Object, ...]
    resource_version: str


class Page(msgspec.Struct, frozen=True):
    """Some of a list's objects, decoded as they are taken; the last page's resourceVersion is the list's.

    A page that `begins` makes those before it void: the list had expired, and was started again.
    """

    items: Iterable[Object]
    resource_version: str
    begins: bool = False


class ApiError(Exception):
    """The API server said no. Carries its Status object; the text is its message."""

    def __init__(self, code: int, reason: str, message: str, details: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.details: dict[str, Any] = details or {}


class ClusterReader(Protocol):
    """Reads of one cluster."""

    async def discover(self) -> Discovery:
        """Ask which kinds are served; groups that fail are named, not raised."""
        ...

    async def get(self, resource: ApiResource, namespace: str, name: str) -> Object | None:
        """Return one object, or None when it is not there."""
        ...

    async def list(self, resource: ApiResource, *, namespace: str = "", label_selector: str = "") -> Listed:
        """Return all objects of a kind (all pages)."""
        ...

    def pages(
        self,
        resource: ApiResource,
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        metadata_only: bool = False,
    ) -> AsyncIterator[Page]:
        """Yield all objects of a kind page by page, for those who do not want to have them all at once.

        With `metadata_only` the server is asked to send nothing else of them.
        """
        ...

    def watch(
        self, resource: ApiResource, *, resource_version: str, namespace: str = "", field_selector: str = ""
    ) -> AsyncIterator[WatchEvent]:
        """Follow changes after a resourceVersion until the server ends the stream.

        Raises `ApiError` with code 410 when that version is too old: list again.
        """
        ...

    def logs(self, namespace: str, pod: str, options: Mapping[str, str]) -> AsyncIterator[bytes]:
        """Yield the lines a container of a pod printed; `options` are those of the API (container, tailLines, …)."""
        ...


PatchType = Literal["merge", "json", "strategic"]


class ClusterWriter(Protocol):
    """Writes to one cluster. All return the object as the server stored it.

    `validation` says what becomes of fields the server does not know: Strict, Warn or Ignore; empty leaves it to the
    server.
    """

    async def create(
        self, resource: ApiResource, obj: Object, *, manager: str, dry_run: bool = False, validation: str = ""
    ) -> Object:
        """Create; raises `ApiError` with reason AlreadyExists when the name is taken."""
        ...

    async def apply(
        self,
        resource: ApiResource,
        obj: Object,
        *,
        manager: str,
        force: bool = True,
        dry_run: bool = False,
        validation: str = "",
    ) -> Object:
        """Server-side apply."""
        ...

    async def replace(
        self, resource: ApiResource, obj: Object, *, manager: str, dry_run: bool = False, validation: str = ""
    ) -> Object:
        """Update the whole object; its metadata.resourceVersion is the condition."""
        ...

    async def patch(
        self,
        resource: ApiResource,
        namespace: str,
        name: str,
        patch: Any,
        *,
        kind: PatchType = "merge",
        manager: str,
        dry_run: bool = False,
        validation: str = "",
        subresource: str = "",
    ) -> Object:
        """Change parts of an object, or of a subresource such as its status."""
        ...

    async def delete(
        self,
        resource: ApiResource,
        namespace: str,
        name: str,
        *,
        uid: str = "",
        resource_version: str = "",
        propagation: str = "Foreground",
    ) -> None:
        """Delete, under the condition that uid and resourceVersion (where given) still match.

        An object that is gone already is fine; another one under the same name raises `ApiError` (Conflict).
        """
        ...


class Cluster(ClusterReader, ClusterWriter, Protocol):
    """One cluster, whole."""

    def acting_as(self, user: str) -> Cluster:
        """Return the same cluster, on which everything is done as another user; it needs no closing of its own."""
        ...


class Connected(Cluster, Protocol):
    """A cluster that somebody opened and has to close."""

    async def close(self) -> None:
        """Release its connections."""
        ...


class Connector(Protocol):
    """Opens the clusters Applications are delivered to."""

    def connect(self, cluster: KnownCluster) -> Connected:
        """Return a client; raises `syncline.model.errors.InvalidSpec` where the description cannot be used."""
        ...
