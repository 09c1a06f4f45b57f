"""Keeps the status of PodDisruptionBudgets: how many pods are healthy and how many may go."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import intorstring, selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

BUCKET = Bucket("policy", "poddisruptionbudgets")
_PODS = Bucket("", "pods")
_OWNERS = {
    "ReplicaSet": Bucket("apps", "replicasets"),
    "StatefulSet": Bucket("apps", "statefulsets"),
    "ReplicationController": Bucket("", "replicationcontrollers"),
}


class Budgets:
    """Plays the disruption controller."""

    name = "budgets"
    buckets = (BUCKET, _PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="controllermanager")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed budgets and at those of a changed pod's namespace."""
        place = event.row.place
        if place.bucket == BUCKET:
            if event.type != "DELETED":
                yield place
        elif self._backend.store.count(BUCKET):
            yield from (row.place for row in self._backend.store.rows(BUCKET, place.namespace))

    def reconcile(self, place: RowKey) -> float | None:
        """Count for one budget."""
        budget = self._client.get(place)
        if budget is None or "deletionTimestamp" in budget["metadata"]:
            return None
        selector = (budget.get("spec") or {}).get("selector")
        matcher = selectors.LabelSelector.from_object(selector)
        rows = [
            row
            for row in self._backend.store.rows(_PODS, place.namespace)
            if selector is not None and matcher.matches(row.labels) and views.pod(row).active
        ]
        if not rows:
            self._client.record(budget, "Normal", "NoPods", "No matching pods found")
        healthy = sum(1 for row in rows if views.pod(row).ready_since)
        expected, desired = self._wanted(budget["spec"], rows)
        allowed = max(0, healthy - desired) if expected else 0
        status = {
            "conditions": [self._condition(budget, allowed)],
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "disruptionsAllowed": allowed,
            "expectedPods": expected,
            "observedGeneration": budget["metadata"].get("generation", 1),
        }
        self._client.set_status(budget, status)
        return None

    def _wanted(self, spec: Object, rows: list[Row]) -> tuple[int, int]:
        """Return how many pods there should be, and how many must stay healthy."""
        most, least = spec.get("maxUnavailable"), spec.get("minAvailable", 1)
        if most is None and isinstance(least, int):
            return len(rows), least
        expected = self._expected(rows)
        if most is None:
            return expected, intorstring.scaled(least, expected, round_up=True)
        return expected, max(0, expected - intorstring.scaled(most, expected, round_up=True))

    def _expected(self, rows: list[Row]) -> int:
        wanted: dict[str, int] = {}
        for row in rows:
            owner = views.pod(row).controller
            if owner is None or owner.kind not in _OWNERS:
                continue
            found = self._backend.store.get(_OWNERS[owner.kind], row.place.namespace, owner.name)
            wanted[owner.uid] = int((found.decode().get("spec") or {}).get("replicas", 1)) if found is not None else 0
        return sum(wanted.values())

    def _condition(self, budget: Object, allowed: int) -> Object:
        status, reason = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
        before: Object = next(iter((budget.get("status") or {}).get("conditions") or ()), {})
        kept = before.get("status") == status
        return {
            "type": "DisruptionAllowed",
            "status": status,
            "observedGeneration": budget["metadata"].get("generation", 1),
            "lastTransitionTime": before["lastTransitionTime"] if kept else self._backend.timestamp(),
            "reason": reason,
            "message": "",
        }
