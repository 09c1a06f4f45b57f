"""The conditions and the health of an ApplicationSet, in Argo CD's types, reasons and words.

Made by `syncline.core.appset.decide` after each pass. A condition that says what it said before keeps its time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

ERROR = "ErrorOccurred"
GENERATED = "ParametersGenerated"
UP_TO_DATE = "ResourcesUpToDate"
ROLLOUT = "RolloutProgressing"
INVALID_ROLLOUT = "InvalidRolloutConfig"
_ALL_GENERATED = "All applications have been generated successfully"
_SAME = ("type", "status", "reason", "message")


class Said(NamedTuple):
    """One condition, without its time."""

    type: str
    holds: bool
    reason: str
    message: str


def failed(reason: str, message: str, *, generated: bool) -> tuple[Said, ...]:
    """Return the conditions of a pass that met an error, before or after parameters were there."""
    parameters = _parameters() if generated else Said(GENERATED, False, ERROR, message)
    return (Said(ERROR, True, reason, message), parameters, Said(UP_TO_DATE, False, ERROR, message))


def fine() -> tuple[Said, ...]:
    """Return the conditions of a pass that met no error."""
    reason = "ApplicationSetUpToDate"
    return (Said(ERROR, False, reason, _ALL_GENERATED), _parameters(), Said(UP_TO_DATE, True, reason, _ALL_GENERATED))


def _parameters() -> Said:
    return Said(GENERATED, True, GENERATED, "Successfully generated parameters for all Applications")


def written(said: Iterable[Said], before: Sequence[Mapping[str, Any]], now: str) -> list[dict[str, Any]]:
    """Return conditions as the status has them, sorted by type; what has not changed keeps its time."""
    known = {str(condition.get("type")): condition for condition in before}
    found = []
    for one in sorted(said):
        condition = {
            "type": one.type,
            "status": "True" if one.holds else "False",
            "reason": one.reason,
            "message": one.message,
        }
        old = known.get(one.type)
        same = old is not None and all(old.get(name) == condition[name] for name in _SAME)
        found.append(
            {**condition, "lastTransitionTime": str(old.get("lastTransitionTime") or now) if old and same else now}
        )
    return found


def health(said: Iterable[Said]) -> dict[str, str]:
    """Return how healthy a set is: an error is worse than a rollout under way, and that than being up to date."""
    holding = {one.type: one.message for one in said if one.holds}
    for kind, status in ((ERROR, "Degraded"), (ROLLOUT, "Progressing"), (UP_TO_DATE, "Healthy")):
        if kind in holding:
            return {"status": status, "message": holding[kind]}
    return {"status": "Unknown", "message": "Waiting for health status to be determined"}
