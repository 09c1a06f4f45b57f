"""The status of an Application as it should now read, and the smallest patch that makes it so.

Called by `syncline.controller.deliver.record`. The contract: only fields of Argo CD's schema, as a merge patch, only
when something changed, and nothing that changes by itself; `reconciledAt` moves only together with something else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import orjson

from syncline.apimachinery.keys import Object
from syncline.apimachinery.patch import json_merge
from syncline.core.assess import Assessment
from syncline.core.summary import summary_of
from syncline.core.sync import options
from syncline.model.application import (
    ComparedTo,
    Condition,
    HealthStatus,
    ResourceStatus,
    RevisionHistory,
    SyncStatus,
)
from syncline.model.comparison import ComparedObject, Verdict
from syncline.model.health import HealthCode
from syncline.model.logins import without_logins
from syncline.model.operation import OperationState
from syncline.model.reason import Reason
from syncline.model.sync_options import Consent

_MANAGED = ("sync", "health", "resources", "conditions", "operationState", "history", "sourceType", "summary",
            "controllerNamespace", "sourceTypes", "resourceHealthSource")  # fmt: skip


def status_of(
    assessment: Assessment,
    state: OperationState | None,
    history: tuple[RevisionHistory, ...],
    extra: Sequence[Condition],
    cause: str = "",
) -> dict[str, Any]:
    """Return the managed part of the status that an assessment, an operation and a known cause amount to."""
    snapshot, app = assessment.snapshot, assessment.app
    spec = app.spec
    compared = ComparedTo(spec.destination, spec.source, spec.sources, spec.ignore_differences)
    conditions = _dated((*assessment.comparison.conditions, *extra), app.status.conditions, snapshot.as_of)
    parts: dict[str, Any] = {
        "sync": _sync(assessment, compared),
        "health": _health(assessment, cause),
        "resources": _resources(assessment),
        "conditions": conditions,
        "operationState": state,
        "history": history,
        **_source_types(assessment),
        "summary": summary_of(assessment),
        "controllerNamespace": snapshot.settings.namespace,
    }
    encoded = msgspec.json.encode(parts)
    built = orjson.loads(encoded)
    if b"@" in encoded:
        built = _without_logins(built)
    return {name: value for name, value in built.items() if value}


def _without_logins(value: Any) -> Any:
    """Return the status with clean messages; what mirrors the spec is left as it is (docs/decisions/0005)."""
    if isinstance(value, dict):
        return {
            name: without_logins(member) if name == "message" and isinstance(member, str) else _without_logins(member)
            for name, member in value.items()
        }
    return [_without_logins(member) for member in value] if isinstance(value, list) else value


def patch_for(obj: Object, status: dict[str, Any], now: str) -> dict[str, Any] | None:
    """Return the merge patch of an Application's status; None when it already reads so."""
    before = {name: value for name, value in (obj.get("status") or {}).items() if name in _MANAGED}
    patch = json_merge.make(before, status)
    if not patch:
        return None
    return {**patch, "reconciledAt": now}


def _sync(assessment: Assessment, compared: ComparedTo) -> SyncStatus:
    """Return the verdict and the revisions it is about: one text for `source`, a list for `sources`."""
    verdict, before = assessment.comparison.verdict.value, assessment.app.status.sync
    if assessment.app.spec.sources:
        revisions = assessment.revisions or (before.revisions if before else ())
        return SyncStatus(verdict, compared, revisions=revisions)
    return SyncStatus(verdict, compared, assessment.revision or (before.revision if before else ""))


def _source_types(assessment: Assessment) -> dict[str, Any]:
    before, desired = assessment.app.status, assessment.snapshot.desired
    found = desired.source_types if desired else ()
    if assessment.app.spec.sources:
        return {"sourceTypes": found or before.source_types}
    return {"sourceType": found[0] if found else before.source_type}


def _health(assessment: Assessment, cause: str) -> HealthStatus:
    before = assessment.app.status.health
    health = assessment.health
    same = before is not None and before.status == health.status.value
    since = before.last_transition_time if before is not None and same else assessment.snapshot.as_of
    unwell = cause and health.status is not HealthCode.HEALTHY
    told = "; ".join(words for words in (health.message, cause) if words) if unwell else health.message
    return HealthStatus(health.status.value, told, since)


def _resources(assessment: Assessment) -> list[ResourceStatus]:
    app_options = assessment.app.spec.options
    desired = {item.key: item.obj for item in assessment.prepared.objects}
    return [
        _resource(
            row,
            assessment,
            asks=any(
                options.delete_consent(app_options, obj) is Consent.ASK
                for obj in (desired.get(row.key), assessment.live.get(row.key))
                if obj is not None
            ),
        )
        for row in assessment.comparison.rows
        # A hook that is gone is no row, as with Argo CD: nothing of it is there to be shown.
        if row.live or not row.hook
    ]


def _resource(row: ComparedObject, assessment: Assessment, *, asks: bool) -> ResourceStatus:
    health = assessment.healths.get(row.key)
    # Of an object that the project denies nobody says whether it is live.
    if not row.live and (row.verdict is Verdict.OUT_OF_SYNC or Reason.UNCOMPARABLE in row.reasons):
        shown: HealthStatus | None = HealthStatus("Missing")
    else:
        shown = HealthStatus(health.status.value, health.message) if health else None
    return ResourceStatus(
        group=row.key.group,
        version=row.version,
        kind=row.key.kind,
        namespace=row.key.namespace,
        name=row.key.name,
        status=row.verdict.value,
        health=shown,
        hook=row.hook,
        # Argo CD holds no hook against what is desired, so that each is to be pruned.
        requires_pruning=row.requires_pruning or row.hook,
        sync_wave=row.wave,
        requires_deletion_confirmation=asks,
    )


def _dated(conditions: Sequence[Condition], before: Sequence[Condition], now: str) -> list[Condition]:
    """Return conditions sorted by type and message; one that says the same as before keeps its time."""
    times = {(condition.type, condition.message): condition.last_transition_time for condition in before}
    unique = {(condition.type, condition.message) for condition in conditions}
    return [Condition(kind, message, times.get((kind, message)) or now) for kind, message in sorted(unique)]
