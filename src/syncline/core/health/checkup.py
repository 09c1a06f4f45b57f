"""The health of an app's live objects, with everything that plays a part: scripts, knowledge, owners, storage.

Built once per snapshot by `syncline.core.assess` and asked for every object. A kind for which the settings have a
script is judged by the script alone; until it has run on the very version that is live, the object counts as
Progressing, so that no wave passes on a verdict about an older one.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.core.health import claims, scripts
from syncline.core.health.assess import APPLICATION, assess
from syncline.core.health.descend import descend
from syncline.core.health.family import Family
from syncline.model.health import Health, HealthCode
from syncline.model.settings.resources import NO_CUSTOMIZATIONS
from syncline.model.settings.settings import Compat
from syncline.model.snapshot import Snapshot

_PENDING = Health(HealthCode.PROGRESSING, "its health check has not run on this version yet", "ScriptPending")


class Checkup:
    """Says how healthy an object is, given all that a snapshot holds."""

    def __init__(self, snapshot: Snapshot, live: Mapping[ObjectKey, Object]) -> None:
        self._settings = snapshot.settings
        self._any_scripts = bool(self._settings.overrides) or self._settings.customizations != NO_CUSTOMIZATIONS
        self._family = Family(live.values())
        self._storage = claims.Storage((*snapshot.surroundings, *snapshot.events))
        self._scripted = {(item.key, item.resource_version): item.health for item in snapshot.scripted}

    def __call__(self, obj: Object) -> Health | None:
        """Return the health of an object; None where no check exists."""
        health = assess(obj)
        if health is not None and health.reason == "Deleting":
            return health
        if self._has_script(obj):
            return self._scripted.get((key_of(obj), version_of(obj)), _PENDING)
        health = refine(obj, health, self._storage, self._settings.compat)
        return descend(obj, health, self._family) if health is not None else None

    def gate(self, obj: Object) -> Health | None:
        """Return the health by which a sync is held up: a script without a status holds it up, as with Argo CD."""
        health = self(obj)
        return scripts.NO_STATUS if health is None and self._has_script(obj) else health

    def _has_script(self, obj: Object) -> bool:
        if not self._any_scripts:
            return False
        return (
            scripts.choose(gvk_of(obj).group_kind, self._settings.overrides, self._settings.customizations) is not None
        )


def refine(obj: Object, health: Health | None, storage: claims.Storage, compat: Compat) -> Health | None:
    """Return the health with what differs from Argo CD on purpose: claims by their class, child apps at all."""
    if health is None or health.reason == "Deleting":
        return health
    # Most objects are neither: their names alone tell, which is cheaper than their groups.
    if obj.get("kind") not in (APPLICATION.kind, claims.CLAIM.kind):
        return health
    kind = gvk_of(obj).group_kind
    if compat is Compat.ARGOCD:
        return None if kind == APPLICATION else health
    return claims.refine(obj, health, storage) if kind == claims.CLAIM else health


def version_of(obj: Object) -> str:
    """Return an object's resourceVersion."""
    return str((obj.get("metadata") or {}).get("resourceVersion") or "")
