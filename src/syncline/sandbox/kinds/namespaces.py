"""Namespaces: the finalizer that empties them, the label with their name, the phase."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox.backend import Backend
from syncline.sandbox.kinds.rules import Rules

NAME_LABEL = "kubernetes.io/metadata.name"


def _prepare(_backend: Backend, obj: Object, _live: Object | None) -> Object:
    metadata = dict(obj["metadata"])
    metadata["labels"] = {**(metadata.get("labels") or {}), NAME_LABEL: metadata.get("name", "")}
    return {**obj, "metadata": metadata}


def _complete(_backend: Backend, obj: Object, live: Object | None) -> Object:
    if live is not None:
        return {**obj, "spec": live.get("spec") or {}}
    finalizers = (obj.get("spec") or {}).get("finalizers") or []
    spec = {"finalizers": [*finalizers, *(["kubernetes"] if "kubernetes" not in finalizers else [])]}
    return {**obj, "spec": spec, "status": {"phase": "Active"}}


NAMESPACE = Rules(prepare=_prepare, complete=_complete)
