"""What a running sync waits for: windows that hold it, and what each object that it has not come to yet waits for.

Used by `app get`, as a table and as a tree, and by whoever follows a sync. The Application's status says which objects
were begun and which of them are not through; everything that differs and was not begun waits for those.
"""

from __future__ import annotations

import re

from syncline.apimachinery.keys import Object

Identity = tuple[str, str, str, str]
"""Group, kind, namespace and name."""


_BLOCKED = "Sync operation blocked by sync window"
_TURN = re.compile(r" is (?:open|closed) until ")


def is_held(obj: Object) -> bool:
    """Whether a sync of an Application waits for a window."""
    state = (obj.get("status") or {}).get("operationState") or {}
    return bool(obj.get("operation")) and str(state.get("message") or "").startswith(_BLOCKED)


def held_words(message: str) -> str:
    """Return the message of an operation, in words of ours where a window holds it: which, and when it opens."""
    first, colon, windows = message.partition(": ")
    if first != _BLOCKED:
        return message
    return f"held by {_TURN.sub(', opens ', windows)}" if colon else "held by a sync window"


def identity_of(row: Object) -> Identity:
    """Return what a row of the status is about."""
    return (row.get("group", ""), row.get("kind", ""), row.get("namespace", ""), row.get("name", ""))


def queued(obj: Object) -> dict[Identity, str]:
    """Return words for every object that differs and that the running sync has not begun with; none without a sync."""
    status = obj.get("status") or {}
    state = status.get("operationState") or {}
    if state.get("phase") != "Running":
        return {}
    results = (state.get("syncResult") or {}).get("resources") or ()
    begun = {identity_of(row) for row in results}
    asked = {identity_of(row) for row in ((state.get("operation") or {}).get("sync") or {}).get("resources") or ()}
    pending = [f"{row['kind']}/{row['name']}" for row in results if row.get("hookPhase") == "Running"]
    behind = f", after {', '.join(pending)}" if pending else ""
    return {
        identity_of(row): f"waits for its turn in wave {row.get('syncWave') or 0}{behind}"
        for row in status.get("resources") or ()
        if row.get("status") == "OutOfSync" and identity_of(row) not in begun and not asked
    }
