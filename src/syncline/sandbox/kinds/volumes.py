"""PersistentVolumeClaims and StorageClasses: phases and what may not change."""

from __future__ import annotations

from syncline.apimachinery import names, quantity
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, outdated
from syncline.sandbox.kinds.rules import KindRules, go_value
from syncline.sandbox.store.store import Bucket

_CLAIM_TEXT = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)
_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"
_BINDING_MODES = ("Immediate", "WaitForFirstConsumer")
_NO_SOURCES = frozenset({"capacity", "claimRef", "nodeAffinity"})
CLAIM_PROTECTION = "kubernetes.io/pvc-protection"
VOLUME_PROTECTION = "kubernetes.io/pv-protection"


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
    if CLAIM_PROTECTION not in (metadata.get("finalizers") or ()):
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), CLAIM_PROTECTION]
    return {**obj, "metadata": metadata, "spec": spec, "status": {"phase": "Pending"}}


def _validate_claim(backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    causes = checks.claim(spec, "spec")
    size = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if live is not None:
        old = live.get("spec") or {}
        _check_growth(backend, obj, live)
        free = {"resources", "volumeAttributesClassName"} | (set() if old.get("volumeName") else {"volumeName"})
        if {key: spec.get(key) for key in spec.keys() | old.keys() if key not in free} != {
            key: old.get(key) for key in spec.keys() | old.keys() if key not in free
        }:
            causes.append(errors.forbidden_field("spec", _CLAIM_TEXT))
        if _shrinks(size or "0", live):
            text = "field can not be less than status.capacity"
            causes.append(errors.forbidden_field("spec.resources.requests.storage", text))
    return causes


def _shrinks(size: str, live: Object) -> bool:
    """Tell whether a claim asks for less than before and not more than it has, which may be more than it asked for."""
    capacity = ((live.get("status") or {}).get("capacity") or {}).get("storage") or "0"
    wanted = quantity.parse(size)
    return wanted < quantity.parse(_size(live)) and wanted <= quantity.parse(capacity)


def _validate_volume(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    modes, capacity = spec.get("accessModes") or [], spec.get("capacity") or {}
    causes = checks.needed("spec.accessModes", modes) + checks.access_modes("spec.accessModes", modes)
    causes += checks.needed("spec.capacity", capacity)
    if "storage" not in capacity:
        text = f'Unsupported value: {go_value(capacity or None)}: supported values: "storage"'
        causes.append(FieldCause("spec.capacity", "FieldValueNotSupported", text))
    policy = spec.get("persistentVolumeReclaimPolicy")
    causes += checks.one_of("spec.persistentVolumeReclaimPolicy", policy, ("Delete", "Recycle", "Retain"))
    sources = [key for key, value in spec.items() if isinstance(value, dict) and key not in _NO_SOURCES]
    if not sources:
        causes.append(errors.required("spec", "must specify a volume type"))
    return causes


def _size(obj: Object) -> str:
    return str((((obj.get("spec") or {}).get("resources") or {}).get("requests") or {}).get("storage") or "0")


def _check_growth(backend: Backend, obj: Object, live: Object) -> None:
    """Refuse to grow a claim whose StorageClass does not provide for that."""
    if quantity.parse(_size(obj)) <= quantity.parse(_size(live)):
        return
    name = (live.get("spec") or {}).get("storageClassName") or ""
    row = backend.store.get(Bucket("storage.k8s.io", "storageclasses"), "", name) if name else None
    if row is None or not row.decode().get("allowVolumeExpansion"):
        detail = (
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
            "support resize"
        )
        raise errors.forbidden("persistentvolumeclaims", "", obj["metadata"].get("name", ""), detail)


def _complete_volume(backend: Backend, obj: Object, live: Object | None) -> Object:
    if live is not None:
        return obj
    metadata = {**obj["metadata"]}
    if VOLUME_PROTECTION not in (metadata.get("finalizers") or ()):
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), VOLUME_PROTECTION]
    return {**obj, "metadata": metadata, "status": {"phase": "Pending", "lastPhaseTransitionTime": backend.timestamp()}}


def _validate_class(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    provisioner = str(obj.get("provisioner") or "")
    if not provisioner:
        return [errors.required("provisioner")]
    if live is None:
        causes = checks.refused("provisioner", provisioner, names.qualified(provisioner.lower()))
        causes += checks.one_of("reclaimPolicy", obj.get("reclaimPolicy"), ("Delete", "Retain"))
        return causes + checks.one_of("volumeBindingMode", obj.get("volumeBindingMode"), _BINDING_MODES)
    return [
        errors.invalid_value(field, "null", "field is immutable")
        for field in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode")
        if (obj.get(field) or None) != (live.get(field) or None)
    ]


CLAIM = KindRules(complete=_complete_claim, validate=_validate_claim, warn=outdated.of_claim, returns_deleted=True)
VOLUME = KindRules(complete=_complete_volume, validate=_validate_volume, warn=outdated.of_volume, returns_deleted=True)
CLASS = KindRules(validate=_validate_class, returns_deleted=True)
