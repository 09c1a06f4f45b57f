"""Stops an ApplicationSet from deleting far more than anybody means to: a list that is empty by mistake looks the same.

Asked by `syncline.core.appset.decide`. Sets with pull requests are exempt: those come and go. Who has looked at the
list approves it, by its digest; another list needs another approval. Argo CD's rules know nothing of this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from syncline.model.settings.parts import Safety
from syncline.model.settings.settings import Compat, Settings

_FEW = 5
"""So many deletions are never a large part of a set."""
_NAMED = 20


def frozen(doomed: Sequence[str], present: int, spec: Mapping[str, Any], approved: str, settings: Settings) -> str:
    """Return why these Applications may not be deleted now; empty where they may."""
    if settings.compat is Compat.ARGOCD or has_pull_requests(spec.get("generators") or ()):
        return ""
    if not _too_many(len(doomed), present, settings.safety) or approved == digest(doomed):
        return ""
    names = sorted(doomed)
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return f"{len(doomed)} of {present} Applications would be deleted, more than is deleted unasked: {shown}"


def _too_many(doomed: int, present: int, safety: Safety) -> bool:
    return doomed > _FEW and doomed * 100 > safety.prune_percent * present


def digest(doomed: Iterable[str]) -> str:
    """Return what an approval of these deletions is known by."""
    return hashlib.sha256("\n".join(sorted(doomed)).encode()).hexdigest()[:12]


def has_pull_requests(generators: Iterable[Any]) -> bool:
    """Whether a generator, or one inside of it, gives pull requests."""
    for entry in generators:
        if not isinstance(entry, Mapping):
            continue
        if entry.get("pullRequest") is not None:
            return True
        inner = [
            block.get("generators") or ()
            for name in ("matrix", "merge")
            if isinstance(block := entry.get(name), Mapping)
        ]
        if any(has_pull_requests(found) for found in inner):
            return True
    return False
