"""Keeps as many pods as a ReplicaSet wants."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import podset, readiness
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.errors import StatusError
from syncline.sandbox.store import Bucket, Event, Place

BUCKET = Bucket("apps", "replicasets")
_RETRY_SECONDS = 5.0


class ReplicaSets:
    """Plays the ReplicaSet controller."""

    name = "replicasets"
    buckets = (BUCKET, podset.PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="replicaset-controller")

    def places(self, event: Event) -> Iterable[Place]:
        """Look at changed sets and at the sets of changed pods."""
        if event.row.place.bucket == BUCKET:
            if event.type != "DELETED":
                yield event.row.place
            return
        yield from podset.owner_places(event, BUCKET, "ReplicaSet")

    def reconcile(self, place: Place) -> float | None:
        """Create or delete pods, then count."""
        obj = self._client.get(place)
        if obj is None:
            return None
        pods = podset.pods_of(self._client, obj)
        failure: StatusError | None = None
        if "deletionTimestamp" not in obj["metadata"]:
            try:
                self._scale(obj, [pod for pod in pods if readiness.is_active(pod)])
            except StatusError as error:
                failure = error
        waiting = self._count(place, failure)
        return _RETRY_SECONDS if failure is not None else waiting

    def _scale(self, obj: Object, active: list[Object]) -> None:
        wanted = int(obj["spec"].get("replicas", 1))
        for _ in range(wanted - len(active)):
            podset.create_pod(self._client, obj, obj["spec"].get("template") or {})
        surplus = len(active) - wanted
        if surplus > 0:
            for pod in sorted(active, key=podset.removal_order)[:surplus]:
                podset.delete_pod(self._client, obj, pod)

    def _count(self, place: Place, failure: StatusError | None) -> float | None:
        obj = self._client.get(place)
        if obj is None:
            return None
        pods = [pod for pod in self._client.owned(obj, "pods") if readiness.is_active(pod)]
        minimum = int(obj["spec"].get("minReadySeconds") or 0)
        now = self._backend.clock.now()
        waits = [readiness.available_in(pod, minimum, now) for pod in pods]
        labels = ((obj["spec"].get("template") or {}).get("metadata") or {}).get("labels") or {}
        status = readiness.without_zeros(
            {
                "replicas": len(pods),
                "fullyLabeledReplicas": sum(1 for pod in pods if labels.items() <= _labels(pod).items()),
                "readyReplicas": sum(1 for wait in waits if wait is not None),
                "availableReplicas": sum(1 for wait in waits if wait == 0.0),
                "observedGeneration": obj["metadata"].get("generation", 0),
                "conditions": self._conditions(obj, failure),
            },
            "replicas",
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


def _labels(pod: Object) -> dict[str, str]:
    labels: dict[str, str] = pod["metadata"].get("labels") or {}
    return labels
