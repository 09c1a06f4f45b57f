"""Collects garbage: dependents of owners that are gone, and deletes that wait for or let go of dependents.

Foreground: dependents that block go first, then the owner. Orphan: dependents lose the reference, then the owner goes.
Background (or nothing said): the owner is gone already, and dependents without another owner follow.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.sandbox.api.deletes import FOREGROUND, ORPHAN
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store.store import Row, RowKey, StoreEvent


class Garbage:
    """Plays the garbage collector."""

    name = "garbage"
    buckets = None

    def __init__(self, backend: Backend) -> None:
        self._store = backend.store
        self._registry = backend.registry
        self._client = Client(backend, component="garbage-collector-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at what has owners, at what waits for its dependents, and at dependents of what is gone."""
        row = event.row
        if event.type == "DELETED":
            for dependent in self._store.owned_by(row.uid):
                yield dependent.place
        elif row.deleting or (row.owners and (event.previous is None or event.previous.owners != row.owners)):
            yield row.place
        before = event.previous.owners if event.previous is not None else ()
        if event.type == "DELETED" or before != row.owners:
            for uid in before:
                owner = self._store.by_uid(uid)
                if owner is not None and owner.deleting:
                    yield owner.place

    def reconcile(self, place: RowKey) -> None:
        """Bring one object further."""
        row = self._store.at(place)
        if row is None or self._registry.of_bucket(place.bucket) is None:
            return
        if row.deleting:
            finalizers = row.decode()["metadata"].get("finalizers") or ()
            if ORPHAN in finalizers:
                self._orphan(row)
            elif FOREGROUND in finalizers:
                self._delete_dependents(row)
            return
        if row.owners:
            self._check_owners(row)

    def _check_owners(self, row: Row) -> None:
        obj = self._client.decode(row)
        owners = obj["metadata"].get("ownerReferences") or []
        alive = [one for one in owners if self._store.by_uid(one.get("uid", "")) is not None]
        if not alive:
            propagation = "Background"
            finalizers = obj["metadata"].get("finalizers") or ()
            if ORPHAN in finalizers:
                propagation = "Orphan"
            elif FOREGROUND in finalizers:
                propagation = "Foreground"
            self._client.delete(obj, propagation=propagation)
            return
        waiting = [one for one in alive if self._is_foreground(one.get("uid", ""))]
        solid = [one for one in alive if one not in waiting]
        if solid and len(alive) < len(owners):
            self._set_owners(obj, alive)
        elif waiting and not solid:
            blocking = bool(self._store.owned_by(row.uid))
            self._client.delete(obj, propagation="Foreground" if blocking else "Background")

    def _is_foreground(self, uid: str) -> bool:
        owner = self._store.by_uid(uid)
        if owner is None or not owner.deleting:
            return False
        return FOREGROUND in (owner.decode()["metadata"].get("finalizers") or ())

    def _delete_dependents(self, row: Row) -> None:
        dependents = self._store.owned_by(row.uid)
        for dependent in dependents:
            if not dependent.deleting:
                self._check_owners(dependent)
        left = [one for one in self._store.owned_by(row.uid) if _blocks(one.decode(), row.uid)]
        if not left:
            self._drop_finalizer(row.place, FOREGROUND)

    def _orphan(self, row: Row) -> None:
        for dependent in self._store.owned_by(row.uid):
            obj = self._client.decode(dependent)
            owners = [one for one in obj["metadata"]["ownerReferences"] if one.get("uid") != row.uid]
            self._set_owners(obj, owners)
        self._drop_finalizer(row.place, ORPHAN)

    def _set_owners(self, obj: Object, owners: list[dict[str, Any]]) -> None:
        metadata = {key: value for key, value in obj["metadata"].items() if key != "ownerReferences"}
        if owners:
            metadata["ownerReferences"] = owners
        self._client.update({**obj, "metadata": metadata})

    def _drop_finalizer(self, place: RowKey, name: str) -> None:
        obj = self._client.get(place)
        if obj is not None:
            kept = [one for one in obj["metadata"].get("finalizers") or () if one != name]
            self._client.update({**obj, "metadata": {**obj["metadata"], "finalizers": kept}})


def _blocks(obj: Object, uid: str) -> bool:
    owners = obj["metadata"].get("ownerReferences") or ()
    return any(one.get("uid") == uid and one.get("blockOwnerDeletion") for one in owners)
