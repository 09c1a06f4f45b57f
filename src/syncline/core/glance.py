"""One Application in a few words: its two states, and what is wrong or waited for, by what its status records.

Used by `syncline.cli.show.overview` for the terminal and by `syncline.server.lists.shelf` for lists of many
Applications. Nothing is looked up: a whole fleet is told in milliseconds. `syncline.core.diagnose` knows the causes.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery.keys import Object
from syncline.model.condition import is_error

_FINE = ("", "Healthy")


def sync_and_health(obj: Object) -> tuple[str, str]:
    """Return sync status and health, `Unknown` where there is none yet."""
    status: dict[str, Any] = obj.get("status") or {}
    sync = (status.get("sync") or {}).get("status") or "Unknown"
    return sync, (status.get("health") or {}).get("status") or "Unknown"


def is_automated(obj: Object) -> bool:
    """Whether an Application syncs without being asked."""
    automated = ((obj.get("spec") or {}).get("syncPolicy") or {}).get("automated")
    return automated is not None and automated.get("enabled") is not False


def trouble(obj: Object) -> str:
    """Return what failed; empty where nothing did."""
    status = obj.get("status") or {}
    for condition in status.get("conditions") or ():
        if is_error(str(condition.get("type"))):
            return str(condition.get("message") or condition["type"])
    state = status.get("operationState") or {}
    if state.get("phase") in ("Failed", "Error"):
        return str(state.get("message") or f"the last sync ended as {state['phase']}")
    if sync_and_health(obj)[1] == "Degraded":
        return health_words(status) or "degraded"
    return ""


def waits(obj: Object, heard: str = "") -> str:
    """Return what an Application waits for; `heard` is what was last heard of it, where somebody listened."""
    status = obj.get("status") or {}
    state = status.get("operationState") or {}
    if state.get("phase") == "Running":
        return heard or str(state.get("message") or "syncing")
    if not status.get("sync"):
        return "waiting for its first comparison"
    if sync_and_health(obj)[0] == "OutOfSync" and not is_automated(obj):
        return "waiting for a manual sync"
    return health_words(status) or heard


def health_words(status: Object) -> str:
    """Return why an Application is not Healthy: its own words, else those of the first object that says so."""
    if message := (status.get("health") or {}).get("message"):
        return str(message)
    wrong = (row for row in status.get("resources") or () if (row.get("health") or {}).get("status", "") not in _FINE)
    for row in wrong:
        words = row["health"].get("message") or row["health"]["status"]
        return f"{row.get('kind')}/{row.get('name')}: {words}"
    return ""
