"""Counts what a namespace uses against its ResourceQuotas.

Whether a new object still fits is decided by `syncline.sandbox.admission.quotas`; this is the controller that keeps
`status.used` true when objects change or go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from syncline.sandbox.admission import usage
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET: Final = Bucket("", "resourcequotas")
_MEASURED: Final = frozenset({Bucket("", "pods"), Bucket("", "persistentvolumeclaims"), Bucket("", "services")})


class Quotas:
    """Plays the resource quota controller."""

    name = "quotas"
    buckets = None

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="resourcequota-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed quotas, and at all of a namespace in which something changed."""
        place = event.row.place
        store = self._backend.store
        if not store.count(BUCKET) or not place.namespace or place.bucket.plural == "events":
            return
        if place.bucket == BUCKET:
            if event.type != "DELETED":
                yield place
        elif event.type != "MODIFIED" or place.bucket in _MEASURED:
            yield from (row.place for row in store.rows(BUCKET, place.namespace))

    def reconcile(self, place: RowKey) -> float | None:
        """Count for one quota."""
        quota = self._client.get(place)
        if quota is None or "deletionTimestamp" in quota["metadata"]:
            return None
        hard = dict((quota.get("spec") or {}).get("hard") or {})
        counted = usage.total(self._backend, place.namespace, quota)
        used = {name: str(amount) for name, amount in sorted(counted.items())}
        self._client.set_status(quota, {"hard": hard, "used": used})
        return None
