"""Gives Ingresses an address, as an ingress controller does for the classes it serves."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_BUCKET = Bucket("networking.k8s.io", "ingresses")
_OLD_CLASS = "kubernetes.io/ingress.class"


class Ingresses:
    """Plays one ingress controller for all classes that are served."""

    name = "ingresses"
    buckets = (_BUCKET,)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="nginx-ingress-controller", manager="nginx-ingress-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed Ingresses."""
        if event.type != "DELETED":
            yield event.row.place

    def reconcile(self, place: RowKey) -> float | None:
        """Publish the address of one Ingress."""
        ingress = self._client.get(place)
        settings = self._backend.settings.load_balancers
        if ingress is None or "deletionTimestamp" in ingress["metadata"] or not settings.enabled or settings.problem:
            return None
        annotations = ingress["metadata"].get("annotations") or {}
        name = (ingress.get("spec") or {}).get("ingressClassName") or annotations.get(_OLD_CLASS) or ""
        known = ((ingress.get("status") or {}).get("loadBalancer") or {}).get("ingress")
        if known or not any(fnmatchcase(name, served) for served in settings.ingress_classes):
            return None
        self._client.record(ingress, "Normal", "Sync", "Scheduled for sync")
        address = self._backend.next_address("203.1")
        self._client.set_status(ingress, {"loadBalancer": {"ingress": [{"ip": address}]}})
        return None
