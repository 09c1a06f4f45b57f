"""Binds claims to volumes and provisions new ones: at once, or when the first pod that uses a claim has a node.

Static volumes are tried first. How a provisioner behaves (fails, takes its time, ties volumes to a zone) is said per
storage class in `syncline.sandbox.cluster.settings`; classes nobody described just work.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.controllers.storage import provisioning
from syncline.sandbox.kinds.volumes import CLAIM_PROTECTION, VOLUME_PROTECTION
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

_CLAIMS: Final = Bucket("", "persistentvolumeclaims")
_VOLUMES: Final = Bucket("", "persistentvolumes")
_CLASSES: Final = Bucket("storage.k8s.io", "storageclasses")
_PODS: Final = Bucket("", "pods")
_RETRY_SECONDS: Final = 15.0


class Volumes:
    """Plays the volume binder, the provisioners and claim protection."""

    name = "volumes"
    buckets = (_CLAIMS, _VOLUMES, _CLASSES, _PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="persistentvolume-controller")
        self._asked: dict[str, float] = {}

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at changed claims, at the claims of changed pods, and at all when classes or volumes change."""
        row = event.row
        if row.place.bucket == _CLAIMS:
            if event.type == "DELETED":
                self._asked.pop(row.uid, None)
                self._release(event)
            else:
                yield row.place
        elif row.place.bucket == _PODS:
            for name in views.pod(row).claims:
                yield RowKey(_CLAIMS, row.place.namespace, name)
        elif row.place.bucket == _VOLUMES and row.deleting:
            yield row.place
        elif row.place.bucket == _CLASSES or event.type == "ADDED":
            if row.place.bucket == _VOLUMES:
                yield row.place
            yield from (claim.place for claim in self._backend.store.rows(_CLAIMS))

    def reconcile(self, place: RowKey) -> float | None:
        """Bring one claim or volume further."""
        if place.bucket == _VOLUMES:
            self._offer(place)
            return None
        claim = self._client.get(place)
        if claim is None:
            return None
        if "deletionTimestamp" in claim["metadata"]:
            self._let_go(claim)
            return None
        if (claim.get("status") or {}).get("phase") == "Bound":
            self._resize(claim)
            return None
        volume = self._matching(claim)
        if volume is not None:
            self._bind(claim, volume)
            return None
        return self._find_new(place, claim)

    def _find_new(self, place: RowKey, claim: Object) -> float | None:
        spec = claim.get("spec") or {}
        if spec.get("volumeName"):
            self._complain_about(claim, str(spec["volumeName"]))
            return None
        name = spec.get("storageClassName")
        if not name:
            text = "no persistent volumes available for this claim and no storage class is set"
            self._client.record(claim, "Normal", "FailedBinding", text)
            return None
        row = self._backend.store.get(_CLASSES, "", name)
        if row is None:
            text = f'storageclass.storage.k8s.io "{name}" not found'
            self._client.record(claim, "Warning", "ProvisioningFailed", text)
            return None
        storage = row.decode()
        node = ""
        if storage.get("volumeBindingMode") == "WaitForFirstConsumer":
            consumer, node = self._consumer(place)
            if not node:
                self._wait(claim, consumer)
                return None
        if storage.get("provisioner") == "kubernetes.io/no-provisioner":
            text = "no persistent volumes available for this claim and no storage class is set"
            self._client.record(claim, "Normal", "FailedBinding", text)
            return None
        return self._provision(claim, storage, node)

    def _wait(self, claim: Object, consumer: str) -> None:
        if consumer:
            self._client.record(claim, "Normal", "WaitForPodScheduled", f"waiting for pod {consumer} to be scheduled")
            return
        text = "waiting for first consumer to be created before binding"
        self._client.record(claim, "Normal", "WaitForFirstConsumer", text)

    def _consumer(self, place: RowKey) -> tuple[str, str]:
        """Return a pod that uses a claim, and its node."""
        consumer = ""
        for row in self._backend.store.rows(_PODS, place.namespace):
            view = views.pod(row)
            if place.name in view.claims:
                if view.node:
                    return row.place.name, view.node
                consumer = consumer or row.place.name
        return consumer, ""

    def _complain_about(self, claim: Object, name: str) -> None:
        row = self._backend.store.get(_VOLUMES, "", name)
        if row is None:
            return
        volume = row.decode()
        if (volume.get("spec") or {}).get("claimRef"):
            text = f'volume "{name}" already bound to a different claim.'
            self._client.record(claim, "Warning", "FailedBinding", text)
            return
        text = f'Cannot bind to requested volume "{name}": {provisioning.mismatch(claim, volume)}'
        self._client.record(claim, "Warning", "VolumeMismatch", text)

    def _matching(self, claim: Object) -> Object | None:
        """Return the smallest volume that is free and suits, or the one that was made for the claim."""
        wanted = (claim.get("spec") or {}).get("volumeName")
        best: tuple[int, Object] | None = None
        for row in self._backend.store.rows(_VOLUMES):
            if wanted and row.place.name != wanted:
                continue
            volume = self._client.decode(row)
            spec = volume.get("spec") or {}
            reference = spec.get("claimRef") or {}
            ours = provisioning.refers_to(reference, claim)
            if ours:
                return volume
            if reference or row.deleting or provisioning.mismatch(claim, volume):
                continue
            size = views.milli((spec.get("capacity") or {}).get("storage", "0"))
            if best is None or size < best[0]:
                best = (size, volume)
        return None if best is None else best[1]

    def _provision(self, claim: Object, storage: Object, node: str) -> float | None:
        metadata = claim["metadata"]
        provisioner = storage.get("provisioner", "")
        behaviour = self._backend.settings.storage_class(storage["metadata"]["name"])
        path = f"{metadata['namespace']}/{metadata['name']}"
        external = Client(self._backend, component=provisioner, manager=provisioner.rpartition("/")[2] or "provisioner")
        now = self._backend.clock.monotonic()
        if metadata["uid"] not in self._asked:
            self._asked[metadata["uid"]] = now
            text = (
                f"Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually "
                "by the system administrator. If volume creation is delayed, please verify that the provisioner is "
                "running and correctly registered."
            )
            self._client.record(claim, "Normal", "ExternalProvisioning", text)
            text = f'External provisioner is provisioning volume for claim "{path}"'
            external.record(claim, "Normal", "Provisioning", text)
        if behaviour is not None:
            left = self._asked[metadata["uid"]] + behaviour.delay - now
            if left > 0:
                return left
            if behaviour.problem:
                text = f'failed to provision volume with StorageClass "{behaviour.name}": {behaviour.problem}'
                external.record(claim, "Warning", "ProvisioningFailed", text)
                return _RETRY_SECONDS
        body = provisioning.volume_for(claim, storage, self._place_of(behaviour.topology if behaviour else "", node))
        volume = self._client.create("", "PersistentVolume", "", body)
        text = f"Successfully provisioned volume {body['metadata']['name']}"
        external.record(claim, "Normal", "ProvisioningSucceeded", text)
        self._bind(claim, volume)
        return None

    def _place_of(self, label: str, node: str) -> tuple[str, str] | None:
        row = self._backend.store.get(Bucket("", "nodes"), "", node) if label and node else None
        value = row.labels.get(label) if row is not None else None
        return None if value is None else (label, value)

    def _bind(self, claim: Object, volume: Object) -> None:
        spec = volume["spec"]
        if not spec.get("claimRef"):
            reference = provisioning.reference_to(claim)
            volume = self._client.update({**volume, "spec": {**spec, "claimRef": reference}})
        self._client.set_status(volume, {"phase": "Bound"})
        annotations = {
            **(claim["metadata"].get("annotations") or {}),
            "pv.kubernetes.io/bind-completed": "yes",
            "pv.kubernetes.io/bound-by-controller": "yes",
        }
        metadata = {**claim["metadata"], "annotations": annotations}
        named = {**claim["spec"], "volumeName": volume["metadata"]["name"]}
        claim = self._client.update({**claim, "metadata": metadata, "spec": named})
        status = {"phase": "Bound", "accessModes": spec["accessModes"], "capacity": spec["capacity"]}
        self._client.set_status(claim, status)

    def _resize(self, claim: Object) -> None:
        """Let a bound claim grow with what it asks for."""
        asked = ((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage", "0")
        capacity = (claim.get("status") or {}).get("capacity") or {}
        volume = self._client.get(RowKey(_VOLUMES, "", claim["spec"].get("volumeName") or ""))
        if volume is None or views.milli(asked) <= views.milli(capacity.get("storage", "0")):
            return
        grown = {**volume["spec"], "capacity": {**volume["spec"]["capacity"], "storage": asked}}
        self._client.update({**volume, "spec": grown})
        self._client.set_status(claim, {**claim["status"], "capacity": {**capacity, "storage": asked}})
        self._client.record(claim, "Normal", "FileSystemResizeSuccessful", "MountVolume.NodeExpandVolume succeeded")

    def _offer(self, place: RowKey) -> None:
        """Mark an unclaimed volume Available; a deleted one is removed once no claim is bound to it."""
        volume = self._client.get(place)
        if volume is None:
            return
        if "deletionTimestamp" in volume["metadata"]:
            if (volume.get("status") or {}).get("phase") != "Bound":
                self._unprotect(volume, VOLUME_PROTECTION)
        elif not (volume.get("spec") or {}).get("claimRef"):
            self._client.set_status(volume, {**(volume.get("status") or {}), "phase": "Available"})

    def _let_go(self, claim: Object) -> None:
        """Drop the protection of a deleted claim once no pod uses it; one that has no node yet does not."""
        name, namespace = claim["metadata"]["name"], claim["metadata"]["namespace"]
        pods = (views.pod(row) for row in self._backend.store.rows(_PODS, namespace))
        if not any(name in pod.claims for pod in pods if pod.node):
            self._unprotect(claim, CLAIM_PROTECTION)

    def _unprotect(self, obj: Object, finalizer: str) -> None:
        finalizers = obj["metadata"].get("finalizers") or []
        if finalizer in finalizers:
            kept = [one for one in finalizers if one != finalizer]
            self._client.update({**obj, "metadata": {**obj["metadata"], "finalizers": kept}})

    def _release(self, event: StoreEvent) -> None:
        name = (event.row.decode().get("spec") or {}).get("volumeName")
        volume = self._client.get(RowKey(_VOLUMES, "", name)) if name else None
        if volume is None:
            return
        volume = self._client.set_status(volume, {"phase": "Released"})
        if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
            self._client.delete(volume)
