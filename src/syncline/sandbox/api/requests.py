"""Carries out one request on a resource: finds the kind, checks the caller, calls the verb, encodes the answer.

Called by `syncline.sandbox.server` for every path below /api and /apis that names a resource. Synchronous from
reading to writing, which is what makes every request atomic; only a watch goes on after it returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
import orjson

from syncline.apimachinery import meta
from syncline.sandbox import errors
from syncline.sandbox.access import rbac as access
from syncline.sandbox.api import (
    answers,
    decoding,
    deletes,
    negotiation,
    options,
    patches,
    reads,
    shapes,
    strictness,
    subresources,
    writes,
)
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

MAX_BODY: Final = 3 * 1024 * 1024
"""How many bytes a body may have."""
_RBAC: Final = "rbac.authorization.k8s.io"
_MADE_BY_PUT: Final = frozenset(
    {
        *(("", kind) for kind in ("Endpoints", "Event", "LimitRange", "Service")),
        *((_RBAC, kind) for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")),
        ("coordination.k8s.io", "Lease"),
        ("node.k8s.io", "RuntimeClass"),
    }
)
"""Kinds of which a PUT makes an object that is not there."""
_JOBS: Final = Bucket("batch", "jobs")
_CHILDREN: Final = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)
_METRICS: Final = "metrics.k8s.io"
_API_SERVICES: Final = Bucket("apiregistration.k8s.io", "apiservices")
_COMPONENTS: Final = Bucket("", "componentstatuses")


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request, taken apart."""

    verb: str
    route: Route
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    user: access.User
    raw_query: str = ""
    """The query as it was sent, where a parameter may stand more than once."""

    def read_options(self) -> ReadOptions:
        """Return what a read asks for."""
        return options.read(self.query, self.headers.get("accept", ""))

    def write_options(self) -> WriteOptions:
        """Return how a write is carried out."""
        kind = {"update": "UpdateOptions", "patch": "PatchOptions"}.get(self.verb, "CreateOptions")
        return options.write(self.query, self.headers.get("user-agent", ""), kind)

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
        served = (one for one in backend.registry.all() if (one.group, one.gvk.version) == (route.group, route.version))
        if any(one.custom is None for one in served):
            raise errors.resource_not_found()
        if _is_elsewhere(backend, route):
            raise errors.NobodyAnswers
        raise PathNotFound
    access.check(backend, call.user, call.verb, route)
    before, backend.acting = (backend.acting, backend.said), (call.user.name, call.user.groups)
    said = backend.said = []
    try:
        answer = _handle(backend, watches, resource, call)
        answer.warn(said)
        return answer
    except errors.StatusError as error:
        error.warnings = [*error.warnings, *_deprecation(backend, resource), *_outdated(resource), *said]
        raise
    finally:
        backend.acting, backend.said = before


def _is_elsewhere(backend: Backend, route: Route) -> bool:
    """Tell whether a group is said to be served by a program behind a Service, of which none runs here."""
    row = backend.store.get(_API_SERVICES, "", f"{route.version}.{route.group}")
    return row is not None and bool((row.decode().get("spec") or {}).get("service"))


