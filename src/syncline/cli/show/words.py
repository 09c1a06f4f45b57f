"""Single words about an Application, for tables and lines."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.core.glance import sync_and_health

__all__ = ["conditions_of", "policy_of", "short_revision", "status_colour", "sync_and_health"]


def short_revision(revision: str) -> str:
    """Return a revision as people say it."""
    return revision[:7] if len(revision) == 40 else revision


def policy_of(obj: Object) -> str:
    """Return the SYNCPOLICY word."""
    automated = ((obj.get("spec") or {}).get("syncPolicy") or {}).get("automated")
    if automated is None or automated.get("enabled") is False:
        return "Manual"
    return "Auto-Prune" if automated.get("prune") else "Auto"


def conditions_of(obj: Object) -> str:
    """Return the CONDITIONS word: each type with how often it stands there."""
    counts: dict[str, int] = {}
    for condition in (obj.get("status") or {}).get("conditions") or ():
        kind = str(condition.get("type"))
        counts[kind] = counts.get(kind, 0) + 1
    return ",".join(f"{kind}({count})" if count > 1 else kind for kind, count in sorted(counts.items())) or "<none>"


def status_colour(word: str) -> str:
    """Return the colour of a sync status or a health; empty where it means neither good nor bad."""
    return _COLOURS.get(word, "")


_COLOURS = {
    "Synced": "green",
    "Healthy": "green",
    "Succeeded": "green",
    "OutOfSync": "yellow",
    "Progressing": "yellow",
    "Suspended": "yellow",
    "Running": "yellow",
    "Degraded": "red",
    "Missing": "red",
    "Unknown": "red",
    "Failed": "red",
    "Error": "red",
}
