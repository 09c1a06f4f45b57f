"""What a volume for a claim looks like, and why another one does not suit.

Pure: called by `syncline.sandbox.controllers.storage.volumes`. Words are the volume binder's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery import selectors
from syncline.apimachinery.keys import Object
from syncline.sandbox.controllers import views


def mismatch(claim: Object, volume: Object) -> str:
    """Return why a volume cannot serve a claim, or nothing."""
    spec, offered = claim.get("spec") or {}, volume.get("spec") or {}
    asked = ((spec.get("resources") or {}).get("requests") or {}).get("storage", "0")
    if views.milli((offered.get("capacity") or {}).get("storage", "0")) < views.milli(asked):
        return "requested PV is too small"
    if (offered.get("storageClassName") or "") != (spec.get("storageClassName") or ""):
        return "storageClassName does not match"
    if (offered.get("volumeMode") or "Filesystem") != (spec.get("volumeMode") or "Filesystem"):
        return "incompatible volumeMode"
    if not set(spec.get("accessModes") or ()) <= set(offered.get("accessModes") or ()):
        return "incompatible accessMode"
    selector = spec.get("selector")
    if selector and not selectors.LabelSelector.from_object(selector).matches(volume["metadata"].get("labels") or {}):
        return "labels do not match"
    return ""


def refers_to(reference: Mapping[str, Any], claim: Object) -> bool:
    """Tell whether a volume is meant for a claim; one that names a uid means that very object."""
    metadata = claim["metadata"]
    same = reference.get("name") == metadata["name"] and reference.get("namespace") == metadata["namespace"]
    return same and reference.get("uid", metadata["uid"]) in ("", metadata["uid"])


def reference_to(claim: Object) -> Object:
    """Return what a volume says about its claim."""
    metadata = claim["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": metadata["namespace"],
        "name": metadata["name"],
        "uid": metadata["uid"],
    }


def volume_for(claim: Object, storage: Object, place: tuple[str, str] | None) -> Object:
    """Return a new volume for a claim; `place` is the node label it cannot leave."""
    metadata, spec = claim["metadata"], claim["spec"]
    provisioner = storage.get("provisioner", "")
    name = f"pvc-{metadata['uid']}"
    body: Object = {
        "accessModes": spec.get("accessModes") or ["ReadWriteOnce"],
        "capacity": {"storage": spec["resources"]["requests"]["storage"]},
        "claimRef": reference_to(claim),
        "csi": {"driver": provisioner, "volumeHandle": name},
        "persistentVolumeReclaimPolicy": storage.get("reclaimPolicy") or "Delete",
        "storageClassName": storage["metadata"]["name"],
        "volumeMode": spec.get("volumeMode") or "Filesystem",
    }
    if place is not None:
        term = {"matchExpressions": [{"key": place[0], "operator": "In", "values": [place[1]]}]}
        body["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    annotations = {"pv.kubernetes.io/provisioned-by": provisioner}
    return {"metadata": {"name": name, "annotations": annotations}, "spec": body}
