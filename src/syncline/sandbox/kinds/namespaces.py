"""Namespaces: the finalizer that empties them, the label with their name, the phase."""

from __future__ import annotations

from syncline.apimachinery import pod_security
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.api.identity import NAME_LABEL
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds.rules import KindRules


def _prepare(_backend: Backend, obj: Object, live: Object | None) -> Object:
    metadata = dict(obj["metadata"])
    metadata["labels"] = {**(metadata.get("labels") or {}), NAME_LABEL: metadata.get("name", "")}
    prepared = {**obj, "metadata": metadata}
    return prepared if live is None else {**prepared, "spec": live.get("spec") or {}}


def _complete(_backend: Backend, obj: Object, live: Object | None) -> Object:
    if live is not None:
        return obj
    finalizers = (obj.get("spec") or {}).get("finalizers") or []
    spec = {"finalizers": [*finalizers, *(["kubernetes"] if "kubernetes" not in finalizers else [])]}
    return {**obj, "spec": spec, "status": {"phase": "Active"}}


def _validate(_backend: Backend, obj: Object, _live: Object | None) -> list[FieldCause]:
    labels = obj["metadata"].get("labels") or {}
    text = f"must be one of {', '.join(pod_security.LEVELS)}"
    return [
        errors.invalid_value(f"metadata.labels[{key}]", f'"{labels[key]}"', text)
        for key in (f"{pod_security.PREFIX}{mode}" for mode in ("enforce", "audit", "warn"))
        if labels.get(key, "privileged") not in pod_security.LEVELS
    ]


def _validate_status(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    phase = (obj.get("status") or {}).get("phase") or ""
    deleting = live is not None and "deletionTimestamp" in live["metadata"]
    wanted = "Terminating" if deleting else "Active"
    if phase in ("", wanted):
        return []
    text = f"may only be '{wanted}' if `deletionTimestamp` is {'not ' if deleting else ''}empty"
    return [errors.invalid_value("status.Phase", f'"{phase}"', text)]


NAMESPACE = KindRules(prepare=_prepare, complete=_complete, validate=_validate, validate_status=_validate_status)
