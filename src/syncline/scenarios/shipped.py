"""The stories that come with Syncline, by name."""

from __future__ import annotations

from syncline.apimachinery.nearest import did_you_mean
from syncline.model.errors import NeedsUser
from syncline.scenarios.story import Story

NAMES = ("ameide",)


def get(name: str) -> Story:
    """Return a story."""
    if name not in NAMES:
        hint = did_you_mean(name, NAMES) or f"there are {', '.join(NAMES)}"
        raise NeedsUser(f"there is no story {name}", hint=hint)
    from syncline.scenarios.ameide import story as ameide

    return {"ameide": ameide.story}[name]()
