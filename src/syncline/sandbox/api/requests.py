"""Carries out one request on a resource: finds the kind, checks the caller, calls the verb, encodes the answer.

Called by `syncline.sandbox.server` for every path below /api and /apis that names a resource. Synchronous from
reading to writing, which is what makes every request atomic; only a watch goes on after it returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import orjson

from syncline.sandbox import errors
from syncline.sandbox.access import rbac as access
from syncline.sandbox.api import answers, decoding, deletes, options, patches, reads, shapes, subresources, writes
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.api.options import ReadOptions, WriteOptions
from syncline.sandbox.api.routing import Route
from syncline.sandbox.api.watches import Watches
from syncline.sandbox.api.writes import WriteResult
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import PathNotFound
from syncline.sandbox.kinds import registry as kinds
from syncline.sandbox.served import components
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row, RowKey

_COMPONENTS: Final = Bucket("", "componentstatuses")


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request, taken apart."""

    verb: str
    route: Route
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    user: access.User

    def read_options(self) -> ReadOptions:
        """Return what a read asks for."""
        return options.read(self.query, self.headers.get("accept", ""))

    def write_options(self) -> WriteOptions:
        """Return how a write is carried out."""
        return options.write(self.query, self.headers.get("user-agent", ""))

    def decoded(self) -> Any:
        """Return the decoded body."""
        return decoding.body(self.body, self.headers.get("content-type", ""))


def handle(backend: Backend, watches: Watches, call: Call) -> ServerResponse:
    """Answer one request; refusals are raised."""
    route = call.route
    resource = backend.registry.find(route.group, route.version, route.plural)
    if resource is not None and resource.custom is not None and route.namespace and not resource.namespaced:
        raise PathNotFound
    if resource is None or (route.namespace and not resource.namespaced):
        if any((route.group, route.version) == (known.group, known.gvk.version) for known in backend.registry.all()):
            raise errors.resource_not_found()
        raise PathNotFound
    before, backend.acting = backend.acting, (call.user.name, call.user.groups)
    try:
        return _handle(backend, watches, resource, call)
    except errors.StatusError as error:
        error.warnings = [*_deprecation(backend, resource), *_standing(resource, call)]
        raise
    finally:
        backend.acting = before


