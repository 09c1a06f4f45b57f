"""Health of a child Application: healthy only once this very spec was compared, synced and found healthy.

Called through the table in `syncline.core.health.assess`. Differs from Argo CD on purpose, where a child has no health
and waves between apps do not wait. A child that is synced by hand has nothing pending, so its own health counts.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.health import evidence
from syncline.core.health.evidence import by_field
from syncline.model import application as apps
from syncline.model import names
from syncline.model.application import Application
from syncline.model.condition import is_error
from syncline.model.errors import InvalidSpec
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase

_PROGRESSING = HealthCode.PROGRESSING
_STATE = "status.operationState"
_CODES = frozenset(HealthCode)


def application(obj: Object) -> Health:
    """Assess a child Application."""
    try:
        child = apps.parse(obj)
    except InvalidSpec as error:
        return by_field(HealthCode.UNKNOWN, str(error), "SpecInvalid", "spec")
    return _unseen(obj, child) or _under_way(obj, child) or _unsynced(obj, child) or _own(obj, child)


def _unseen(obj: Object, child: Application) -> Health | None:
    """Return Progressing while the child was compared with an older spec, or is still to look again."""
    spec, sync = child.spec, child.status.sync
    compared = sync.compared_to if sync else None
    if compared is None or (compared.destination, compared.source, compared.sources) != (
        spec.destination,
        spec.source,
        spec.sources,
    ):
        message = "waiting for the app to be compared with its new spec"
        since = evidence.created(obj) if compared is None else ""
        return by_field(_PROGRESSING, message, "NotObserved", "status.sync.comparedTo", None, since)
    if wanted := (meta.annotations(obj)).get(names.REFRESH):
        path = f'metadata.annotations["{names.REFRESH}"]'
        return by_field(_PROGRESSING, "waiting for the app to be refreshed", "RefreshPending", path, wanted)
    return None


def _under_way(obj: Object, child: Application) -> Health | None:
    """Return Progressing while a sync is asked for or runs."""
    state = child.status.operation_state
    if child.operation is not None and (state is None or state.phase.completed):
        return by_field(_PROGRESSING, "a sync is about to start", "Syncing", "operation")
    if state is not None and not state.phase.completed:
        message, since = state.message or "a sync is in progress", _raw(obj, "operationState").get("startedAt")
        return by_field(_PROGRESSING, message, "Syncing", f"{_STATE}.phase", state.phase.value, since)
    return None


def _unsynced(obj: Object, child: Application) -> Health | None:
    """Return the health of a child that is not synced: waiting for its own sync, or that sync failed."""
    sync = child.status.sync.status if child.status.sync else ""
    if sync == "Synced":
        return None
    policy = child.spec.sync_policy
    automated = policy.automated if policy else None
    if sync == "OutOfSync" and (automated is None or automated.enabled is False):
        return None
    state = child.status.operation_state
    if state is not None and state.phase in (OperationPhase.FAILED, OperationPhase.ERROR):
        message, since = f"the app's last sync failed: {state.message}", _raw(obj, "operationState").get("finishedAt")
        return by_field(HealthCode.DEGRADED, message, "SyncFailed", f"{_STATE}.phase", state.phase.value, since)
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        if is_error(str(condition.get("type"))):
            message = f"the app is not synced: {condition.get('message')}"
            return evidence.by_condition(_PROGRESSING, message, str(condition["type"]), (index, condition))
    return by_field(_PROGRESSING, "the app is not synced yet", "NotSynced", "status.sync.status", sync)


def _own(obj: Object, child: Application) -> Health:
    """Return the child's own health, in the words of six that it uses itself."""
    health = child.status.health
    code = health.status if health else ""
    if health is None or code not in _CODES:
        return by_field(_PROGRESSING, "the app's health is not known yet", "NotObserved", "status.health.status", code)
    since = _raw(obj, "health").get("lastTransitionTime")
    message = _first_cause(obj, code) or health.message
    return by_field(HealthCode(code), message, "ChildApp", "status.health.status", code, since)


def _first_cause(obj: Object, code: str) -> str:
    """Return what the child says of the first object that makes it so, which tells more than that object's name."""
    for row in (obj.get("status") or {}).get("resources") or ():
        own = row.get("health") or {}
        if own.get("status") == code != HealthCode.HEALTHY and own.get("message"):
            return f"{row.get('kind')}/{row.get('name')}: {own['message']}"
    return ""


def _raw(obj: Object, part: str) -> dict[str, Any]:
    """Return a part of the status as written, with its times as texts."""
    found: dict[str, Any] = (obj.get("status") or {}).get(part) or {}
    return found
