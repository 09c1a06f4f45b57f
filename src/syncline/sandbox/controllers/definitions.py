"""Serves custom kinds: accepts a definition's names, establishes it, and cleans up after it is deleted."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.api import deletes
from syncline.sandbox.api.options import DeleteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import naming
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.kinds.definitions import CLEANUP
from syncline.sandbox.served import custom
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

_BUCKET = Bucket("apiextensions.k8s.io", "customresourcedefinitions")


class DefinitionController:
    """Plays the apiextensions controllers."""

    name = "customresourcedefinitions"
    buckets = None

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="apiextensions", manager="kube-apiserver")
        self._deleting: set[Bucket] = set()

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed definitions, and at a deleted one as its objects go."""
        place = event.row.place
        if place.bucket == _BUCKET:
            if event.type == "DELETED":
                spec = event.row.decode()["spec"]
                self._forget(Bucket(spec["group"], spec["names"]["plural"]))
                yield from (row.place for row in self._of_group(spec["group"]))  # its names are free now
            else:
                yield place
        elif event.type == "DELETED" and place.bucket in self._deleting:
            yield RowKey(_BUCKET, "", f"{place.bucket.plural}.{place.bucket.group}")

    def reconcile(self, place: RowKey) -> None:
        """Bring one definition further."""
        obj = self._client.get(place)
        if obj is None:
            return
        bucket = Bucket(obj["spec"]["group"], obj["spec"]["names"]["plural"])
        if "deletionTimestamp" in obj["metadata"]:
            self._clean_up(obj, bucket)
            return
        status = self._accepted(obj)
        conditions = {one["type"]: one["status"] for one in status["conditions"]}
        if conditions.get("Established") == "True":
            before, used = self._backend.registry.of_bucket(bucket), bool(self._backend.store.count(bucket))
            resources = custom.resources_of({**obj, "status": status}, before, used=used)
            self._backend.registry.replace_custom(bucket.group, bucket.plural, resources)
        self._client.set_status(obj, status)

    def _of_group(self, group: str) -> list[Row]:
        return [row for row in self._backend.store.rows(_BUCKET) if row.place.name.partition(".")[2] == group]

    def _accepted(self, obj: Object) -> Object:
        spec, status = obj["spec"], obj.get("status") or {}
        others = (row.decode() for row in self._of_group(spec["group"]) if row.uid != obj["metadata"]["uid"])
        taken = [(other.get("status") or {}).get("acceptedNames") or {} for other in others]
        found = naming.accept(spec["names"], status.get("acceptedNames") or {}, taken)
        known = {one["type"]: one for one in status.get("conditions") or ()}
        established = known.get("Established")
        if found.reason:
            accepted = self._condition(known, "NamesAccepted", "False", found.reason, found.message)
        else:
            accepted = self._condition(known, "NamesAccepted", "True", "NoConflicts", "no conflicts found")
        if established is None or established["status"] != "True":
            told = ("False", "NotAccepted", "not all names are accepted")
            if not found.reason:
                told = ("True", "InitialNamesAccepted", "the initial names have been accepted")
            established = self._condition(known, "Established", *told)
        storage = [version["name"] for version in spec["versions"] if version.get("storage")]
        stored = status.get("storedVersions") or []
        return {
            "conditions": [accepted, established],
            "acceptedNames": found.names,
            "storedVersions": [*stored, *(name for name in storage if name not in stored)],
        }

    def _condition(self, known: dict[str, Object], kind: str, status: str, reason: str, message: str) -> Object:
        before = known.get(kind)
        since = before["lastTransitionTime"] if before is not None and before["status"] == status else None
        return {
            "type": kind,
            "status": status,
            "lastTransitionTime": since or self._backend.timestamp(),
            "reason": reason,
            "message": message,
        }

    def _clean_up(self, obj: Object, bucket: Bucket) -> None:
        finalizers = obj["metadata"].get("finalizers") or []
        if CLEANUP not in finalizers:
            return
        resource = self._backend.registry.of_bucket(bucket)
        if resource is not None:
            for row in list(self._backend.store.rows(bucket)):
                if not row.deleting:
                    deletes.delete(self._backend, resource, row, DeleteOptions())
        if self._backend.store.count(bucket):
            self._deleting.add(bucket)
            return
        kept = [name for name in finalizers if name != CLEANUP]
        self._client.update({**obj, "metadata": {**obj["metadata"], "finalizers": kept}})

    def _forget(self, bucket: Bucket) -> None:
        self._deleting.discard(bucket)
        self._backend.registry.replace_custom(bucket.group, bucket.plural, ())
