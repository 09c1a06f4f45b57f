"""Follows kubectl from client-side to server-side apply through its last-applied annotation.

Asked by `syncline.apimachinery.merge.applying` for the field manager `kubectl` alone: fields that are live as they
were last applied on the client side may be taken without force, and an annotation that is there is kept up to date.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import comparing, described, paths, values
from syncline.apimachinery.merge.fieldset import EMPTY, FieldSet
from syncline.apimachinery.schema.node import Node

ANNOTATION: Final = "kubectl.kubernetes.io/last-applied-configuration"
KUBECTL: Final = "kubectl"
_ANNOTATIONS_LIMIT: Final = 256 * 1024


def configuration(live: Object | None) -> Object | None:
    """Return what was last applied on the client side, None where nothing readable is kept."""
    text = _annotations(live).get(ANNOTATION)
    if not isinstance(text, str) or not text:
        return None
    import json

    try:
        decoded = json.loads(text)
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None


def still_as_applied(live: Object | None, api_version: str, node: Node) -> FieldSet:
    """Return the fields of live that are as they were last applied on the client side."""
    applied = configuration(live)
    if applied is None or live is None or applied.get("apiVersion") != api_version:
        return EMPTY
    try:
        mentioned = described.checked_set_of(applied, node)
        changed = comparing.compare(applied, live, node)
    except values.SchemaError:
        return EMPTY
    return mentioned.difference(changed.modified).difference(changed.added).difference(changed.removed)


def refreshed(merged: Object, config: Object) -> Object:
    """Return the merged object with its annotation telling of this configuration, where it has one."""
    annotations = _annotations(merged)
    if not annotations.get(ANNOTATION):
        return merged
    text = _encoded(config)
    if annotations[ANNOTATION] == text:
        return merged
    changed = {**annotations, ANNOTATION: text}
    size = sum(len(name.encode()) + len(str(value).encode()) for name, value in changed.items())
    if size > _ANNOTATIONS_LIMIT:
        del changed[ANNOTATION]
    return {**merged, "metadata": {**merged["metadata"], "annotations": changed}}


def _encoded(config: Object) -> str:
    """Write a configuration as the API server does: Go's JSON, without the annotation, a line end last."""
    if ANNOTATION in _annotations(config):
        annotations = {name: text for name, text in _annotations(config).items() if name != ANNOTATION}
        config = {**config, "metadata": {**config["metadata"], "annotations": annotations}}
    return paths.spell_value(config) + "\n"


def _annotations(obj: Object | None) -> dict[str, Any]:
    metadata = obj.get("metadata") if obj is not None else None
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    return annotations if isinstance(annotations, dict) else {}
