"""Keeps the numbered pods of a StatefulSet, in order, with their claims."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.controllers.workloads import podset, readiness, revisions
from syncline.sandbox.errors import StatusError
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

BUCKET = Bucket("apps", "statefulsets")
_CLAIMS = Bucket("", "persistentvolumeclaims")
_LABEL = "controller.kubernetes.io/hash"


class StatefulSets:
    """Plays the StatefulSet controller."""

    name = "statefulsets"
    buckets = (BUCKET, podset.PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="statefulset-controller")

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed sets and at the sets of changed pods."""
        if event.row.place.bucket == BUCKET:
            if event.type != "DELETED":
                yield event.row.place
            return
        yield from podset.owner_places(event, BUCKET, "StatefulSet")

    def reconcile(self, place: RowKey) -> float | None:
        """Take the next step for one set, then count."""
        obj = self._client.get(place)
        if obj is None or "deletionTimestamp" in obj["metadata"]:
            return None
        update, _ = revisions.keep(self._client, obj, self._client.owned(obj, "pods"), label=_LABEL)
        current = (obj.get("status") or {}).get("currentRevision") or update
        retry = None
        try:
            self._step(obj, current, update)
        except StatusError:
            retry = 5.0
        wait = self._count(place, current, update)
        return retry or wait

    def _step(self, obj: Object, current: str, update: str) -> None:
        spec = obj["spec"]
        replicas = int(spec.get("replicas", 1))
        start = int((spec.get("ordinals") or {}).get("start") or 0)
        ordered = spec.get("podManagementPolicy", "OrderedReady") == "OrderedReady"
        pods = {pod["metadata"]["name"]: pod for pod in podset.pods_of(self._client, obj)}
        wanted = [f"{obj['metadata']['name']}-{number}" for number in range(start, start + replicas)]
        partition = self._partition(obj)
        for index, name in enumerate(wanted):
            pod = pods.get(name)
            if (
                pod is not None
                and readiness.phase(pod) in ("Failed", "Succeeded")
                and "deletionTimestamp" not in (pod["metadata"])
            ):
                self._delete(obj, pod)
                return
            if pod is None:
                revision = update if start + index >= partition or current == update else current
                self._create(obj, name, index + start, revision)
            if ordered and (pod is None or not _steady(pod)):
                return
        if self._shrink(obj, pods, wanted, ordered=ordered):
            return
        self._roll(obj, [pods[name] for name in wanted if name in pods], update, partition, start)

    def _shrink(self, obj: Object, pods: dict[str, Object], wanted: list[str], *, ordered: bool) -> bool:
        surplus = sorted((name for name in pods if name not in wanted), key=_ordinal, reverse=True)
        for name in surplus:
            if "deletionTimestamp" not in pods[name]["metadata"]:
                self._delete(obj, pods[name])
            if ordered:
                return True
        return bool(surplus)

    def _partition(self, obj: Object) -> int:
        strategy = obj["spec"].get("updateStrategy") or {}
        return int((strategy.get("rollingUpdate") or {}).get("partition") or 0)

    def _roll(self, obj: Object, pods: list[Object], update: str, partition: int, start: int) -> None:
        """Replace the last pod of an older revision, once all after it are ready."""
        if (obj["spec"].get("updateStrategy") or {}).get("type") == "OnDelete":
            return
        for pod in reversed(pods):
            if _ordinal(pod["metadata"]["name"]) - start < partition:
                return
            if _revision_of(pod) != update:
                if "deletionTimestamp" not in pod["metadata"]:
                    self._delete(obj, pod)
                return
            if not _steady(pod):
                return

    def _create(self, obj: Object, name: str, ordinal: int, revision: str) -> None:
        template = revisions.template(self._client, obj, revision)
        metadata = meta.metadata(template)
        labels = {
            **(metadata.get("labels") or {}),
            "apps.kubernetes.io/pod-index": str(ordinal),
            revisions.HASH: revision,
            "statefulset.kubernetes.io/pod-name": name,
        }
        volumes = self._claims(obj, name)
        spec = template.get("spec") or {}
        mounted = {volume["name"] for volume in volumes}
        kept = [volume for volume in spec.get("volumes") or () if volume["name"] not in mounted]
        extra = {"hostname": name, "subdomain": obj["spec"].get("serviceName", ""), "volumes": [*kept, *volumes]}
        body = {
            "metadata": {
                **metadata,
                "name": name,
                "generateName": f"{obj['metadata']['name']}-",
                "labels": labels,
                "ownerReferences": [owner_reference(obj)],
            },
            "spec": {**spec, **{key: value for key, value in extra.items() if value}},
        }
        owner = obj["metadata"]["name"]
        try:
            self._client.create("", "Pod", obj["metadata"]["namespace"], body)
        except StatusError as error:
            text = f"Create Pod {name} in StatefulSet {owner} failed error: {error.message}"
            self._client.record(obj, "Warning", "FailedCreate", text)
            raise
        text = f"Create Pod {name} in StatefulSet {owner} successful"
        self._client.record(obj, "Normal", "SuccessfulCreate", text)

    def _claims(self, obj: Object, pod: str) -> list[Object]:
        volumes = []
        namespace = obj["metadata"]["namespace"]
        for template in obj["spec"].get("volumeClaimTemplates") or ():
            name = f"{template['metadata']['name']}-{pod}"
            if self._backend.store.get(_CLAIMS, namespace, name) is None:
                labels = {
                    **(template["metadata"].get("labels") or {}),
                    **((obj["spec"].get("selector") or {}).get("matchLabels") or {}),
                }
                body = {"metadata": {"name": name, "labels": labels}, "spec": template["spec"]}
                self._client.create("", "PersistentVolumeClaim", namespace, body)
                text = f"Create Claim {name} Pod {pod} in StatefulSet {obj['metadata']['name']} success"
                self._client.record(obj, "Normal", "SuccessfulCreate", text)
            claim = {"claimName": name}
            volumes.append({"name": template["metadata"]["name"], "persistentVolumeClaim": claim})
        return volumes

    def _delete(self, obj: Object, pod: Object) -> None:
        self._client.delete(pod)
        name = pod["metadata"]["name"]
        text = f"Delete Pod {name} in StatefulSet {obj['metadata']['name']} successful"
        self._client.record(obj, "Normal", "SuccessfulDelete", text)

    def _count(self, place: RowKey, current: str, update: str) -> float | None:
        obj = self._client.get(place)
        if obj is None:
            return None
        pods = [pod for pod in self._client.owned(obj, "pods") if "deletionTimestamp" not in pod["metadata"]]
        minimum = int(obj["spec"].get("minReadySeconds") or 0)
        now = self._backend.clock.now()
        waits = [readiness.available_in(pod, minimum, now) for pod in pods]
        updated = sum(1 for pod in pods if _revision_of(pod) == update)
        replicas = int(obj["spec"].get("replicas", 1))
        ready = sum(1 for wait in waits if wait is not None)
        if updated == len(pods) == replicas == ready:
            current = update
        status = readiness.without_zeros(
            {
                "observedGeneration": obj["metadata"].get("generation", 0),
                "replicas": len(pods),
                "readyReplicas": ready,
                "availableReplicas": sum(1 for wait in waits if wait == 0.0),
                "currentReplicas": sum(1 for pod in pods if _revision_of(pod) == current),
                "updatedReplicas": updated,
                "currentRevision": current,
                "updateRevision": update,
                "collisionCount": 0,
            },
            "replicas",
            "availableReplicas",
            "collisionCount",
        )
        self._client.set_status(obj, status)
        return min((wait for wait in waits if wait), default=None)


def _steady(pod: Object) -> bool:
    return readiness.is_ready(pod) and "deletionTimestamp" not in pod["metadata"]


def _revision_of(pod: Object) -> str:
    return str((pod["metadata"].get("labels") or {}).get(revisions.HASH, ""))


def _ordinal(name: str) -> int:
    ending = name.rpartition("-")[2]
    return int(ending) if ending.isdigit() else -1
