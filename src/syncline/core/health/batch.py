"""Assesses many objects together, owners joined: messages go down to the container, claims are seen with their class.

Called by `syncline.api.health` with objects from files, and fit for the live objects of an app. Scripts of the
settings were run before: their results come in by position and take the place of the checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncline.apimachinery.keys import Object
from syncline.core.health import checkup, claims
from syncline.core.health.assess import assess, shown
from syncline.core.health.descend import descend
from syncline.core.health.family import Family
from syncline.model.health import Health
from syncline.model.settings.settings import Compat

NO_SCRIPTS: Mapping[int, Health | None] = {}


def assess_all(
    objects: Sequence[Object],
    *,
    scripted: Mapping[int, Health | None] = NO_SCRIPTS,
    compat: Compat = Compat.SYNCLINE,
) -> list[Health | None]:
    """Return the health of each object, in order; one that does not gate is only a reading of its conditions."""
    family, storage = Family(objects), claims.Storage(objects)
    found: list[Health | None] = []
    for index, obj in enumerate(objects):
        if index in scripted and not _leaving(obj):
            found.append(scripted[index])
            continue
        health = checkup.refine(obj, shown(obj), storage, compat)
        found.append(descend(obj, health, family) if health is not None else None)
    return found


def _leaving(obj: Object) -> bool:
    """Whether the object is on its way out, which goes before any script."""
    health = assess(obj) if (obj.get("metadata") or {}).get("deletionTimestamp") else None
    return health is not None and health.reason == "Deleting"
