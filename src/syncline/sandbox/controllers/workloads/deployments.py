"""Rolls Deployments out: one ReplicaSet per template, scaled up and down within surge and unavailability.

Status and conditions are `syncline.sandbox.controllers.workloads.rollout_status`. One reconcile does one round; the
ReplicaSets' status changes lead to the next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from syncline.apimachinery import intorstring, meta
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.controllers.workloads import podset, readiness, replicasets, rollout_status
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET: Final = Bucket("apps", "deployments")
REVISION: Final = "deployment.kubernetes.io/revision"
_DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
_MAXIMUM: Final = "deployment.kubernetes.io/max-replicas"
HASH: Final = "pod-template-hash"
_NOT_COPIED: Final = frozenset({REVISION, _DESIRED, _MAXIMUM, "kubectl.kubernetes.io/last-applied-configuration"})


class Deployments:
    """Plays the Deployment controller."""

    name = "deployments"
    buckets = (BUCKET, replicasets.BUCKET, podset.PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="deployment-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed deployments, at those of changed sets, and at those that wait for pods to go."""
        bucket = event.row.place.bucket
        if bucket == BUCKET:
            if event.type != "DELETED":
                yield event.row.place
        elif bucket == replicasets.BUCKET:
            yield from podset.owner_places(event, BUCKET, "Deployment")
        elif event.type == "DELETED":
            yield from self._recreating(event)

    def _recreating(self, event: StoreEvent) -> Iterable[RowKey]:
        for place in podset.owner_places(event, replicasets.BUCKET, "ReplicaSet"):
            owner = self._client.get(place)
            if owner is not None:
                for reference in owner["metadata"].get("ownerReferences") or ():
                    if reference.get("controller"):
                        yield RowKey(BUCKET, place.namespace, reference["name"])

    def reconcile(self, place: RowKey) -> float | None:
        """Do one round for one deployment."""
        obj = self._client.get(place)
        if obj is None:
            return None
        if "deletionTimestamp" in obj["metadata"]:
            rollout_status.update(self._client, obj, self._sets(obj), None, created=False)
            return None
        podset.adopt(self._client, obj, replicasets.BUCKET)
        sets = self._sets(obj)
        new = find_new(obj, sets)
        created = False
        if obj["spec"].get("paused"):
            self._scale_alone(obj, sets)
        else:
            if new is None:
                new = self._create_set(obj, sets)
                created = True
            else:
                new = self._refresh(obj, new, sets)
            obj = self._client.get(place) or obj
            self._roll(obj, new)
        obj = self._client.get(place)
        if obj is None:
            return None
        sets = self._sets(obj)
        obj = self._note_revision(obj, find_new(obj, sets))
        waiting = rollout_status.update(self._client, obj, sets, find_new(obj, sets), created=created)
        self._forget_old(obj, sets)
        return waiting

    def _sets(self, obj: Object) -> list[Object]:
        sets = self._client.owned(obj, "replicasets")
        return sorted(sets, key=lambda one: (one["metadata"]["creationTimestamp"], one["metadata"]["name"]))

    def _create_set(self, obj: Object, sets: list[Object]) -> Object:
        template = obj["spec"]["template"]
        ending = readiness.template_hash(template, int((obj.get("status") or {}).get("collisionCount") or 0))
        metadata = meta.metadata(template)
        labels = {**(metadata.get("labels") or {}), HASH: ending}
        selector = obj["spec"]["selector"]
        replicas = new_replicas(obj, sets, None)
        name = f"{obj['metadata']['name']}-{ending}"
        body = {
            "metadata": {
                "name": name,
                "labels": labels,
                "annotations": {**_copied(obj), **self._sizes(obj), REVISION: str(_latest(sets) + 1)},
                "ownerReferences": [owner_reference(obj)],
            },
            "spec": {
                "replicas": replicas,
                "selector": {**selector, "matchLabels": {**(selector.get("matchLabels") or {}), HASH: ending}},
                "template": {**template, "metadata": {**metadata, "labels": labels}},
                **({"minReadySeconds": minimum} if (minimum := obj["spec"].get("minReadySeconds")) else {}),
            },
        }
        created = self._client.create("apps", "ReplicaSet", obj["metadata"]["namespace"], body)
        if replicas:
            self._client.record(
                obj, "Normal", "ScalingReplicaSet", f"Scaled up replica set {name} from 0 to {replicas}"
            )
        return created

    def _refresh(self, obj: Object, new: Object, sets: list[Object]) -> Object:
        """Give the current set the revision and annotations it should have."""
        others = [one for one in sets if one["metadata"]["uid"] != new["metadata"]["uid"]]
        known = new["metadata"].get("annotations") or {}
        revision = max(_latest(others) + 1, int(known.get(REVISION) or 0))
        wanted = {**known, **_copied(obj), **self._sizes(obj), REVISION: str(revision)}
        if known.get(REVISION) not in (None, str(revision)):
            history = known.get("deployment.kubernetes.io/revision-history")
            past = f"{history},{known[REVISION]}" if history else known[REVISION]
            wanted["deployment.kubernetes.io/revision-history"] = past
        minimum = int(obj["spec"].get("minReadySeconds") or 0)
        same = int(new["spec"].get("minReadySeconds") or 0) == minimum
        if wanted == known and same:
            return new
        spec = {**new["spec"], "minReadySeconds": minimum}
        return self._client.update({**new, "metadata": {**new["metadata"], "annotations": wanted}, "spec": spec})

    def _sizes(self, obj: Object) -> dict[str, str]:
        replicas = int(obj["spec"].get("replicas", 1))
        surge, _ = limits(obj)
        return {_DESIRED: str(replicas), _MAXIMUM: str(replicas + surge)}

    def _note_revision(self, obj: Object, new: Object | None) -> Object:
        if new is None:
            return obj
        revision = (new["metadata"].get("annotations") or {}).get(REVISION)
        annotations = obj["metadata"].get("annotations") or {}
        if not revision or annotations.get(REVISION) == revision:
            return obj
        metadata = {**obj["metadata"], "annotations": {**annotations, REVISION: revision}}
        return self._client.update({**obj, "metadata": metadata}, subresource="status")

    def _scale_alone(self, obj: Object, sets: list[Object]) -> None:
        """Scale a paused deployment's only active set."""
        active = [one for one in sets if one["spec"].get("replicas", 1)] or sets[-1:]
        if len(active) == 1:
            self._scale(obj, active[0], int(obj["spec"].get("replicas", 1)))

    def _roll(self, obj: Object, new: Object) -> None:
        old = [one for one in self._sets(obj) if one["metadata"]["uid"] != new["metadata"]["uid"] and _size(one)]
        if (obj["spec"].get("strategy") or {}).get("type") == "Recreate":
            self._recreate(obj, new, old)
            return
        wanted = new_replicas(obj, [new, *old], new)
        if wanted != _size(new):
            self._scale(obj, new, wanted)
            return
        self._scale_down_old(obj, new, old)

    def _recreate(self, obj: Object, new: Object, old: list[Object]) -> None:
        for one in old:
            self._scale(obj, one, 0)
        names = {one["metadata"]["uid"] for one in self._sets(obj)} - {new["metadata"]["uid"]}
        running = [uid for uid in sorted(names) if self._has_pods(uid)]
        if not old and not running:
            self._scale(obj, new, int(obj["spec"].get("replicas", 1)))

    def _has_pods(self, uid: str) -> bool:
        return any(row.place.bucket == podset.PODS for row in self._client.store.owned_by(uid))

    def _scale_down_old(self, obj: Object, new: Object, old: list[Object]) -> None:
        if not old:
            return
        replicas = int(obj["spec"].get("replicas", 1))
        _, unavailable = limits(obj)
        least = replicas - unavailable
        new_missing = _size(new) - _available(new)
        total = _size(new) + sum(_size(one) for one in old)
        budget = total - least - new_missing
        if budget <= 0:
            return
        budget -= self._drop_unhealthy(obj, old, budget)
        old = [one for one in self._sets(obj) if one["metadata"]["uid"] != new["metadata"]["uid"]]
        spare = _available(new) + sum(_available(one) for one in old) - least
        for one in old:
            step = min(_size(one), spare)
            if step <= 0:
                continue
            self._scale(obj, one, _size(one) - step)
            spare -= step

    def _drop_unhealthy(self, obj: Object, old: list[Object], budget: int) -> int:
        dropped = 0
        for one in old:
            step = min(budget - dropped, _size(one) - _available(one))
            if step > 0:
                self._scale(obj, one, _size(one) - step)
                dropped += step
        return dropped

    def _scale(self, obj: Object, one: Object, wanted: int) -> None:
        size = _size(one)
        if size == wanted:
            return
        word = "up" if wanted > size else "down"
        annotations = {**(one["metadata"].get("annotations") or {}), **self._sizes(obj)}
        metadata = {**one["metadata"], "annotations": annotations}
        self._client.update({**one, "metadata": metadata, "spec": {**one["spec"], "replicas": wanted}})
        name = one["metadata"]["name"]
        text = f"Scaled {word} replica set {name} from {size} to {wanted}"
        self._client.record(obj, "Normal", "ScalingReplicaSet", text)

    def _forget_old(self, obj: Object, sets: list[Object]) -> None:
        limit = obj["spec"].get("revisionHistoryLimit")
        if limit is None or not rollout_status.is_complete(obj, self._client.get(_place(obj)) or obj):
            return
        new = find_new(obj, sets)
        idle = [
            one for one in sets if one is not new and not _size(one) and not (one.get("status") or {}).get("replicas")
        ]
        idle.sort(key=_revision)
        for one in idle[: max(0, len(idle) - int(limit))]:
            self._client.delete(one)


