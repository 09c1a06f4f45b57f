"""Reads the status of a kind that nobody described, by the conventions most controllers keep: shown, never gating.

Called by `syncline.core.health.assess.shown`. Conventions are not promises: the reading says what the object seems to
mean, and `gating` is off so that no sync waits for it and no app is called Degraded because of it.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

_BAD_WHEN_TRUE = ("Stalled", "Failed", "Degraded", "Error", "ReconcileError", "Failure", "HasErrors", "ErrorOccurred")
_BUSY_WHEN_TRUE = ("Reconciling", "Progressing", "Updating", "InProgress")
_GOOD_WHEN_TRUE = (
    "Ready",
    "Available",
    "Healthy",
    "Succeeded",
    "Complete",
    "Completed",
    "Synced",
    "Established",
    "Programmed",
    "Accepted",
    "Reconciled",
    "ReconcileSuccess",
    "Active",
    "Initialized",
)
_BUSY_REASONS = ("pending", "creating", "progress", "provisioning", "initializ", "waiting", "reconciling", "starting")
_PHASE_FIELDS = ("phase", "state", "currentState")
_PHASES = {
    HealthCode.HEALTHY: frozenset(
        [
            "ready",
            "running",
            "active",
            "available",
            "bound",
            "succeeded",
            "success",
            "successful",
            "complete",
            "completed",
            "healthy",
            "valid",
            "synced",
            "established",
            "deployed",
            "enabled",
            "ok",
        ]
    ),
    HealthCode.DEGRADED: frozenset(
        ["failed", "failure", "error", "errored", "degraded", "invalid", "unhealthy", "lost", "unavailable"]
    ),
    HealthCode.SUSPENDED: frozenset(["paused", "suspended", "stopped", "hibernated", "disabled"]),
}


def read(obj: Object) -> Health | None:
    """Return what the status seems to say; None where it says nothing that is known."""
    status = obj.get("status")
    if not isinstance(status, dict):
        return None
    return _behind(obj, status) or _conditions(status) or _phase(status)


def _shown(code: HealthCode, message: str, reason: str, evidence: Evidence, since: str = "") -> Health:
    return Health(code, message, reason, (evidence,), since, gating=False)


def _behind(obj: Object, status: dict[str, Any]) -> Health | None:
    generation, observed = meta.metadata(obj).get("generation"), status.get("observedGeneration")
    if not isinstance(generation, int) or not isinstance(observed, int) or observed >= generation:
        return None
    evidence = Evidence(kind=EvidenceKind.FIELD, text=str(observed), path="status.observedGeneration")
    message = f"waiting for the controller to see generation {generation}"
    return _shown(HealthCode.PROGRESSING, message, "NotObserved", evidence)


def _conditions(status: dict[str, Any]) -> Health | None:
    """Read the worst thing first: failures, then what is under way, then what is good."""
    found = status.get("conditions")
    conditions = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    by_type = {str(one.get("type")): (index, one) for index, one in enumerate(conditions)}
    for name in _BAD_WHEN_TRUE:
        if _status(by_type, name) == "True":
            return _of_condition(HealthCode.DEGRADED, *by_type[name])
    busy = next((name for name in _BUSY_WHEN_TRUE if _status(by_type, name) == "True"), None)
    known = [name for name in _GOOD_WHEN_TRUE if name in by_type]
    for name in known:
        if _status(by_type, name) == "False":
            waiting = busy is not None or _is_busy(by_type[name][1])
            return _of_condition(HealthCode.PROGRESSING if waiting else HealthCode.DEGRADED, *by_type[name])
    for name in known:
        if _status(by_type, name) == "Unknown":
            return _of_condition(HealthCode.PROGRESSING, *by_type[name])
    if known:
        return _of_condition(HealthCode.HEALTHY, *by_type[known[0]])
    return _of_condition(HealthCode.PROGRESSING, *by_type[busy]) if busy else None


def _status(by_type: dict[str, tuple[int, dict[str, Any]]], name: str) -> str | None:
    return by_type[name][1].get("status") if name in by_type else None


def _is_busy(condition: dict[str, Any]) -> bool:
    reason = str(condition.get("reason") or "").lower()
    return any(word in reason for word in _BUSY_REASONS)


def _of_condition(code: HealthCode, index: int, condition: dict[str, Any]) -> Health:
    name, value, reason = (str(condition.get(key) or "") for key in ("type", "status", "reason"))
    text = f"{name}={value} {reason}".rstrip()
    message = str(condition.get("message") or "")
    return _shown(
        code,
        f"{text}: {message}" if message else text,
        reason or name,
        Evidence(kind=EvidenceKind.CONDITION, text=text, path=f"status.conditions[{index}]"),
        str(condition.get("lastTransitionTime") or ""),
    )


def _phase(status: dict[str, Any]) -> Health | None:
    for field in _PHASE_FIELDS:
        word = status.get(field)
        if isinstance(word, str) and word:
            code = next((code for code, words in _PHASES.items() if word.lower() in words), HealthCode.PROGRESSING)
            message = str(status.get("message") or status.get("reason") or "")
            text = f"{field} {word}"
            evidence = Evidence(kind=EvidenceKind.FIELD, text=word, path=f"status.{field}")
            return _shown(code, f"{text}: {message}" if message else text, word, evidence)
    return None
