"""Predicts as Argo CD does by default: a client-side three-way patch from what was last applied, applied to live.

Called by `syncline.core.compare.sides` with objects stripped of what does not count. Built-in kinds take the strategic
merge patch, all others the JSON merge patch, before which live is trimmed to the fields that were last applied. Without
a readable last-applied annotation, desired takes its place (two-way: nothing is ever found to be removed).
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.patch import json_merge, strategic
from syncline.apimachinery.patch.errors import PatchError
from syncline.apimachinery.schema import builtin
from syncline.apimachinery.schema.node import Node

_STATEFUL_SETS = (("apps", "StatefulSet"), ("extensions", "StatefulSet"))


def predict(original: Object | None, desired: Object, live: Object) -> Object:
    """Return live with the patch; `original` is what was last applied."""
    wanted = _bare_metadata(desired)
    node = builtin.for_kind(gvk_of(desired))
    if original is not None:
        try:
            return _patched(_bare_metadata(original), wanted, live, node)
        except PatchError:
            pass
    return _patched(wanted, wanted, live, node)


def _patched(original: Object, desired: Object, live: Object, node: Node | None) -> Object:
    if node is None:
        trimmed = trim(original, live)
        return json_merge.apply(live, json_merge.three_way(original, desired, trimmed))
    kind = gvk_of(desired)
    current = live
    if (kind.group, kind.kind) in _STATEFUL_SETS:
        current = _with_trimmed_claims(original, live)
    return strategic.apply(live, strategic.three_way(original, desired, current, node), node)


def _bare_metadata(obj: Object) -> Object:
    metadata = dict(meta.metadata(obj))
    metadata.pop("namespace", None)
    metadata.pop("creationTimestamp", None)
    if not metadata.get("annotations"):
        metadata.pop("annotations", None)
    return {**obj, "metadata": metadata}


def _with_trimmed_claims(original: Object, live: Object) -> Object:
    """Return a live StatefulSet whose claim templates hold only what was last applied: the server fills in the rest."""
    spec, applied = live.get("spec") or {}, (original.get("spec") or {}).get("volumeClaimTemplates")
    claims = spec.get("volumeClaimTemplates")
    if not isinstance(claims, list) or not isinstance(applied, list):
        return live
    return {**live, "spec": {**spec, "volumeClaimTemplates": trim(applied, claims)}}


def trim(pattern: Any, value: Any) -> Any:
    """Return a value with only the fields a pattern has; list items beyond the pattern's are kept."""
    if isinstance(pattern, dict) and isinstance(value, dict):
        return {name: trim(pattern[name], value[name]) for name in pattern if name in value}
    if isinstance(pattern, list) and isinstance(value, list):
        return [trim(pattern[at], item) if at < len(pattern) else item for at, item in enumerate(value)]
    return value
