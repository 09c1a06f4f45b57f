"""PersistentVolumeClaims and StorageClasses: phases and what may not change."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds.rules import Rules
from syncline.sandbox.store import Bucket

_CLAIM_TEXT = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_PROTECTION = "kubernetes.io/pvc-protection"


def _complete_claim(backend: Backend, obj: Object, live: Object | None) -> Object:
    if live is not None:
        return obj
    spec = dict(obj.get("spec") or {})
    if "storageClassName" not in spec:
        for row in backend.store.rows(Bucket("storage.k8s.io", "storageclasses")):
            annotations = row.decode()["metadata"].get("annotations") or {}
            if annotations.get(_DEFAULT_CLASS) == "true":
                spec["storageClassName"] = row.place.name
                break
    metadata = {**obj["metadata"]}
    if _PROTECTION not in (metadata.get("finalizers") or ()):
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), _PROTECTION]
    return {**obj, "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}}


def _validate_claim(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    causes: list[Cause] = []
    if not spec.get("accessModes"):
        causes.append(errors.required("spec.accessModes", "at least 1 access mode is required"))
    if not ((spec.get("resources") or {}).get("requests") or {}).get("storage"):
        causes.append(errors.required("spec.resources[storage]"))
    if live is not None:
        old = live.get("spec") or {}
        free = {"resources", "volumeAttributesClassName"} | (set() if old.get("volumeName") else {"volumeName"})
        if {key: spec.get(key) for key in spec.keys() | old.keys() if key not in free} != {
            key: old.get(key) for key in spec.keys() | old.keys() if key not in free
        }:
            causes.append(errors.forbidden_field("spec", _CLAIM_TEXT))
    return causes


def _validate_class(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    if not obj.get("provisioner"):
        return [errors.required("provisioner")]
    if live is None:
        return []
    return [
        errors.invalid_value(field, "null", "field is immutable")
        for field in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
        if (obj.get(field) or None) != (live.get(field) or None)
    ]


CLAIM = Rules(complete=_complete_claim, validate=_validate_claim, returns_deleted=True)
CLASS = Rules(validate=_validate_class, returns_deleted=True)
