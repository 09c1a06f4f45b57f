"""Provisions volumes for claims: at once, or when the first pod that uses them has a node."""

from __future__ import annotations

from collections.abc import Iterable

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.client import Client
from syncline.sandbox.store import Bucket, Event, Place

_CLAIMS = Bucket("", "persistentvolumeclaims")
_VOLUMES = Bucket("", "persistentvolumes")
_CLASSES = Bucket("storage.k8s.io", "storageclasses")
_PODS = Bucket("", "pods")
_PROTECTION = "kubernetes.io/pvc-protection"


class Volumes:
    """Plays the volume binder, a provisioner and claim protection."""

    name = "volumes"
    buckets = (_CLAIMS, _VOLUMES, _CLASSES, _PODS)

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="persistentvolume-controller")

    def places(self, event: Event) -> Iterable[Place]:
        """Look at changed claims, at the claims of changed pods, and at all when classes or volumes change."""
        row = event.row
        if row.place.bucket == _CLAIMS:
            if event.type == "DELETED":
                self._release(event)
            else:
                yield row.place
        elif row.place.bucket == _PODS:
            for name in views.pod(row).claims:
                yield Place(_CLAIMS, row.place.namespace, name)
        elif row.place.bucket == _CLASSES or event.type == "ADDED":
            yield from (claim.place for claim in self._backend.store.rows(_CLAIMS))

    def reconcile(self, place: Place) -> float | None:
        """Bring one claim further."""
        claim = self._client.get(place)
        if claim is None:
            return None
        if "deletionTimestamp" in claim["metadata"]:
            self._let_go(claim)
            return None
        if (claim.get("status") or {}).get("phase") == "Bound":
            return None
        name = (claim.get("spec") or {}).get("storageClassName")
        volume = self._matching(claim)
        if volume is not None:
            self._bind(claim, volume)
            return None
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
        late = storage.get("volumeBindingMode") == "WaitForFirstConsumer"
        if late and not self._used_on_node(place):
            text = "waiting for first consumer to be created before binding"
            self._client.record(claim, "Normal", "WaitForFirstConsumer", text)
            return None
        self._provision(claim, storage)
        return None

    def _used_on_node(self, place: Place) -> bool:
        for row in self._backend.store.rows(_PODS, place.namespace):
            view = views.pod(row)
            if view.node and place.name in view.claims:
                return True
        return False

    def _matching(self, claim: Object) -> Object | None:
        wanted = (claim.get("spec") or {}).get("volumeName")
        storage = (claim.get("spec") or {}).get("storageClassName") or ""
        for row in self._backend.store.rows(_VOLUMES):
            volume = self._client.decode(row)
            spec = volume.get("spec") or {}
            reference = spec.get("claimRef") or {}
            ours = (
                reference.get("name") == claim["metadata"]["name"]
                and reference.get("namespace") == (claim["metadata"]["namespace"])
            )
            free = not reference and (spec.get("storageClassName") or "") == storage
            if (wanted == row.place.name and (ours or not reference)) or (not wanted and (ours or free)):
                return volume
        return None

    def _provision(self, claim: Object, storage: Object) -> None:
        metadata, spec = claim["metadata"], claim["spec"]
        provisioner = storage.get("provisioner", "")
        name = f"pvc-{metadata['uid']}"
        path = f"{metadata['namespace']}/{metadata['name']}"
        text = f'External provisioner is provisioning volume for claim "{path}"'
        self._client.record(claim, "Normal", "Provisioning", text)
        body = {
            "metadata": {"name": name, "annotations": {"pv.kubernetes.io/provisioned-by": provisioner}},
            "spec": {
                "accessModes": spec.get("accessModes") or ["ReadWriteOnce"],
                "capacity": {"storage": spec["resources"]["requests"]["storage"]},
                "claimRef": {
                    "apiVersion": "v1",
                    "kind": "PersistentVolumeClaim",
                    "namespace": metadata["namespace"],
                    "name": metadata["name"],
                    "uid": metadata["uid"],
                },
                "csi": {"driver": provisioner, "volumeHandle": name},
                "persistentVolumeReclaimPolicy": storage.get("reclaimPolicy") or "Delete",
                "storageClassName": storage["metadata"]["name"],
                "volumeMode": spec.get("volumeMode") or "Filesystem",
            },
        }
        volume = self._client.create("", "PersistentVolume", "", body)
        text = f"Successfully provisioned volume {name}"
        self._client.record(claim, "Normal", "ProvisioningSucceeded", text)
        self._bind(claim, volume)

    def _bind(self, claim: Object, volume: Object) -> None:
        spec = volume["spec"]
        if not spec.get("claimRef"):
            reference = {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": claim["metadata"]["namespace"],
                "name": claim["metadata"]["name"],
                "uid": claim["metadata"]["uid"],
            }
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

    def _let_go(self, claim: Object) -> None:
        """Drop the protection of a deleted claim once no pod uses it."""
        finalizers = claim["metadata"].get("finalizers") or []
        name, namespace = claim["metadata"]["name"], claim["metadata"]["namespace"]
        used = any(name in views.pod(row).claims for row in self._backend.store.rows(_PODS, namespace))
        if _PROTECTION in finalizers and not used:
            kept = [one for one in finalizers if one != _PROTECTION]
            self._client.update({**claim, "metadata": {**claim["metadata"], "finalizers": kept}})

    def _release(self, event: Event) -> None:
        name = (event.row.decode().get("spec") or {}).get("volumeName")
        volume = self._client.get(Place(_VOLUMES, "", name)) if name else None
        if volume is None:
            return
        if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
            self._client.delete(volume)
        else:
            self._client.set_status(volume, {"phase": "Released"})
