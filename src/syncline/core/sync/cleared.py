"""Whether what made a sync fail is gone by now, so that the same revision is worth another try.

Called by `syncline.core.autosync`, which otherwise never repeats a failed revision. Only what can be seen counts: a
kind that is served now, a namespace that exists now, an object that is no longer Degraded. A failed hook never
clears.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationState, ResourceResult
from syncline.model.result import ResultCode

_NO_NAMESPACE = re.compile(r'namespaces "([^"]+)" not found')
_NO_KIND = ("The Kubernetes API could not find", "no matches for kind")


def cleared(
    state: OperationState,
    live: Mapping[ObjectKey, Object],
    healths: Mapping[ObjectKey, Health],
    kinds: Mapping[GroupKind, Collection[str]],
) -> tuple[str, ...]:
    """Return what cleared, a sentence for each failure; empty as long as one failure remains."""
    rows = state.sync_result.resources if state.sync_result else ()
    failed = [row for row in rows if row.hook_phase in ("Failed", "Error")]
    found = [_clearance(row, live, healths, kinds) for row in failed]
    return tuple(found) if all(found) else ()


def _clearance(
    row: ResourceResult,
    live: Mapping[ObjectKey, Object],
    healths: Mapping[ObjectKey, Health],
    kinds: Mapping[GroupKind, Collection[str]],
) -> str:
    key = ObjectKey(row.group, row.kind, row.namespace, row.name)
    if row.hook_type:
        return ""
    if row.status == ResultCode.SYNCED and row.hook_phase == "Failed":
        health = healths.get(key)
        healthy = key in live and (health is None or health.status is HealthCode.HEALTHY)
        return f"{key.short} is healthy now" if healthy else ""
    if any(words in row.message for words in _NO_KIND):
        versions = kinds.get(key.group_kind)
        served = versions is not None and (not versions or row.version in versions)
        return f"the cluster serves {key.group_kind} now" if served else ""
    if missing := _NO_NAMESPACE.search(row.message):
        present = ObjectKey("", "Namespace", "", missing[1]) in live
        return f"namespace {missing[1]} exists now" if present else ""
    return ""
