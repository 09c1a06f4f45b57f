"""Deletes objects: preconditions, finalizers, grace, propagation.

Called by `syncline.sandbox.api.requests` and by the simulated controllers. An object goes at once only when nothing
holds it; otherwise it gets a deletionTimestamp and waits for whoever removes the last finalizer. Dependents are the
garbage collector's business (`syncline.sandbox.controllers.garbage`).
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.sandbox import admission, errors
from syncline.sandbox.admission.attempts import Attempt
from syncline.sandbox.api.options import DeleteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster import controls
from syncline.sandbox.kinds.definitions import CLEANUP
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, Row

FOREGROUND: Final = "foregroundDeletion"
ORPHAN: Final = "orphan"
_PODS: Final = Bucket("", "pods")
_NAMESPACES: Final = Bucket("", "namespaces")
_DEFINITIONS: Final = Bucket("apiextensions.k8s.io", "customresourcedefinitions")
_PROTECTED: Final = {
    _NAMESPACES: (("default", "kube-system", "kube-public"), "this namespace may not be deleted"),
    Bucket("scheduling.k8s.io", "priorityclasses"): (
        ("system-cluster-critical", "system-node-critical"),
        "this is a system priority class and cannot be deleted",
    ),
}
"""What nobody can delete, and what is told whoever tries."""


class Deleted:
    """What a delete led to: the last row, and whether it is gone already."""

    __slots__ = ("gone", "row")

    def __init__(self, row: Row, *, gone: bool) -> None:
        self.row = row
        self.gone = gone


def delete(backend: Backend, resource: Resource, row: Row, options: DeleteOptions) -> Deleted:
    """Delete one object, or mark it for deletion."""
    _check_preconditions(resource, row, options)
    if backend.controls.admission:
        controls.admit(backend.controls.admission, resource, row.decode(), "DELETE")
    admission.check_delete(
        backend, Attempt(resource=resource, obj=None, live=resource.decode(row), dry_run=options.dry_run)
    )
    protected = _PROTECTED.get(resource.bucket)
    if protected is not None and row.place.name in protected[0]:
        raise errors.forbidden(resource.plural, resource.group, row.place.name, protected[1])
    obj = row.decode()
    metadata = obj["metadata"]
    _set_propagation(metadata, options.propagation)
    grace = _grace(resource, obj, options)
    if resource.bucket == _DEFINITIONS and CLEANUP not in (metadata.get("finalizers") or ()):
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), CLEANUP]
    if not metadata.get("finalizers") and grace == 0 and not _namespace_holds(resource, obj):
        return Deleted(_end(backend, resource, row, options), gone=True)
    _mark(backend, resource, obj, grace)
    if options.dry_run:
        return Deleted(Row(row.place, obj, row.version), gone=False)
    if obj == row.decode():
        return Deleted(row, gone=False)
    return Deleted(backend.store.put(row.place, obj, expected=row), gone=False)


def _end(backend: Backend, resource: Resource, row: Row, options: DeleteOptions) -> Row:
    """Remove an object that nothing holds; a pod is marked first, so that watchers see it go."""
    if options.dry_run:
        return row
    if resource.bucket == _PODS:
        obj = row.decode()
        _mark(backend, resource, obj, 0)
        return backend.store.remove(row, last=obj)
    return backend.store.remove(row)


def _namespace_holds(resource: Resource, obj: Object) -> bool:
    return resource.bucket == _NAMESPACES and bool((obj.get("spec") or {}).get("finalizers"))


def _check_preconditions(resource: Resource, row: Row, options: DeleteOptions) -> None:
    if options.uid and options.uid != row.uid:
        detail = (
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({row.uid}). "
            "The object might have been deleted and then recreated"
        )
        raise errors.conflict(resource.kind, resource.group, row.place.name, detail)
    if options.resource_version and options.resource_version != str(row.version):
        detail = (
            f"the ResourceVersion in the precondition ({options.resource_version}) does not match the "
            f"ResourceVersion in record ({row.version}). The object might have been modified"
        )
        raise errors.conflict(resource.kind, resource.group, row.place.name, detail)


def _set_propagation(metadata: Object, propagation: str) -> None:
    """Write the wish of the caller as the finalizer that carries it out; without one, what is there stays."""
    if not propagation:
        return
    kept = [name for name in metadata.get("finalizers") or () if name not in (FOREGROUND, ORPHAN)]
    wanted = {"Foreground": [FOREGROUND], "Orphan": [ORPHAN]}.get(propagation, [])
    finalizers = [*kept, *wanted]
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)


def _grace(resource: Resource, obj: Object, options: DeleteOptions) -> int:
    """Return how long the object may take to stop; only pods on a node take time."""
    if resource.bucket != _PODS:
        return 0
    spec, phase = obj.get("spec") or {}, (obj.get("status") or {}).get("phase")
    if not spec.get("nodeName") or phase in ("Succeeded", "Failed"):
        return 0
    if options.grace_seconds is not None:
        return options.grace_seconds
    given: Any = spec.get("terminationGracePeriodSeconds")
    return 30 if given is None else int(given)


def _mark(backend: Backend, resource: Resource, obj: Object, grace: int) -> None:
    metadata = obj["metadata"]
    earlier = metadata.get("deletionGracePeriodSeconds")
    if "deletionTimestamp" in metadata and (earlier is None or grace >= earlier):
        return
    metadata["deletionTimestamp"] = times.format_time(backend.clock.now() + timedelta(seconds=grace))
    if resource.bucket == _NAMESPACES:
        obj["status"] = {**(obj.get("status") or {}), "phase": "Terminating"}
        return
    if resource.bucket == _DEFINITIONS:
        _mark_definition(backend, obj)
        return
    metadata["deletionGracePeriodSeconds"] = grace
    if metadata.get("generation") and earlier is None:
        metadata["generation"] += 1


def _mark_definition(backend: Backend, obj: Object) -> None:
    status = obj.get("status") or {}
    terminating = {
        "type": "Terminating",
        "status": "True",
        "lastTransitionTime": backend.timestamp(),
        "reason": "InstanceDeletionPending",
        "message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    }
    obj["status"] = {**status, "conditions": [*(status.get("conditions") or ()), terminating]}