def _place(obj: Object) -> RowKey:
    return RowKey(BUCKET, obj["metadata"]["namespace"], obj["metadata"]["name"])


def find_new(obj: Object, sets: list[Object]) -> Object | None:
    """Return the set of the current template: the oldest whose template is equal but for the hash label."""
    wanted = _bare(obj["spec"]["template"])
    return next((one for one in sets if _bare(one["spec"]["template"]) == wanted), None)


def _bare(template: Any) -> Any:
    metadata = meta.metadata(template)
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH}
    rest = {key: value for key, value in metadata.items() if key not in ("labels", "creationTimestamp")}
    return {**template, "metadata": {**rest, "labels": labels}}


def limits(obj: Object) -> tuple[int, int]:
    """Return how many pods a rollout may add, and how many it may lack."""
    strategy = obj["spec"].get("strategy") or {}
    if strategy.get("type") == "Recreate":
        return 0, 0
    rolling = strategy.get("rollingUpdate") or {}
    replicas = int(obj["spec"].get("replicas", 1))
    surge = intorstring.scaled(rolling.get("maxSurge", "25%"), replicas, round_up=True)
    unavailable = intorstring.scaled(rolling.get("maxUnavailable", "25%"), replicas, round_up=False)
    if not surge and not unavailable:
        unavailable = 1
    return surge, min(unavailable, replicas) if replicas else unavailable


def new_replicas(obj: Object, sets: list[Object], new: Object | None) -> int:
    """Return how large the current set may be now."""
    replicas = int(obj["spec"].get("replicas", 1))
    size = _size(new) if new is not None else 0
    if size > replicas:
        return replicas
    if (obj["spec"].get("strategy") or {}).get("type") == "Recreate":
        others = [one for one in sets if one is not new and (_size(one) or (one.get("status") or {}).get("replicas"))]
        return size if others else replicas
    surge, _ = limits(obj)
    total = sum(_size(one) for one in sets)
    return size + max(0, min(replicas + surge - total, replicas - size))


def _size(one: Object) -> int:
    return int(one["spec"].get("replicas", 1))


def _available(one: Object) -> int:
    return int((one.get("status") or {}).get("availableReplicas") or 0)


def _revision(one: Object) -> int:
    return int((one["metadata"].get("annotations") or {}).get(REVISION) or 0)


def _latest(sets: list[Object]) -> int:
    return max(map(_revision, sets), default=0)


def _copied(obj: Object) -> dict[str, str]:
    annotations = obj["metadata"].get("annotations") or {}
    return {key: value for key, value in annotations.items() if key not in _NOT_COPIED}
