"""How simulated controllers read and write: like a client, but on decoded objects and without a socket.

Every controller gets one with its own manager name, so that managedFields show who wrote what, as on a real cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.api import deletes, writes
from syncline.sandbox.api.options import DeleteOptions, WriteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import events
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Row, RowKey

CONTROLLER_MANAGER = "kube-controller-manager"


class Client:
    """Reads and writes of one controller."""

    def __init__(self, backend: Backend, *, component: str, manager: str = CONTROLLER_MANAGER) -> None:
        self.backend = backend
        self.store = backend.store
        self._component = component
        self._options = WriteOptions(manager=manager, field_validation="Ignore")

    def resource(self, group: str, kind: str) -> Resource:
        """Return a kind that is always served."""
        return self.backend.resource(group, kind)

    def get(self, place: RowKey) -> Object | None:
        """Return an object with kind and apiVersion, or None."""
        row = self.store.at(place)
        return None if row is None else self.decode(row)

    def decode(self, row: Row) -> Object:
        """Return a row as an object with kind and apiVersion."""
        resource = self.backend.registry.of_bucket(row.place.bucket)
        return row.decode() if resource is None else resource.decode(row)

    def owned(self, owner: Object, plural: str) -> Iterator[Object]:
        """Yield what an object controls, of one resource, by name."""
        uid = owner["metadata"]["uid"]
        for row in self.store.owned_by(uid):
            if row.place.bucket.plural == plural:
                obj = self.decode(row)
                if (controller_of(obj) or {}).get("uid") == uid:
                    yield obj

    def create(self, group: str, kind: str, namespace: str, obj: Object) -> Object:
        """Create an object; raises as the API does."""
        resource = self.backend.resource(group, kind)
        written = writes.create(self.backend, resource, namespace, obj, self._options)
        return resource.decode(written.row)

    def update(self, obj: Object, *, subresource: str = "") -> Object:
        """Write an object back, or one part of it; what it is based on must still be current."""
        resource, row = self._current(obj)
        written = writes.update(self.backend, resource, row, obj, self._options, subresource)
        return resource.decode(written.row)

    def set_status(self, obj: Object, status: Object) -> Object:
        """Write the status of an object, if it is different."""
        if obj.get("status") == status:
            return obj
        return self.update({**obj, "status": status}, subresource="status")

    def delete(self, obj: Object, *, propagation: str = "Background", grace: int | None = None) -> None:
        """Delete an object."""
        resource, row = self._current(obj)
        options = DeleteOptions(propagation=propagation, grace_seconds=grace, uid=obj["metadata"]["uid"])
        deletes.delete(self.backend, resource, row, options)

    def record(self, about: Object, kind: str, reason: str, message: str, *, field: str = "") -> None:
        """Tell people what happened, as an Event."""
        events.record(
            self.backend, about, kind=kind, reason=reason, message=message, component=self._component, field=field
        )

    def _current(self, obj: Object) -> tuple[Resource, Row]:
        from syncline.apimachinery.keys import gvk_of
        from syncline.sandbox import errors

        resource = self.backend.registry.of_kind(gvk_of(obj))
        metadata = obj["metadata"]
        if resource is None:
            raise errors.not_found(obj["kind"], "", metadata["name"])
        row = self.store.get(
            resource.bucket, metadata.get("namespace", "") if resource.namespaced else "", metadata["name"]
        )
        if row is None:
            raise errors.not_found(resource.plural, resource.group, metadata["name"])
        return resource, row


def controller_of(obj: Object) -> dict[str, Any] | None:
    """Return the owner reference of whoever controls an object, or None."""
    owners = obj["metadata"].get("ownerReferences") or ()
    return next((owner for owner in owners if owner.get("controller")), None)


def owner_reference(owner: Object) -> dict[str, Any]:
    """Return the reference that makes an object a controlled one."""
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": owner["metadata"]["name"],
        "uid": owner["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
