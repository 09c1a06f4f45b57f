"""Who an object is and where it belongs: its metadata at birth, and what no later write can change of it.

Called by `syncline.sandbox.api.writes` on every create, update and apply, before anything is filled in.
"""

from __future__ import annotations

from syncline.apimachinery import meta, names
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import pod_updates
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row

_NAMESPACES = Bucket("", "namespaces")
_DEPLOYMENTS = Bucket("apps", "deployments")
_LIMIT_RANGES = Bucket("", "limitranges")
NAME_LABEL = "kubernetes.io/metadata.name"
"""The label with which a namespace shows its own name; nobody can take it away."""


def own_metadata(resource: Resource, obj: Object, namespace: str) -> Object:
    """Return the metadata of a new object, in the namespace of its path."""
    metadata = dict(meta.metadata(obj))
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


def fill_new(backend: Backend, resource: Resource, metadata: Object) -> None:
    """Give a new object its name, uid and times."""
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = names.generated(metadata["generateName"], backend.ids.suffix(names.SUFFIX_LENGTH))
    if not metadata.get("name") and resource.bucket == _LIMIT_RANGES:
        metadata["name"] = backend.ids.uid()  # the one kind that names itself
    metadata["uid"] = backend.ids.uid()
    metadata["creationTimestamp"] = backend.timestamp()
    for field in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion"):
        metadata.pop(field, None)
    if resource.counts_generation:
        metadata["generation"] = 1


def check_namespace(backend: Backend, resource: Resource, metadata: Object) -> None:
    """Refuse new objects where the namespace is not there or on its way out."""
    namespace = metadata.get("namespace", "")
    if not namespace:
        return
    row = backend.store.get(_NAMESPACES, "", namespace)
    if row is None:
        raise errors.not_found("namespaces", "", namespace)
    if row.deleting:
        detail = f"unable to create new content in namespace {namespace} because it is being terminated"
        text = f"namespace {namespace} is being terminated"
        causes = [FieldCause("metadata.namespace", "NamespaceTerminating", text)]
        raise errors.forbidden(resource.plural, resource.group, metadata.get("name", ""), detail, causes)


def check(resource: Resource, row: Row, metadata: Object) -> None:
    """Refuse a write that is about another object, or about an older one than is stored."""
    name = metadata.setdefault("name", row.place.name)
    if name != row.place.name:
        raise errors.bad_request(
            f"the name of the object ({name}) does not match the name on the URL ({row.place.name})"
        )
    if row.place.namespace and metadata.setdefault("namespace", row.place.namespace) != row.place.namespace:
        raise errors.bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    check_uid(resource, row, metadata, patched=False)
    version = metadata.get("resourceVersion")
    if not version and resource.custom is not None:
        cause = errors.invalid_value("metadata.resourceVersion", "0", "must be specified for an update")
        raise errors.invalid(resource.plural, resource.group, name, [cause])
    if version and not str(version).isdigit():
        raise errors.StatusError(500, "", f'strconv.ParseUint: parsing "{version}": invalid syntax')
    if version and str(version) != str(row.version):
        raise errors.conflict(resource.plural, resource.group, name)


def check_uid(resource: Resource, row: Row, metadata: Object, *, patched: bool) -> None:
    """Refuse a write that means an object of the same name that is gone; a patch that sets a uid is just wrong."""
    uid = metadata.get("uid")
    if not uid or uid == row.uid:
        return
    if patched:
        cause = errors.invalid_value("metadata.uid", f'"{uid}"', "field is immutable")
        raise errors.invalid(resource.kind, resource.group, row.place.name, [cause])
    parts = ("", "registry", resource.group if resource.custom is not None else "", resource.plural)
    key = "/".join([parts[0], *filter(None, (*parts[1:], row.place.namespace, row.place.name))])
    detail = (
        f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: "
        f"Precondition failed: UID in precondition: {uid}, UID in object meta: {row.uid}"
    )
    raise errors.conflict(resource.plural, resource.group, row.place.name, detail)


def keep_parts(resource: Resource, obj: Object, live: Object, subresource: str) -> Object:
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
        if resource.bucket == _DEPLOYMENTS and metadata.get("annotations"):
            # With its status a Deployment's annotations are written too: that is how it gets its revision.
            kept["metadata"]["annotations"] = metadata["annotations"]
        kept.pop("status", None)
        if "status" in obj:
            kept["status"] = obj["status"]
        return kept
    if subresource == "resize":
        obj = {**pod_updates.resized(obj, live), "metadata": metadata}
    if subresource == "finalize":
        finalizers = (obj.get("spec") or {}).get("finalizers")
        obj = {**obj, "spec": {"finalizers": finalizers} if finalizers else {}}
        named = {key: value for key, value in (was.get("labels") or {}).items() if key == NAME_LABEL}
        metadata["labels"] = {**(metadata.get("labels") or {}), **named}
    if resource.has_status:
        obj = {**obj}
        obj.pop("status", None)
        if "status" in live:
            obj["status"] = live["status"]
    if "managedFields" not in metadata and "managedFields" in was:
        metadata["managedFields"] = was["managedFields"]
    return obj
