"""Keeps as many pods as a ReplicaSet wants."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.workloads import podset, readiness
from syncline.sandbox.errors import StatusError
from syncline.sandbox.store.store import Bucket, Row, RowKey, StoreEvent

BUCKET = Bucket("apps", "replicasets")
_FIRST_RETRY = 0.5
_LONGEST_RETRY = 30.0


class ReplicaSets:
    """Plays the ReplicaSet controller."""

    name = "replicasets"
    buckets = (BUCKET, podset.PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="replicaset-controller")
        self._refused: dict[str, tuple[float, StatusError, int]] = {}
        """Sets whose last pod was refused: when to try again, what was said, and how often."""

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed sets and at the sets of changed pods."""
        if event.row.place.bucket == BUCKET:
            if event.type == "DELETED":
                self._refused.pop(event.row.uid, None)
            else:
                yield event.row.place
            return
        yield from podset.owner_places(event, BUCKET, "ReplicaSet")
        yield from podset.takers(self._backend.store, event, BUCKET)

    def reconcile(self, place: RowKey) -> float | None:
        """Create or delete pods, then count."""
        obj = self._client.get(place)
        if obj is None:
            return None
        podset.adopt(self._client, obj, podset.PODS)
        rows = self._active(obj)
        wanted = int(obj["spec"].get("replicas", 1))
        uid, now = obj["metadata"]["uid"], self._backend.clock.monotonic()
        due, failure, times = self._refused.get(uid, (now, None, 0))
        if len(rows) == wanted or now >= due:
            self._refused.pop(uid, None)
            failure = None
        if len(rows) != wanted and now >= due and "deletionTimestamp" not in obj["metadata"]:
            try:
                self._scale(obj, rows, wanted)
            except StatusError as error:
                failure = error
                due = now + min(_FIRST_RETRY * 2**times, _LONGEST_RETRY)
                self._refused[uid] = (due, error, times + 1)
            rows = self._active(obj)
        waiting = self._count(place, rows, failure)
        return due - now if failure is not None else waiting

    def _active(self, obj: Object) -> list[Row]:
        uid = obj["metadata"]["uid"]
        found = [row for row in self._backend.store.owned_by(uid) if row.place.bucket == podset.PODS]
        return [
            row for row in found if (view := views.pod(row)).active and view.controller and view.controller.uid == uid
        ]

    def _leaving(self, obj: Object) -> int:
        """Count pods that are being deleted and still run."""
        found = self._backend.store.owned_by(obj["metadata"]["uid"])
        return sum(1 for row in found if row.place.bucket == podset.PODS and row.deleting and not views.pod(row).ended)

    def _scale(self, obj: Object, active: list[Row], wanted: int) -> None:
        for _ in range(wanted - len(active)):
            podset.create_pod(self._client, obj, obj["spec"].get("template") or {})
        surplus = len(active) - wanted
        if surplus > 0:
            pods = [self._client.decode(row) for row in active]
            for pod in sorted(pods, key=podset.removal_order)[:surplus]:
                podset.delete_pod(self._client, obj, pod)

    def _count(self, place: RowKey, rows: list[Row], failure: StatusError | None) -> float | None:
        obj = self._client.get(place)
        if obj is None:
            return None
        minimum = int(obj["spec"].get("minReadySeconds") or 0)
        now = self._backend.clock.now()
        waits = [readiness.available_after(views.pod(row).ready_since, minimum, now) for row in rows]
        labels = meta.labels(obj["spec"].get("template") or {})
        status = readiness.without_zeros(
            {
                "replicas": len(rows),
                "fullyLabeledReplicas": sum(1 for row in rows if labels.items() <= row.labels.items()),
                "readyReplicas": sum(1 for wait in waits if wait is not None),
                "availableReplicas": sum(1 for wait in waits if wait == 0.0),
                "terminatingReplicas": self._leaving(obj),
                "observedGeneration": obj["metadata"].get("generation", 0),
                "conditions": self._conditions(obj, failure),
            },
            "replicas",
            "terminatingReplicas",
        )
        self._client.set_status(obj, status)
        return min((wait for wait in waits if wait), default=None)

    def _conditions(self, obj: Object, failure: StatusError | None) -> list[Object]:
        known = [
            one
            for one in (obj.get("status") or {}).get("conditions") or ()
            if one["type"] != "ReplicaFailure" or failure is not None
        ]
        if failure is None:
            return known
        new = {
            "type": "ReplicaFailure",
            "status": "True",
            "lastTransitionTime": self._backend.timestamp(),
            "reason": "FailedCreate",
            "message": failure.message,
        }
        return readiness.with_condition(known, new)
