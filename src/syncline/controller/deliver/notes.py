"""What is told of an Application between two versions of it: notes with Argo CD's reasons and words.

Asked by `syncline.controller.deliver.events`, which writes them as Kubernetes Events. Notes that wait together are
joined here: an operation that has ended needs no Event that it began, and what changed twice is told once. The first
look at an Application is no change and makes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model.condition import ConditionType

_ENDED = ("Succeeded", "Failed", "Error")
STARTED, COMPLETED, UPDATED = "OperationStarted", "OperationCompleted", "ResourceUpdated"
_JOINT = "; "


class Note(msgspec.Struct, frozen=True):
    """One Event: its reason, its words, and whether something went wrong; of a change of status also what changed."""

    reason: str
    message: str
    warning: bool = False
    part: str = ""
    was: str = ""
    now: str = ""


def notes(before: Object, after: Object) -> tuple[Note, ...]:
    """Return what changed between two versions of an Application that people want to hear of."""
    old, new = before.get("status") or {}, after.get("status") or {}
    found = [*_operation(old.get("operationState") or {}, new.get("operationState") or {})]
    undeleted = _deletion_errors(new) - _deletion_errors(old)
    found += [
        Note("StatusRefreshed", f"Unable to delete application resources: {words}", warning=True)
        for words in sorted(undeleted)
    ]
    for part in ("sync", "health"):
        was, now = ((status.get(part) or {}).get("status") or "" for status in (old, new))
        if was and now and was != now:
            cause = str((new.get(part) or {}).get("message") or "") if part == "health" else ""
            found.append(_update(part, was, now, f" ({cause})" if cause.startswith("Caused by") else ""))
    return tuple(found)


def _deletion_errors(status: dict[str, Any]) -> set[str]:
    conditions = status.get("conditions") or ()
    return {str(item.get("message")) for item in conditions if item.get("type") == ConditionType.DELETION_ERROR}


def _operation(old: dict[str, Any], new: dict[str, Any]) -> Iterable[Note]:
    phase = str(new.get("phase") or "")
    fresh = new.get("startedAt") != old.get("startedAt") or old.get("phase") in _ENDED
    operation = new.get("operation") or {}
    revision = _revision(new)
    if phase and fresh and new != old and phase not in _ENDED:
        automated = bool((operation.get("initiatedBy") or {}).get("automated"))
        yield Note(STARTED, f"Initiated {'automated ' if automated else ''}sync to '{revision}'")
    if phase in _ENDED and (old.get("phase") not in _ENDED or fresh) and old.get("finishedAt") != new.get("finishedAt"):
        partial = bool((operation.get("sync") or {}).get("resources"))
        words = f"{'Partial sync' if partial else 'Sync'} operation to {revision}"
        if phase == "Succeeded":
            yield Note(COMPLETED, f"{words} succeeded")
        else:
            yield Note(COMPLETED, f"{words} failed: {new.get('message') or ''}", warning=True)


def _revision(state: dict[str, Any]) -> str:
    result = state.get("syncResult") or {}
    revisions = result.get("revisions") or ()
    return ", ".join(revisions) if revisions else str(result.get("revision") or "")


def _update(part: str, was: str, now: str, cause: str = "") -> Note:
    return Note(UPDATED, f"Updated {part} status: {was} -> {now}{cause}", part=part, was=was, now=now)


def joined(waiting: Sequence[Note]) -> tuple[Note, ...]:
    """Return notes about one Application that wait together as fewer that say the same.

    Of an operation that has ended the end alone is told. Changes of status become one note: from what it was at first
    to what it is, and nothing where that is the same.
    """
    found: list[Note] = []
    updates: dict[str, Note] = {}
    for place, note in enumerate(waiting):
        if note.reason == UPDATED and note.part:
            first = updates.get(note.part)
            updates[note.part] = note if first is None else _continued(first, note)
        elif note.reason != STARTED or all(later.reason != COMPLETED for later in waiting[place:]):
            found.append(note)
    changed = [note.message for note in updates.values() if note.was != note.now]
    return (*found, Note(UPDATED, _JOINT.join(changed))) if changed else tuple(found)


def _continued(first: Note, last: Note) -> Note:
    cause = last.message.partition(f"-> {last.now}")[2]
    return _update(last.part, first.was, last.now, cause)
