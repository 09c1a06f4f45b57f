"""Creates, updates and patches objects, from the decoded body to the stored row.

Called by `syncline.sandbox.requests` for clients and by `syncline.sandbox.controllers` for the cluster's own writers.
The order is the API server's: kind and types, name, what the kind fills in, defaults, ownership of fields, rules,
then one compare-and-put. A write that changes nothing keeps its resourceVersion and reaches no watcher.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox import controls, custom, decoding, errors, fields
from syncline.sandbox import metadata as metadata_rules
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds import registry as kinds
from syncline.sandbox.kinds.rules import Rules
from syncline.sandbox.options import WriteOptions
from syncline.sandbox.resources import Resource
from syncline.sandbox.store import Bucket, Place, Row

_NAMESPACES = Bucket("", "namespaces")
_SPEC_WRITERS = frozenset({"", "scale", "resize", "ephemeralcontainers"})
_OUTSIDE_SPEC = frozenset({"apiVersion", "kind", "metadata"})


class Written:
    """What a write led to: the row (not stored after a dry run), warnings, and whether it is new or gone."""

    __slots__ = ("created", "removed", "row", "warnings")

    def __init__(self, row: Row, warnings: list[str], *, created: bool = False, removed: bool = False) -> None:
        self.row = row
        self.warnings = warnings
        self.created = created
        self.removed = removed


def create(backend: Backend, resource: Resource, namespace: str, body: Any, options: WriteOptions) -> Written:
    """Create an object."""
    obj, warnings = _accept(resource, body, options)
    metadata = obj["metadata"] = _own_metadata(resource, obj, namespace)
    if metadata.get("resourceVersion"):
        raise errors.StatusError(500, "", "resourceVersion should not be set on objects to be created")
    _check_namespace(backend, resource, metadata)
    _fill_new_metadata(backend, resource, metadata)
    if resource.has_status:
        obj.pop("status", None)
    obj = _shape(backend, resource, obj, None)
    obj = fields.track_update(resource, None, obj, manager=options.manager, now=backend.timestamp())
    obj = _finish(backend, resource, obj, None)
    return _insert(backend, resource, obj, options, warnings)


def update(
    backend: Backend,
    resource: Resource,
    row: Row,
    body: Any,
    options: WriteOptions,
    subresource: str = "",
) -> Written:
    """Replace an object, or the part of it that a subresource stands for."""
    obj, warnings = _accept(resource, body, options)
    return _replace(backend, resource, row, obj, options, subresource, warnings)


def apply(
    backend: Backend,
    resource: Resource,
    place: Place,
    config: Any,
    options: WriteOptions,
    subresource: str = "",
) -> Written:
    """Server-side apply: create or merge."""
    accepted = decoding.check_kind(resource, config)
    warnings: list[str] = []
    config_metadata = dict(accepted.get("metadata") or {})
    if config_metadata.get("managedFields"):
        raise errors.bad_request("metadata.managedFields must be nil")
    row = backend.store.at(place)
    if row is None and subresource:
        raise errors.not_found(resource.plural, resource.group, place.name)
    if config_metadata.setdefault("name", place.name) != place.name:
        raise errors.bad_request(
            f"the name of the object ({config_metadata['name']}) does not match the name on the URL ({place.name})"
        )
    accepted["metadata"] = config_metadata
    if resource.has_status and not subresource:
        accepted.pop("status", None)
    now = backend.timestamp()
    live = resource.decode(row) if row is not None else None
    if live is not None and row is not None:
        _check_uid(resource, row, config_metadata)
    merged = fields.apply(
        resource,
        live,
        accepted,
        manager=options.manager,
        force=options.force,
        now=now,
        subresource=subresource,
    )
    if row is None:
        return _create_applied(backend, resource, place, merged, options, warnings)
    return _replace(backend, resource, row, merged, options, subresource, warnings, applied=True)


def _create_applied(
    backend: Backend,
    resource: Resource,
    place: Place,
    merged: Object,
    options: WriteOptions,
    warnings: list[str],
) -> Written:
    obj = {**merged}
    metadata = obj["metadata"] = _own_metadata(resource, obj, place.namespace)
    if metadata.get("uid"):
        detail = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
        raise errors.conflict(resource.plural, resource.group, place.name, detail)
    if metadata.pop("resourceVersion", None):
        raise errors.not_found(resource.plural, resource.group, place.name)
    _check_namespace(backend, resource, metadata)
    _fill_new_metadata(backend, resource, metadata)
    obj = _finish(backend, resource, _shape(backend, resource, obj, None), None)
    return _insert(backend, resource, obj, options, warnings)


def _insert(backend: Backend, resource: Resource, obj: Object, options: WriteOptions, warnings: list[str]) -> Written:
    metadata = obj["metadata"]
    place = backend.place(resource, metadata.get("namespace", ""), metadata["name"])
    if options.dry_run:
        if backend.store.at(place) is not None:
            raise errors.already_exists(resource.plural, resource.group, place.name)
        return Written(Row(place, _stored(obj), 0), warnings, created=True)
    return Written(backend.store.put(place, _stored(obj), expected=None), warnings, created=True)


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
) -> Written:
    live = resource.decode(row)
    metadata = obj["metadata"] = dict(obj.get("metadata") or {})
    _check_identity(resource, row, metadata)
    obj = _keep_parts(resource, obj, live, subresource)
    obj = _shape(backend, resource, obj, live, subresource=subresource)
    if not applied:
        obj = fields.track_update(
            resource, live, obj, manager=options.manager, now=backend.timestamp(), subresource=subresource
        )
    obj = _finish(backend, resource, obj, live, subresource=subresource)
    if resource.counts_generation and subresource in _SPEC_WRITERS:
        _count_generation(resource, obj, live)
    obj["metadata"]["resourceVersion"] = str(row.version)
    if _unchanged(obj, live):
        return Written(row, warnings)
    if options.dry_run:
        return Written(Row(row.place, _stored(obj), row.version), warnings)
    if row.deleting and not _held(resource, obj):
        written = backend.store.put(row.place, _stored(obj), expected=row)
        return Written(backend.store.remove(written), warnings, removed=True)
    return Written(backend.store.put(row.place, _stored(obj), expected=row), warnings)


def _held(resource: Resource, obj: Object) -> bool:
    """Tell whether something still keeps a deleted object."""
    metadata = obj["metadata"]
    if metadata.get("finalizers") or (metadata.get("deletionGracePeriodSeconds") or 0) > 0:
        return True
    return resource.bucket == _NAMESPACES and bool((obj.get("spec") or {}).get("finalizers"))


def _accept(resource: Resource, body: Any, options: WriteOptions) -> tuple[Object, list[str]]:
    """Check kind, types and unknown fields; returns an object of our own."""
    obj = decoding.check_kind(resource, body)
    if resource.custom is None:
        obj, unknown = decoding.conform(resource, obj)
    else:
        obj, unknown = custom.conform(resource, obj)
    if not unknown or options.field_validation == "Ignore":
        return obj, []
    told = [f'unknown field "{path}"' for path in unknown]
    if options.field_validation == "Strict":
        raise errors.bad_request(
            f'{resource.kind} in version "{resource.gvk.version}" cannot be handled as a {resource.kind}: '
            f"strict decoding error: {', '.join(told)}"
        )
    return obj, told


def _own_metadata(resource: Resource, obj: Object, namespace: str) -> Object:
    metadata = dict(obj.get("metadata") or {})
    if not resource.namespaced:
        if metadata.pop("namespace", ""):
            raise errors.bad_request("namespace may not be set on a cluster-scoped object")
        return metadata
    given = metadata.get("namespace") or namespace
    if given != namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    if not namespace:
        raise errors.bad_request("an empty namespace may not be set during creation")
    metadata["namespace"] = namespace
    return metadata


def _fill_new_metadata(backend: Backend, resource: Resource, metadata: Object) -> None:
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = f"{metadata['generateName'][:58]}{backend.ids.suffix(5)}"
    metadata["uid"] = backend.ids.uid()
    metadata["creationTimestamp"] = backend.timestamp()
    for field in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation", "resourceVersion"):
        metadata.pop(field, None)
    if resource.counts_generation:
        metadata["generation"] = 1


def _check_namespace(backend: Backend, resource: Resource, metadata: Object) -> None:
    namespace = metadata.get("namespace", "")
    if not namespace:
        return
    row = backend.store.get(_NAMESPACES, "", namespace)
    if row is None:
        raise errors.not_found("namespaces", "", namespace)
    if row.deleting:
        detail = f"unable to create new content in namespace {namespace} because it is being terminated"
        text = f"namespace {namespace} is being terminated"
        causes = [Cause("metadata.namespace", "NamespaceTerminating", text)]
        raise errors.forbidden(resource.plural, resource.group, metadata.get("name", ""), detail, causes)


def _rules(resource: Resource) -> Rules:
    return kinds.of(resource.group, resource.kind) if resource.custom is None else kinds.of("", "")


def _shape(backend: Backend, resource: Resource, obj: Object, live: Object | None, *, subresource: str = "") -> Object:
    """Fill in what belongs to whoever writes: what the kind derives from the written fields, and defaults."""
    if not subresource:
        obj = _rules(resource).prepare(backend, obj, live)
    return custom.complete(resource, obj) if resource.custom is not None else _default(resource, obj)


def _finish(backend: Backend, resource: Resource, obj: Object, live: Object | None, *, subresource: str = "") -> Object:
    """Fill in what the server adds and nobody owns, then hold the object against the rules."""
    obj = {**obj, "metadata": dict(obj["metadata"])}
    causes: list[Cause] = []
    if not subresource:
        rules_set = backend.controls.admission
        if rules_set:
            obj = controls.admit(rules_set, resource, obj, "CREATE" if live is None else "UPDATE")
        rules = _rules(resource)
        obj = rules.complete(backend, obj, live)
        if resource.custom is None and resource.has_status:
            obj.setdefault("status", kinds.first_status(resource.group, resource.kind))
        causes = metadata_rules.check(resource.group, resource.kind, obj["metadata"])
        causes += rules.validate(backend, obj, live)
        causes += _check_finalizers(obj, live)
    if resource.custom is not None:
        causes += custom.validate(resource, obj)
    if causes:
        raise errors.invalid(resource.kind, resource.group, obj["metadata"].get("name", ""), causes)
    return obj


def _default(resource: Resource, obj: Object) -> Object:
    if resource.bucket == _NAMESPACES:
        return obj  # its only default is the finalizer, which nobody owns and which must be removable
    from syncline.apimachinery.schema import defaults

    return defaults.apply(obj, resource.gvk)


def _check_identity(resource: Resource, row: Row, metadata: Object) -> None:
    name = metadata.setdefault("name", row.place.name)
    if name != row.place.name:
        raise errors.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({row.place.name})"
        )
    if row.place.namespace and metadata.setdefault("namespace", row.place.namespace) != row.place.namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    _check_uid(resource, row, metadata)
    version = metadata.get("resourceVersion")
    if not version and resource.custom is not None:
        cause = errors.invalid_value("metadata.resourceVersion", "0", "must be specified for an update")
        raise errors.invalid(resource.plural, resource.group, name, [cause])
    if version and str(version) != str(row.version):
        raise errors.conflict(resource.plural, resource.group, name)


def _check_uid(resource: Resource, row: Row, metadata: Object) -> None:
    uid = metadata.get("uid")
    if uid and uid != row.uid:
        detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {row.uid}"
        raise errors.conflict(resource.plural, resource.group, row.place.name, detail)


def _keep_parts(resource: Resource, obj: Object, live: Object, subresource: str) -> Object:
    """Take from the live object all that this write cannot change."""
    was = live["metadata"]
    metadata = obj["metadata"]
    for field in (
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generation",
        "generateName",
    ):
        if field in was:
            metadata[field] = was[field]
        else:
            metadata.pop(field, None)
    if subresource == "status":
        kept = {**live, "metadata": {**was, "managedFields": metadata.get("managedFields")}}
        kept.pop("status", None)
        if "status" in obj:
            kept["status"] = obj["status"]
        return kept
    if resource.has_status and subresource != "finalize":
        obj = {**obj}
        obj.pop("status", None)
        if "status" in live:
            obj["status"] = live["status"]
    if "managedFields" not in metadata and "managedFields" in was:
        metadata["managedFields"] = was["managedFields"]
    return obj


def _count_generation(resource: Resource, obj: Object, live: Object) -> None:
    outside = _OUTSIDE_SPEC | {"status"} if resource.has_status or resource.custom is None else _OUTSIDE_SPEC
    changed = {key: value for key, value in obj.items() if key not in outside} != {
        key: value for key, value in live.items() if key not in outside
    }
    if changed:
        obj["metadata"]["generation"] = int(live["metadata"].get("generation") or 0) + 1


def _check_finalizers(obj: Object, live: Object | None) -> list[Cause]:
    if live is None or "deletionTimestamp" not in live["metadata"]:
        return []
    was = live["metadata"].get("finalizers") or []
    added = [name for name in obj["metadata"].get("finalizers") or [] if name not in was]
    if not added:
        return []
    told = ", ".join(f'"{name}"' for name in added)
    text = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{told}}}"
    return [errors.forbidden_field("metadata.finalizers", text)]


def _unchanged(obj: Object, live: Object) -> bool:
    """Compare all but the times at which managers wrote."""
    if obj == live:
        return True
    new, old = obj["metadata"], live["metadata"]
    if {**obj, "metadata": None} != {**live, "metadata": None}:
        return False
    if {**new, "managedFields": None} != {**old, "managedFields": None}:
        return False
    return _timeless(new.get("managedFields")) == _timeless(old.get("managedFields"))


def _timeless(entries: Any) -> list[Any]:
    return [{**entry, "time": None} for entry in entries or ()]


def _stored(obj: Object) -> Object:
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
