"""Furnishes new namespaces and empties deleted ones."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.api import deletes
from syncline.sandbox.api.options import DeleteOptions
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

_BUCKET = Bucket("", "namespaces")


class Namespaces:
    """Plays the namespace, service account and root certificate controllers."""

    name = "namespaces"
    buckets = None

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="namespace-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed namespaces, and at a deleted one as its content goes."""
        place = event.row.place
        if place.bucket == _BUCKET:
            if event.type != "DELETED":
                yield place
        elif event.type == "DELETED" and place.namespace:
            row = self._backend.store.get(_BUCKET, "", place.namespace)
            if row is not None and (row.deleting or place.name in ("default", "kube-root-ca.crt")):
                yield row.place

    def reconcile(self, place: RowKey) -> None:
        """Bring one namespace further."""
        obj = self._client.get(place)
        if obj is None:
            return
        if "deletionTimestamp" in obj["metadata"]:
            self._empty(obj)
        elif self._backend.settings.simulate:
            self._furnish(place.name)

    def _furnish(self, namespace: str) -> None:
        store = self._backend.store
        if store.get(Bucket("", "serviceaccounts"), namespace, "default") is None:
            self._client.create("", "ServiceAccount", namespace, {"metadata": {"name": "default"}})
        content = {"ca.crt": self._backend.authority}
        bundle = self._client.get(RowKey(Bucket("", "configmaps"), namespace, "kube-root-ca.crt"))
        if bundle is not None and bundle.get("data") != content:
            self._client.update({**bundle, "data": content})
        elif bundle is None:
            text = (
                "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints "
                "such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across "
                "distributions of Kubernetes clusters."
            )
            metadata = {"name": "kube-root-ca.crt", "annotations": {"kubernetes.io/description": text}}
            self._client.create("", "ConfigMap", namespace, {"metadata": metadata, "data": content})

    def _empty(self, obj: Object) -> None:
        name = obj["metadata"]["name"]
        for row in self._content(name):
            resource = self._backend.registry.of_bucket(row.place.bucket)
            if resource is not None and not row.deleting:
                deletes.delete(self._backend, resource, row, DeleteOptions(propagation="Background"))
        left = self._content(name)
        if left:
            conditions = self._conditions(obj, left)
            status = {**(obj.get("status") or {}), "phase": "Terminating", "conditions": conditions}
            self._client.set_status(obj, status)
            return
        finalizers = [one for one in (obj.get("spec") or {}).get("finalizers") or () if one != "kubernetes"]
        self._client.update({**obj, "spec": {"finalizers": finalizers}}, subresource="finalize")

    def _content(self, namespace: str) -> list[Row]:
        store = self._backend.store
        return [row for bucket in store.buckets() for row in store.rows(bucket, namespace)]

    def _conditions(self, obj: Object, left: list[Row]) -> list[Object]:
        counts: dict[str, int] = {}
        holders: dict[str, int] = {}
        for row in left:
            bucket = row.place.bucket
            label = f"{bucket.plural}.{bucket.group}"
            counts[label] = counts.get(label, 0) + 1
            for finalizer in row.decode()["metadata"].get("finalizers") or ():
                holders[finalizer] = holders.get(finalizer, 0) + 1
        known = {one["type"]: one for one in (obj.get("status") or {}).get("conditions") or ()}
        listed = ", ".join(f"{label} has {count} resource instances" for label, count in sorted(counts.items()))
        held = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(holders.items()))
        told = [
            (
                "NamespaceDeletionDiscoveryFailure",
                "False",
                "ResourcesDiscovered",
                "All resources successfully discovered",
            ),
            (
                "NamespaceDeletionGroupVersionParsingFailure",
                "False",
                "ParsedGroupVersions",
                "All legacy kube types successfully parsed",
            ),
            (
                "NamespaceDeletionContentFailure",
                "False",
                "ContentDeleted",
                "All content successfully deleted, may be waiting on finalization",
            ),
            ("NamespaceContentRemaining", "True", "SomeResourcesRemain", f"Some resources are remaining: {listed}"),
            (
                "NamespaceFinalizersRemaining",
                "True" if held else "False",
                "SomeFinalizersRemain" if held else "ContentHasNoFinalizers",
                f"Some content in the namespace has finalizers remaining: {held}"
                if held
                else "All content-preserving finalizers finished",
            ),
        ]
        return [self._condition(known, *one) for one in told]

    def _condition(self, known: dict[str, Object], kind: str, status: str, reason: str, message: str) -> Object:
        before = known.get(kind) or {}
        since = before.get("lastTransitionTime") if before.get("status") == status else None
        return {
            "type": kind,
            "status": status,
            "lastTransitionTime": since or self._backend.timestamp(),
            "reason": reason,
            "message": message,
        }