def _handle(backend: Backend, watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    route = call.route
    _check_media(call)
    access.check(backend, call.user, call.verb, route)
    if route.subresource:
        if route.subresource not in resource.subresources:
            if resource.custom is not None:
                raise errors.not_found(resource.plural, resource.group, route.name)
            raise errors.resource_not_found()
        return subresources.handle(backend, resource, call)
    homeless = resource.namespaced and not route.namespace and call.verb not in ("list", "watch")
    nameless = not route.name and call.verb in ("update", "patch")
    if call.verb not in resource.verbs or homeless or nameless:
        raise errors.method_not_allowed()
    if resource.bucket == _COMPONENTS:
        return components.answer(resource, route.name)
    return _VERBS[call.verb](backend, watches, resource, call)


def _check_media(call: Call) -> None:
    accept = call.headers.get("accept", "")
    if accept and not any(word in accept for word in ("json", "*/*", "application/*", "text/plain")):
        raise errors.not_acceptable()


def _place(resource: Resource, route: Route) -> RowKey:
    return RowKey(resource.bucket, route.namespace if resource.namespaced else "", route.name)


def _get(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    options.check_get(call.read_options())
    row = reads.get(backend, resource, _place(resource, call.route))
    return _one(backend, resource, row, call, 200, ())


def _list(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = call.read_options()
    options.check_list(asked)
    page = reads.list_page(backend, resource, call.route.namespace, asked)
    return ServerResponse(
        200, shapes.encode_page(backend, resource, page, asked), warnings=_deprecation(backend, resource)
    )


def _watch(backend: Backend, watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = call.read_options()
    options.check_watch(asked)
    if call.route.name:
        asked = msgspec.structs.replace(asked, field_selector=f"metadata.name={call.route.name}")
    encode = shapes.encoder(backend, resource, asked)
    try:
        watch = watches.open(resource, call.route.namespace, asked, encode)
    except errors.StatusError as error:
        if error.code != 410:
            raise
        return ServerResponse(200, orjson.dumps({"type": "ERROR", "object": error.status()}) + b"\n")
    return ServerResponse(200, stream=watches.stream(watch, asked), content_type=answers.JSON)


def _create(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    if call.route.name:
        raise errors.method_not_allowed()
    if resource.kind == "Binding":
        return subresources.bind_named(backend, call.route.namespace, call.decoded())
    if resource.verbs == ("create",):
        manager = call.write_options().manager
        return access.review(backend, resource, call.user, call.decoded(), call.route.namespace, manager=manager)
    written = writes.create(backend, resource, call.route.namespace, _object(resource, call), call.write_options())
    return _written(backend, resource, written, call)


def _object(resource: Resource, call: Call) -> Any:
    try:
        found = call.decoded()
    except decoding.UnreadableBody as error:
        raise error.expecting(resource.kind) from None
    if resource.custom is not None and isinstance(found, dict) and not found.get("kind"):
        raise decoding.kindless(resource, call.body)
    return found


def _update(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    row = reads.get(backend, resource, _place(resource, call.route))
    written = writes.update(backend, resource, row, _object(resource, call), call.write_options())
    return _written(backend, resource, written, call)


def _patch(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    return _written(backend, resource, patch(backend, resource, call), call)


def patch(backend: Backend, resource: Resource, call: Call, subresource: str = "") -> WriteResult:
    """Carry out a patch of an object or of a subresource stored with it."""
    content_type = call.headers.get("content-type", "")
    asked = call.write_options()
    if content_type.startswith(patches.APPLY) and not call.query.get("fieldManager"):
        cause = errors.required("fieldManager", "is required for apply patch")
        raise errors.invalid("PatchOptions", "meta.k8s.io", "", [cause])
    return patches.patch(backend, resource, _place(resource, call.route), call.body, content_type, asked, subresource)


def _delete(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    row = reads.get(backend, resource, _place(resource, call.route))
    asked = options.delete(call.query, call.decoded() if call.body else None)
    deleted = deletes.delete(backend, resource, row, asked)
    if not deleted.gone or kinds.of(resource.group, resource.kind).returns_deleted:
        return _one(backend, resource, deleted.row, call, 200, ())
    details = {"name": row.place.name, "group": resource.group, "kind": resource.plural, "uid": row.uid}
    return answers.json(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Success",
            "details": {key: value for key, value in details.items() if value},
        }
    )


def _delete_collection(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = options.delete(call.query, call.decoded() if call.body else None)
    page = reads.list_page(backend, resource, call.route.namespace, call.read_options())
    rows = [deletes.delete(backend, resource, row, asked).row for row in page.rows]
    gone = reads.ListPage(rows, backend.store.version)
    return ServerResponse(200, reads.encode_list(resource, gone))


_VERBS = {
    "get": _get,
    "list": _list,
    "watch": _watch,
    "create": _create,
    "update": _update,
    "patch": _patch,
    "delete": _delete,
    "deletecollection": _delete_collection,
}


def _written(backend: Backend, resource: Resource, written: WriteResult, call: Call) -> ServerResponse:
    return _one(backend, resource, written.row, call, 201 if written.created else 200, written.warnings)


def _one(backend: Backend, resource: Resource, row: Row, call: Call, status: int, warnings: Any) -> ServerResponse:
    body = shapes.encode_one(backend, resource, row, call.read_options())
    return ServerResponse(status, body, warnings=[*warnings, *_deprecation(backend, resource)])


def _standing(resource: Resource, call: Call) -> list[str]:
    """Return what is said of every write of a kind, refused or not."""
    told = kinds.of(resource.group, resource.kind).warning if resource.custom is None else ""
    return [told] if told and call.verb in ("create", "update", "patch") else []


def _deprecation(backend: Backend, resource: Resource) -> list[str]:
    if resource.custom is None or not resource.custom.deprecated:
        return []
    if resource.custom.deprecation_warning:
        return [resource.custom.deprecation_warning]
    newest = backend.registry.preferred(resource.group, resource.kind)
    use = "" if newest is None or newest is resource else f"; use {newest.gvk.api_version} {resource.kind}"
    return [f"{resource.gvk.api_version} {resource.kind} is deprecated{use}"]
