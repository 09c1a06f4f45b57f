"""Deletes Applications with their objects or without, and agrees to deletions that wait for somebody's word."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.controller.app_key import AppKey
from syncline.model import names
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.applications import Permit, StoredApplication, annotate, application_resource, change_application
from syncline.verbs.errors import Conflict

_ATTEMPTS = 10


class Propagation(StrEnum):
    """Whether deleting an object waits for what the object owns."""

    DEFAULT = ""
    FOREGROUND = "foreground"
    BACKGROUND = "background"


class DeleteRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Deletion of one Application; `cascade` deletes its objects too. With `uid` only the very one that was seen."""

    app: AppKey
    cascade: bool = True
    propagation: Propagation = Propagation.DEFAULT
    uid: str = ""


async def delete_application(
    cluster: Cluster, request: DeleteRequest, permit: Permit = lambda _stored: None
) -> StoredApplication:
    """Set or remove the finalizer that deletes objects, then delete that very Application; returns it as it was.

    It is deleted in the state that `permit` was asked about, and in no later one.
    """
    resource = await application_resource(cluster)
    for _ in range(_ATTEMPTS):
        stored = await _mark(cluster, request, permit)
        metadata = stored.obj["metadata"]
        request = msgspec.structs.replace(request, uid=str(metadata["uid"]))
        try:
            # An Application owns nothing in the sense of Kubernetes: its garbage collector waits for nothing.
            await cluster.delete(
                resource,
                request.app.namespace,
                request.app.name,
                uid=request.uid,
                resource_version=str(metadata["resourceVersion"]),
                propagation="Background",
            )
        except ApiError as error:
            if error.reason != "Conflict":
                raise
        else:
            return stored
    raise Conflict(f"Application {request.app.name} keeps being changed by others", hint="try again")


async def _mark(cluster: Cluster, request: DeleteRequest, permit: Permit) -> StoredApplication:
    """Set or remove the finalizer, on the very Application that was seen."""

    def marked(app: Object) -> Object:
        metadata = app["metadata"]
        if request.uid and metadata["uid"] != request.uid:
            raise Conflict(f"Application {request.app.name} was deleted, and another one has its name")
        others = [name for name in metadata.get("finalizers") or [] if not _deletes_objects(name)]
        metadata["finalizers"] = [*others, *finalizers(request)]
        if not metadata["finalizers"]:
            del metadata["finalizers"]
        return app

    return await change_application(cluster, request.app, marked, permit)


def finalizers(request: DeleteRequest) -> list[str]:
    """Return the finalizer that makes the controller delete the objects first; none without cascade."""
    if not request.cascade:
        return []
    suffix = f"/{request.propagation.value}" if request.propagation else ""
    return [f"{names.RESOURCES_FINALIZER}{suffix}"]


def _deletes_objects(finalizer: str) -> bool:
    return finalizer.partition("/")[0] == names.RESOURCES_FINALIZER


async def confirm_deletion(cluster: Cluster, key: AppKey, clock: Clock) -> StoredApplication:
    """Agree to delete or prune the objects that ask for it (Delete=confirm, Prune=confirm)."""
    return await annotate(cluster, key, {names.DELETION_APPROVED: times.format_time(clock.now())})
