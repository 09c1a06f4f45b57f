"""Sync options: exact, case-sensitive words on the Application and on single objects.

Read by `syncline.core.sync.plan` and the modules beside it. Where both may say something, the object's word wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.apimachinery.keys import Object
from syncline.model import names


def object_options(obj: Object | None) -> tuple[str, ...]:
    """Return the options an object carries."""
    annotations = ((obj or {}).get("metadata") or {}).get("annotations") or {}
    text = annotations.get(names.SYNC_OPTIONS)
    return tuple(word.strip() for word in str(text).split(",") if word.strip()) if text else ()


def enabled(option: str, app_options: Sequence[str], *objects: Object | None) -> bool:
    """Whether `option` (as `Name=value`) is set on the app or on any of the objects."""
    return option in app_options or any(option in object_options(obj) for obj in objects)


def _value(name: str, app_options: Sequence[str], obj: Object | None) -> str:
    """Return the value of an option of which the object's word counts more than the app's; the last one wins."""
    for words in (object_options(obj), app_options):
        found = [word.partition("=")[2] for word in words if word.startswith(f"{name}=")]
        if found:
            return found[-1]
    return ""


def prune_allowed(app_options: Sequence[str], live: Object | None) -> bool:
    """Whether an extra object may be pruned at all; what the object says wins over what the app says."""
    return _value("Prune", app_options, live) != "false"


def prune_needs_approval(app_options: Sequence[str], live: Object | None) -> bool:
    """Whether somebody has to approve before an extra object is pruned."""
    return _value("Prune", app_options, live) == "confirm"


def delete_allowed(app_options: Sequence[str], live: Object | None) -> bool:
    """Whether an object goes when its app is deleted."""
    return _value("Delete", app_options, live) != "false"


def delete_needs_approval(app_options: Sequence[str], live: Object | None) -> bool:
    """Whether somebody has to approve before an object goes with its app."""
    return _value("Delete", app_options, live) == "confirm"


def propagation(app_options: Sequence[str]) -> str:
    """Return what happens to the children of a deleted object, as the API server calls it; Foreground by default."""
    for word in ("foreground", "background", "orphan"):
        if f"PrunePropagationPolicy={word}" in app_options:
            return word.capitalize()
    return "Foreground"
