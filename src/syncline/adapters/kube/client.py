"""Reads and writes one cluster: `syncline.ports.kube.Cluster` over any transport.

Built by `syncline.wiring` over HTTP or over the sandbox, used by the controller. Objects come and go as plain
dicts; what the server refuses is `ApiError`, what never arrived is `TransportError`. List items carry no
apiVersion and kind on the wire: they are put in here, because everything above finds an object's identity in
the object.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

import msgspec
import orjson

from syncline.adapters.kube import addresses, discovery, status
from syncline.adapters.kube.acting import ActingTransport
from syncline.adapters.kube.lines import lines
from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.ports.kube import (
    ApiError,
    ApiResource,
    Discovery,
    EventType,
    Listed,
    Page,
    PatchType,
    WatchEvent,
)
from syncline.ports.transport import Request, Transport

PAGE_SIZE = 500
WATCH_SECONDS = 290
"""Under the five minutes after which proxies and load balancers commonly cut a quiet connection."""

_PODS = ApiResource(gvk=GroupVersionKind("", "v1", "Pod"), plural="pods", namespaced=True)
_JSON = "application/json"
_METADATA = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_APPLY = "application/apply-patch+yaml"
_PATCHES: dict[PatchType, str] = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}


class _ListMetadata(msgspec.Struct):
    token: str | None = msgspec.field(default=None, name="continue")
    version: str | None = msgspec.field(default=None, name="resourceVersion")


class _RawList(msgspec.Struct):
    metadata: _ListMetadata = msgspec.field(default_factory=_ListMetadata)
    items: list[msgspec.Raw] | None = None


_RAW_LIST = msgspec.json.Decoder(_RawList)


class KubeCluster:
    """One cluster, through one transport; `timeout` bounds every request that is not a watch."""

    def __init__(self, transport: Transport, *, timeout: float = 60.0) -> None:
        self._transport = transport
        self._timeout = timeout

    def acting_as(self, user: str) -> KubeCluster:
        """Return the same cluster, on which everything is done as another user."""
        return KubeCluster(ActingTransport(self._transport, user), timeout=self._timeout)

    async def close(self) -> None:
        """Release the transport."""
        await self._transport.close()

    async def discover(self) -> Discovery:
        """Ask which kinds are served; groups that fail are named, not raised."""
        return await discovery.discover(self._read)

    async def get(self, resource: ApiResource, namespace: str, name: str) -> Object | None:
        """Return one object, or None when it is not there."""
        try:
            return _typed(await self._read(addresses.named(resource, namespace, name)), resource)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    async def list(self, resource: ApiResource, *, namespace: str = "", label_selector: str = "") -> Listed:
        """Return all objects of a kind, read page by page."""
        items: list[Object] = []
        version = ""
        async for page in self.pages(resource, namespace=namespace, label_selector=label_selector):
            if page.begins:
                items.clear()
            items.extend(page.items)
            version = page.resource_version
        return Listed(tuple(items), version)

    async def pages(
        self,
        resource: ApiResource,
        *,
        namespace: str = "",
        label_selector: str = "",
        field_selector: str = "",
        metadata_only: bool = False,
    ) -> AsyncGenerator[Page, None]:
        """Yield all objects of a kind page by page; each object is decoded when it is taken."""
        query = {"labelSelector": label_selector, "fieldSelector": field_selector}
        accept = _METADATA if metadata_only else _JSON
        try:
            async for page in self._pages(resource, namespace, {**query, "limit": str(PAGE_SIZE)}, accept):
                yield page
        except ApiError as error:
            if error.code != 410:
                raise
        else:
            return
        # The snapshot behind the pages was compacted away meanwhile; one page with everything cannot expire.
        async for page in self._pages(resource, namespace, query, accept):
            yield page

    async def watch(
        self, resource: ApiResource, *, resource_version: str, namespace: str = "", field_selector: str = ""
    ) -> AsyncGenerator[WatchEvent, None]:
        """Follow changes after a resourceVersion until the server ends the stream.

        A caller that stops early closes the iterator (`contextlib.aclosing`), which gives the connection back.
        """
        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(WATCH_SECONDS),
            "fieldSelector": field_selector,
        }
        path = addresses.collection(resource, namespace, query)
        response = await self._transport.send(Request(method="GET", path=path, headers={"Accept": _JSON}))
        try:
            if response.status != 200:
                raise status.error_from(response.status, await response.read(), asked=_asked("GET", path))
            async for line in lines(response.chunks()):
                event = _event(line)
                if event is not None:
                    yield event
        finally:
            await response.close()

    async def logs(self, namespace: str, pod: str, options: Mapping[str, str]) -> AsyncGenerator[bytes, None]:
        """Yield the lines a container printed; with `follow` until it ends or the caller closes the iterator."""
        path = addresses.named(_PODS, namespace, pod, dict(options), subresource="log")
        response = await self._transport.send(Request(method="GET", path=path, headers={"Accept": "*/*"}))
        try:
            if response.status != 200:
                raise status.error_from(response.status, await response.read(), asked=_asked("GET", path))
            async for line in lines(response.chunks()):
                yield line
        finally:
            await response.close()

    async def create(
        self, resource: ApiResource, obj: Object, *, manager: str, dry_run: bool = False, validation: str = ""
    ) -> Object:
        """Create; raises `ApiError` with reason AlreadyExists when the name is taken."""
        namespace, name = _place(obj)
        query = _options(manager, dry_run=dry_run, validation=validation)
        path = addresses.parent(resource, namespace, name, query)
        return await self._write("POST", path, _JSON, obj, resource)

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
        namespace, name = _place(obj)
        options = _options(manager, dry_run=dry_run, validation=validation)
        query = {**options, "force": "true" if force else "false"}
        return await self._write("PATCH", addresses.named(resource, namespace, name, query), _APPLY, obj, resource)

    async def replace(
        self, resource: ApiResource, obj: Object, *, manager: str, dry_run: bool = False, validation: str = ""
    ) -> Object:
        """Update the whole object; its metadata.resourceVersion is the condition."""
        namespace, name = _place(obj)
        query = _options(manager, dry_run=dry_run, validation=validation)
        path = addresses.named(resource, namespace, name, query)
        return await self._write("PUT", path, _JSON, obj, resource)

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
        query = _options(manager, dry_run=dry_run, validation=validation)
        path = addresses.named(resource, namespace, name, query, subresource=subresource)
        return await self._write("PATCH", path, _PATCHES[kind], patch, resource)

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
        """Delete, under the condition that uid and resourceVersion (where given) still match."""
        conditions = {"uid": uid, "resourceVersion": resource_version}
        options: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation}
        if any(conditions.values()):
            options["preconditions"] = {key: value for key, value in conditions.items() if value}
        path = addresses.named(resource, namespace, name)
        try:
            await self._exchange("DELETE", path, {"Content-Type": _JSON}, orjson.dumps(options))
        except ApiError as error:
            if error.code != 404:
                raise

    async def _pages(
        self, resource: ApiResource, namespace: str, query: dict[str, str], accept: str
    ) -> AsyncGenerator[Page, None]:
        token = ""
        decode = _metadata_of if accept == _METADATA else _item
        while True:
            path = addresses.collection(resource, namespace, {**query, "continue": token})
            answer = await self._answer("GET", path, {"Accept": accept})
            page = _raw_list(answer, _asked("GET", path))
            items = (_typed(decode(raw, path), resource) for raw in page.items or ())
            yield Page(items, page.metadata.version or "", begins=not token)
            token = page.metadata.token or ""
            if not token:
                return

    async def _read(self, path: str, accept: str = _JSON) -> Object:
        return await self._exchange("GET", path, {"Accept": accept})

    async def _write(self, method: str, path: str, content_type: str, body: Any, resource: ApiResource) -> Object:
        headers = {"Content-Type": content_type, "Accept": _JSON}
        sent = None
        if resource.gvk.group == "" and resource.gvk.kind == "Secret":
            sent = body if isinstance(body, dict) else {"patch": body}
        answer = await self._exchange(method, path, headers, orjson.dumps(body), sent=sent)
        return _typed(answer, resource)

    async def _exchange(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b"", *, sent: Object | None = None
    ) -> Object:
        return _object(await self._answer(method, path, headers, body, sent=sent), _asked(method, path))

    async def _answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b"", *, sent: Object | None = None
    ) -> bytes:
        request = Request(method=method, path=path, headers=headers, body=body)
        response = await self._transport.send(request, timeout=self._timeout)
        try:
            answer = await response.read()
        finally:
            await response.close()
        if not 200 <= response.status < 300:
            raise status.error_from(response.status, answer, asked=_asked(method, path), sent=sent)
        return answer


def _object(answer: bytes, asked: str) -> Object:
    try:
        obj = orjson.loads(answer)
    except orjson.JSONDecodeError:
        obj = None
    if not isinstance(obj, dict):
        raise _not_kubernetes(asked)
    return obj


def _raw_list(answer: bytes, asked: str) -> _RawList:
    """Read a list without its items: hundreds of them as dicts take many times the memory of their text."""
    try:
        return _RAW_LIST.decode(answer)
    except msgspec.DecodeError:
        raise _not_kubernetes(asked) from None


def _item(raw: msgspec.Raw, path: str) -> Object:
    return _object(bytes(raw), _asked("GET", path))


def _metadata_of(raw: msgspec.Raw, path: str) -> Object:
    """Read the metadata of an item alone, also where a server sends all of it nevertheless."""
    return {"metadata": _item(raw, path).get("metadata")}


def _not_kubernetes(asked: str) -> ApiError:
    message = f"{asked} did not return a JSON object: is this a Kubernetes API server?"
    return ApiError(200, "InvalidAnswer", message)


def _event(line: bytes) -> WatchEvent | None:
    """Read one event; None for a line that was cut off with its connection: the next watch brings it again."""
    try:
        event = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    kind, obj = event.get("type"), event.get("object") or {}
    if kind == "ERROR":
        raise status.error_from_status(obj)
    try:
        return WatchEvent(EventType(kind), obj)
    except ValueError:
        raise ApiError(200, "InvalidAnswer", f"the API server sent a watch event of type {kind!r}") from None


def _typed(obj: Object, resource: ApiResource) -> Object:
    obj.setdefault("apiVersion", resource.gvk.api_version)
    obj.setdefault("kind", resource.gvk.kind)
    return obj


def _place(obj: Object) -> tuple[str, str]:
    metadata = meta.metadata(obj)
    return str(metadata.get("namespace") or ""), str(metadata.get("name") or "")


def _options(manager: str, *, dry_run: bool, validation: str) -> dict[str, str]:
    return {"fieldManager": manager, "dryRun": "All" if dry_run else "", "fieldValidation": validation}


def _asked(method: str, path: str) -> str:
    return f"{method} {path.partition('?')[0]}"