def _handle(backend: Backend, watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    route = call.route
    negotiation.check(call.headers.get("accept", ""), call.verb, custom=resource.custom is not None)
    if len(call.body) > MAX_BODY:
        raise errors.too_large(MAX_BODY)
    if resource.custom is not None and resource.custom.webhook:
        backend.cannot(
            f"the sandbox did not ask the conversion webhook of {resource.plural}.{resource.group}: objects in "
            f"{resource.gvk.version} have the fields of the stored version"
        )
    if route.subresource:
        if route.subresource not in resource.subresources:
            if resource.custom is not None:
                raise errors.not_found(resource.plural, resource.group, route.name)
            raise errors.resource_not_found()
        return subresources.handle(backend, resource, call)
    homeless = resource.namespaced and not route.namespace and call.verb not in ("list", "watch")
    nameless = not route.name and call.verb in ("update", "patch")
    if resource.custom is not None and homeless:
        raise PathNotFound
    if resource.custom is not None and nameless:
        raise errors.bad_request("name must be provided")
    if call.verb not in resource.verbs or homeless or nameless:
        raise errors.method_not_allowed()
    if resource.group == _METRICS:
        from syncline.sandbox.cluster import metrics

        return metrics.answer(backend, resource, call)
    if resource.bucket == _COMPONENTS:
        return components.answer(resource, route.name)
    return _VERBS[call.verb](backend, watches, resource, call)


def _place(resource: Resource, route: Route) -> RowKey:
    return RowKey(resource.bucket, route.namespace if resource.namespaced else "", route.name)


def _get(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = call.read_options()
    options.check_get(asked)
    options.check_not_ahead(asked, backend.store.version)
    row = reads.get(backend, resource, _place(resource, call.route))
    return _one(backend, resource, row, call, 200, _outdated(resource))


def _list(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = call.read_options()
    options.check_list(asked)
    options.check_not_ahead(asked, backend.store.version)
    page = reads.list_page(backend, resource, call.route.namespace, asked)
    return ServerResponse(
        200,
        shapes.encode_page(backend, resource, page, asked),
        warnings=[*_deprecation(backend, resource), *_outdated(resource)],
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
    warnings = [*_deprecation(backend, resource), *_outdated(resource)]
    return ServerResponse(200, stream=watches.stream(watch, asked), content_type=answers.JSON, warnings=warnings)


def _create(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    if call.route.name:
        raise errors.method_not_allowed()
    if resource.kind == "Binding":
        return subresources.bind_named(backend, call.route.namespace, call.decoded())
    if resource.verbs == ("create",):
        manager = call.write_options().manager
        return access.review(backend, resource, call.user, call.decoded(), call.route.namespace, manager=manager)
    found = _object(resource, call)
    written = writes.create(backend, resource, call.route.namespace, found, _strictly(call, found))
    return _written(backend, resource, written, call)


def _object(resource: Resource, call: Call) -> Any:
    try:
        found = call.decoded()
    except decoding.UnreadableBody as error:
        raise error.expecting(resource.kind) from None
    if resource.custom is not None and isinstance(found, dict) and not found.get("kind"):
        raise decoding.kindless(resource, call.body)
    return found


def _strictly(call: Call, found: Any) -> WriteOptions:
    """Return how a write is carried out, with what is wrong about the writing of its body."""
    asked = call.write_options()
    if asked.field_validation == "Ignore" or not call.headers.get("content-type", "").startswith(answers.JSON):
        return asked
    repeated = strictness.repeated(call.body, found)
    return msgspec.structs.replace(asked, repeated=tuple(repeated)) if repeated else asked


def _update(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    call.write_options()  # what is wrong with these is told before anything is read
    found = _object(resource, call)
    asked = _strictly(call, found)
    place = _place(resource, call.route)
    row = backend.store.at(place)
    if row is None or not _is_named(found, place.name):
        told = writes.check_named(resource, found, asked, place.name)
    if row is not None:
        return _written(backend, resource, writes.update(backend, resource, row, found, asked), call)
    if resource.custom is not None or (resource.group, resource.kind) not in _MADE_BY_PUT:
        with writes.telling(told):
            raise errors.not_found(resource.plural, resource.group, place.name)
    return _written(backend, resource, writes.create(backend, resource, place.namespace, found, asked), call)


def _is_named(body: Any, name: str) -> bool:
    return isinstance(body, dict) and meta.metadata(body).get("name") == name


def _patch(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    return _written(backend, resource, patch(backend, resource, call), call)


def patch(backend: Backend, resource: Resource, call: Call, subresource: str = "") -> WriteResult:
    """Carry out a patch of an object or of a subresource stored with it."""
    content_type = call.headers.get("content-type", "")
    patches.check_type(resource, content_type)
    asked = call.write_options()
    if content_type.startswith(patches.APPLY) and not call.query.get("fieldManager"):
        cause = errors.required("fieldManager", "is required for apply patch")
        raise errors.invalid("PatchOptions", "meta.k8s.io", "", [cause])
    return patches.patch(backend, resource, _place(resource, call.route), call.body, content_type, asked, subresource)


def _delete(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = options.delete(call.query, call.decoded() if call.body else None)
    told = [_CHILDREN] if resource.bucket == _JOBS and not asked.propagation else []
    with writes.telling(told):
        row = reads.get(backend, resource, _place(resource, call.route))
        deleted = deletes.delete(backend, resource, row, asked)
    if not deleted.gone or kinds.of(resource.group, resource.kind).returns_deleted:
        return _one(backend, resource, deleted.row, call, 200, told)
    details = {"name": row.place.name, "group": resource.group, "kind": resource.plural, "uid": row.uid}
    return answers.json(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Success",
            "details": {key: value for key, value in details.items() if value},
        },
        warnings=told,
    )


def _delete_collection(backend: Backend, _watches: Watches, resource: Resource, call: Call) -> ServerResponse:
    asked = options.delete(call.query, call.decoded() if call.body else None)
    page = reads.list_page(backend, resource, call.route.namespace, call.read_options())
    for row in page.rows:
        deletes.delete(backend, resource, row, asked)
    # Told as they were before.
    gone = reads.ListPage(page.rows, page.version, page.continue_token, page.remaining)
    told = [_CHILDREN] if resource.bucket == _JOBS and not asked.propagation else []
    return ServerResponse(200, reads.encode_list(resource, gone), warnings=told)


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
    with writes.telling(warnings):
        body = shapes.encode_one(backend, resource, row, call.read_options())
    return ServerResponse(status, body, warnings=[*warnings, *_deprecation(backend, resource)])


def _outdated(resource: Resource) -> list[str]:
    """Return what is said of a kind with every request."""
    told = kinds.of(resource.group, resource.kind).warning if resource.custom is None else ""
    return [told] if told else []


def _deprecation(backend: Backend, resource: Resource) -> list[str]:
    if resource.custom is None or not resource.custom.deprecated:
        return []
    if resource.custom.deprecation_warning:
        return [resource.custom.deprecation_warning]
    newest = backend.registry.preferred(resource.group, resource.kind)
    use = "" if newest is None or newest is resource else f"; use {newest.gvk.api_version} {resource.kind}"
    return [f"{resource.gvk.api_version} {resource.kind} is deprecated{use}"]
