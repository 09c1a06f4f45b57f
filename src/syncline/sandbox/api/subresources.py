"""Answers requests on parts of objects: status, scale, finalize, log, binding, eviction, tokens.

Called by `syncline.sandbox.api.requests` once the resource is known to have the subresource.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from syncline.apimachinery import meta, times
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.access import rbac, tokens
from syncline.sandbox.api import answers, evictions, fields, patches, reads, scaling, sessions, shapes, writes
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.api.writes import WriteResult
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row, RowKey

_SLICES = Bucket("discovery.k8s.io", "endpointslices")


def handle(backend: Backend, resource: Resource, call: Any) -> ServerResponse:
    """Answer one request on a subresource; `call` is a `syncline.sandbox.api.requests.Call`."""
    route = call.route
    place = RowKey(resource.bucket, route.namespace if resource.namespaced else "", route.name)
    match route.subresource:
        case "scale":
            return _scale(backend, resource, place, call)
        case "log":
            from syncline.sandbox.cluster import logs

            if call.verb != "get":
                raise errors.method_not_allowed()

            return logs.answer(backend, reads.get(backend, resource, place), call.query)
        case "exec" | "attach" | "portforward":
            return _session(backend, reads.get(backend, resource, place), call)
        case "binding":
            if call.verb != "create":
                raise errors.method_not_allowed()
            return _bind(backend, reads.get(backend, resource, place), call.decoded() or {})
        case "eviction" | "token":
            if call.verb != "create":
                raise errors.method_not_allowed()
            row = reads.get(backend, resource, place)
            if route.subresource == "token":
                return _token(backend, resource, row, call)
            dry_run = call.write_options().dry_run
            return evictions.evict(backend, resource, row, call.decoded() or {}, dry_run=dry_run)
        case "status" | "finalize" | "approval" | "ephemeralcontainers" | "resize":
            return _stored_part(backend, resource, place, call)
    if route.subresource == "proxy" and resource.kind == "Service" and not _has_endpoints(backend, place):
        text = f'no endpoints available for service "{route.name}"'
        raise errors.StatusError(503, "ServiceUnavailable", text)
    reads.get(backend, resource, place)
    raise errors.StatusError(501, "NotImplemented", f"the sandbox does not simulate {route.subresource}")


def _has_endpoints(backend: Backend, service: RowKey) -> bool:
    slices = backend.store.rows(_SLICES, service.namespace)
    return any(
        row.decode().get("endpoints") for row in slices if row.labels.get("kubernetes.io/service-name") == service.name
    )


def _session(backend: Backend, row: Row, call: Any) -> ServerResponse:
    """Let a client talk to a pod; a WebSocket is a GET, and still needs the right to create."""
    if call.verb not in ("get", "create"):
        raise errors.method_not_allowed()
    answer = ServerResponse(101)
    answer.session = sessions.open_session(backend, row, call.route.subresource, call)
    if call.verb == "get":
        rbac.check(backend, call.user, "create", call.route)
    return answer


def _stored_part(backend: Backend, resource: Resource, place: RowKey, call: Any) -> ServerResponse:
    part = call.route.subresource
    if call.verb == "get":
        return _one(backend, resource, reads.get(backend, resource, place), call)
    if call.verb == "update":
        row = reads.get(backend, resource, place)
        return _written(
            backend, resource, writes.update(backend, resource, row, call.decoded(), call.write_options(), part), call
        )
    if call.verb == "patch":
        content_type = call.headers.get("content-type", "")
        written = patches.patch(backend, resource, place, call.body, content_type, call.write_options(), part)
        return _written(backend, resource, written, call)
    raise errors.method_not_allowed()


def _scale(backend: Backend, resource: Resource, place: RowKey, call: Any) -> ServerResponse:
    row = reads.get(backend, resource, place)
    if call.verb == "get":
        return answers.json(scaling.scale_of(resource, row))
    if call.verb == "update":
        wanted = call.decoded()
    elif call.verb == "patch":
        media = call.headers.get("content-type", "").partition(";")[0].strip().lower()
        patch = patches.decode(call.body)
        media = patches.MERGE if media in (patches.STRATEGIC, patches.APPLY) else media
        wanted = patches.change(resource, scaling.scale_of(resource, row), patch, media)
    else:
        raise errors.method_not_allowed()
    written = scaling.write(backend, resource, row, wanted, call.write_options())
    return answers.json(scaling.scale_of(resource, written.row))


def bind_named(backend: Backend, namespace: str, binding: Any) -> ServerResponse:
    """Bind the pod that a Binding names itself, as the old collection of bindings does."""
    resource = backend.resource("", "Pod")
    given: Object = binding if isinstance(binding, dict) else {}
    name = meta.name(given)
    return _bind(backend, reads.get(backend, resource, backend.place(resource, namespace, name)), given)


def _bind(backend: Backend, row: Row, binding: Object) -> ServerResponse:
    if meta.metadata(binding).get("name") != row.place.name:
        raise errors.bad_request("name in URL does not match name in Binding object")
    node = (binding.get("target") or {}).get("name", "")
    obj = row.decode()
    if (obj.get("spec") or {}).get("nodeName"):
        detail = f'pod {row.place.name} is already assigned to node "{obj["spec"]["nodeName"]}"'
        raise errors.conflict("pods/binding", "", row.place.name, detail)
    obj["spec"]["nodeName"] = node
    status = obj.setdefault("status", {})
    scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    scheduled["lastTransitionTime"] = backend.timestamp()
    others = [one for one in status.get("conditions") or () if one.get("type") != "PodScheduled"]
    status["conditions"] = [*others, scheduled]
    backend.store.put(row.place, obj, expected=row)
    return answers.json(_success(), 201)


def _token(backend: Backend, resource: Resource, row: Row, call: Any) -> ServerResponse:
    """Hand out a token that lasts as long as is asked for; it opens nothing but its own account."""
    asked: Object = call.decoded() or {}
    usual = {"audiences": [tokens.AUDIENCE], "expirationSeconds": 3600, "boundObjectRef": None}
    spec = {**usual, **(asked.get("spec") or {})}
    ends = backend.clock.now() + timedelta(seconds=spec["expirationSeconds"])
    metadata = {
        **(meta.metadata(asked)),
        "name": row.place.name,
        "namespace": row.place.namespace,
        "uid": row.uid,
        "creationTimestamp": backend.timestamp(),
    }
    head = {"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1"}
    lasts = {"expirationSeconds": spec["expirationSeconds"]}
    given = {**head, "metadata": metadata, "spec": {**lasts, **(asked.get("spec") or {})}}
    manager = call.write_options().manager
    tracked = fields.track_update(resource, None, given, manager=manager, now=backend.timestamp(), subresource="token")
    for entry in tracked["metadata"]["managedFields"]:
        entry["fieldsV1"].get("f:spec", {}).pop(".", None)
    status = {"token": tokens.passing(backend, row, ends), "expirationTimestamp": times.format_time(ends)}
    return answers.json({**tracked, "spec": spec, "status": status}, 201)


def _success() -> Object:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}


def _one(backend: Backend, resource: Resource, row: Row, call: Any) -> ServerResponse:
    return ServerResponse(200, shapes.encode_one(backend, resource, row, call.read_options()))


def _written(backend: Backend, resource: Resource, written: WriteResult, call: Any) -> ServerResponse:
    body = shapes.encode_one(backend, resource, written.row, call.read_options())
    return ServerResponse(201 if written.created else 200, body, warnings=written.warnings)
