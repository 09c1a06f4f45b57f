"""Creates, updates and patches objects, from the decoded body to the stored row.

Called by `syncline.sandbox.api.requests` for clients and by `syncline.sandbox.controllers` for the cluster's own
writers. The order is the API server's: kind and types, name, what the kind fills in, defaults, ownership of fields,
rules, then one compare-and-put. A write that changes nothing keeps its resourceVersion and reaches no watcher.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema.stored import stored_form
from syncline.sandbox import errors
from syncline.sandbox.admission import quotas
from syncline.sandbox.api import decoding, fields, finishing, identity, shaping
from syncline.sandbox.api.options import WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.served import custom
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Row, RowKey

_STATUS_PARTS = frozenset({"apiVersion", "kind", "metadata", "status"})
_SPEC_WRITERS = frozenset({"", "scale", "resize", "ephemeralcontainers"})


class WriteResult:
    """What a write led to: the row (not stored after a dry run), warnings, and whether it is new or gone."""

    __slots__ = ("created", "removed", "row", "warnings")

    def __init__(self, row: Row, warnings: list[str], *, created: bool = False, removed: bool = False) -> None:
        self.row = row
        self.warnings = warnings
        self.created = created
        self.removed = removed


def create(backend: Backend, resource: Resource, namespace: str, body: Any, options: WriteOptions) -> WriteResult:
    """Create an object."""
    obj, warnings = _accept(resource, body, options)
    with telling(warnings):
        return _create(backend, resource, namespace, obj, options, warnings)


def _create(
    backend: Backend, resource: Resource, namespace: str, obj: Object, options: WriteOptions, warnings: list[str]
) -> WriteResult:
    metadata = obj["metadata"] = identity.own_metadata(resource, obj, namespace)
    if metadata.get("resourceVersion"):
        raise errors.StatusError(500, "", "resourceVersion should not be set on objects to be created")
    identity.check_namespace(backend, resource, metadata)
    identity.fill_new(backend, resource, metadata)
    if resource.has_status:
        obj.pop("status", None)
    obj = shaping.shape(backend, resource, obj, None)
    obj = fields.track_update(resource, None, obj, manager=options.manager, now=backend.timestamp())
    return _finish_new(backend, resource, obj, options, warnings)


def update(
    backend: Backend,
    resource: Resource,
    row: Row,
    body: Any,
    options: WriteOptions,
    subresource: str = "",
) -> WriteResult:
    """Replace an object, or the part of it that a subresource stands for."""
    obj, warnings = _accept(resource, body, options)
    with telling(warnings):
        return _replace(backend, resource, row, obj, options, subresource, warnings)


@contextlib.contextmanager
def telling(warnings: Sequence[str]) -> Iterator[None]:
    """Let a refusal tell what there is to say of the body besides."""
    found = list(warnings)
    try:
        yield
    except errors.StatusError as error:
        error.warnings = [*found, *error.warnings]
        raise


def check_named(resource: Resource, body: Any, options: WriteOptions, name: str) -> list[str]:
    """Refuse a body that cannot be read, or is about another object than its path; returns what else it is told."""
    obj, warnings = _accept(resource, body, options)
    given = meta.metadata(obj).get("name")
    if not given:
        raise nameless(name)
    if given != name:
        raise errors.bad_request(f"the name of the object ({given}) does not match the name on the URL ({name})")
    return warnings


def nameless(name: str) -> errors.StatusError:
    """Refuse an object that does not say who it is."""
    return errors.bad_request(f"the name of the object ({name} based on URL) was undeterminable: name must be provided")


def apply(
    backend: Backend,
    resource: Resource,
    place: RowKey,
    config: Any,
    options: WriteOptions,
    subresource: str = "",
) -> WriteResult:
    """Server-side apply: create or merge."""
    decoding.check_applied_kind(resource, config)
    decoding.check_applied_metadata(resource, config)
    accepted = decoding.check_kind(resource, config)
    warnings: list[str] = list(options.odd)
    config_metadata = dict(meta.metadata(accepted))
    if config_metadata.get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    row = backend.store.at(place)
    if row is None and subresource:
        raise errors.not_found(resource.plural, resource.group, place.name)
    accepted["metadata"] = config_metadata
    if resource.has_status and not subresource:
        accepted.pop("status", None)
    elif subresource == "status":
        accepted = {key: value for key, value in accepted.items() if key in _STATUS_PARTS}
    now = backend.timestamp()
    where = f"{config_metadata.get('namespace', '')}/{place.name}"
    live = resource.decode(row) if row is not None else None
    if live is not None and row is not None:
        identity.check_uid(resource, row, config_metadata, patched=True)
    merged = fields.apply(
        resource,
        live,
        accepted,
        manager=options.manager,
        force=options.force,
        now=now,
        subresource=subresource,
    )
    # One that is there lends its name to a configuration without one.
    given = meta.metadata(merged).get("name")
    if not given:
        raise nameless(place.name)
    if given != place.name:
        raise errors.bad_request(f"the name of the object ({given}) does not match the name on the URL ({place.name})")
    if resource.custom is None:
        # Its managers keep `env: []`, but what is stored has passed through Go's types as any other write has.
        decoding.check_merged(resource, merged, where)
        merged = dict(stored_form(merged, resource.node()))
    try:
        if row is None:
            return _create_applied(backend, resource, place, merged, options, warnings)
        return _replace(backend, resource, row, merged, options, subresource, warnings, applied=True)
    except errors.StatusError as error:
        if error.code == 400 and " cannot be handled as a " in error.message:
            raise decoding.not_converted(resource, error, where) from None
        raise


def _create_applied(
    backend: Backend,
    resource: Resource,
    place: RowKey,
    merged: Object,
    options: WriteOptions,
    warnings: list[str],
) -> WriteResult:
    obj = {**merged}
    metadata = obj["metadata"] = identity.own_metadata(resource, obj, place.namespace)
    if metadata.get("uid"):
        detail = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
        raise errors.conflict(resource.plural, resource.group, place.name, detail)
    identity.check_namespace(backend, resource, metadata)
    identity.fill_new(backend, resource, metadata)
    return _finish_new(backend, resource, shaping.shape(backend, resource, obj, None), options, warnings)


def _finish_new(
    backend: Backend, asked: Resource, obj: Object, options: WriteOptions, warnings: list[str]
) -> WriteResult:
    resource, obj = _in_storage(backend, asked, obj)
    obj = finishing.finish(backend, resource, obj, None, asked=asked, options=options)
    warnings += finishing.warnings(backend, resource, obj)
    metadata = obj["metadata"]
    place = backend.place(resource, metadata.get("namespace", ""), metadata["name"])
    if options.dry_run:
        if backend.store.at(place) is not None:
            raise errors.already_exists(resource.plural, resource.group, place.name)
        return WriteResult(Row(place, _stored(resource, obj), 0), warnings, created=True)
    _charge(backend, resource, obj, None)
    return WriteResult(backend.store.put(place, _stored(resource, obj), expected=None), warnings, created=True)


def _replace(
    backend: Backend,
    resource: Resource,
    row: Row,
    obj: Object,
    options: WriteOptions,
    subresource: str,
    warnings: list[str],
    *,
    applied: bool = False,
) -> WriteResult:
    live = resource.decode(row)
    metadata = obj["metadata"] = dict(meta.metadata(obj))
    identity.check(resource, row, metadata)
    obj = identity.keep_parts(resource, obj, live, subresource)
    obj = shaping.shape(backend, resource, obj, live, subresource=subresource)
    if not applied:
        obj = fields.track_update(
            resource,
            live,
            obj,
            manager=options.manager,
            now="" if subresource == "scale" else backend.timestamp(),  # the real server loses that time
            subresource="" if subresource == "finalize" else subresource,
        )
    asked = resource
    resource, obj = _in_storage(backend, asked, obj)
    live = resource.decode(row) if resource is not asked else live
    obj = finishing.finish(backend, resource, obj, live, subresource=subresource, asked=asked, options=options)
    if resource.counts_generation and subresource in _SPEC_WRITERS:
        finishing.count_generation(resource, obj, live)
    obj["metadata"]["resourceVersion"] = str(row.version)
    if finishing.unchanged(obj, live):
        return WriteResult(row, warnings)
    if options.dry_run:
        return WriteResult(Row(row.place, _stored(resource, obj), row.version), warnings)
    if not subresource:
        _charge(backend, resource, obj, live)
    if row.deleting and not finishing.held(resource, obj):
        written = backend.store.put(row.place, _stored(resource, obj), expected=row)
        return WriteResult(backend.store.remove(written), warnings, removed=True)
    return WriteResult(backend.store.put(row.place, _stored(resource, obj), expected=row), warnings)


def _charge(backend: Backend, resource: Resource, obj: Object, live: Object | None) -> None:
    """Count a write in the quotas of its namespace."""
    for row, used in quotas.charges(backend, resource, obj, live):
        quota = backend.resource("", "ResourceQuota")
        counted = quota.decode(row)
        counted["status"] = {**(counted.get("status") or {}), "used": used}
        _replace(backend, quota, row, counted, WriteOptions(manager="kube-apiserver"), "status", [])


def _accept(resource: Resource, body: Any, options: WriteOptions) -> tuple[Object, list[str]]:
    """Check kind, types and unknown fields; returns an object of our own."""
    obj = decoding.check_kind(resource, body)
    if resource.custom is None:
        obj, unknown = decoding.conform(resource, obj)
        obj = dict(stored_form(obj, resource.node()))
    else:
        decoding.check_metadata(resource, obj)
        obj, unknown = custom.conform(resource, obj)
    told = [f'unknown field "{path}"' for path in unknown] + [f'duplicate field "{path}"' for path in options.repeated]
    told += options.odd
    if not told or options.field_validation == "Ignore":
        return obj, []
    if options.field_validation == "Strict":
        raise errors.bad_request(
            f'{resource.kind} in version "{resource.gvk.version}" cannot be handled as a {resource.kind}: '
            f"strict decoding error: {', '.join(told)}"
        )
    return obj, told


def _in_storage(backend: Backend, resource: Resource, obj: Object) -> tuple[Resource, Object]:
    """Return an object in the shape it is stored in, and the resource of that shape: rules hold for this one alone."""
    family = resource.converted
    stored = backend.registry.of_kind(family.stored) if family is not None else None
    if family is None or stored is None:
        return resource, obj
    return stored, family.convert(obj, family.stored.api_version)


def _stored(resource: Resource, obj: Object) -> Object:
    obj = custom.for_storage(resource, obj)
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
