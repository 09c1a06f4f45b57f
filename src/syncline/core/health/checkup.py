"""The one way to judge objects: scripts, built-in checks, knowledge, owners, StorageClasses and Events together.

`of_snapshot` is built by `syncline.core.assess`, `syncline.core.operating` and `syncline.cli.show` for what is live of
an app, `of_files` by `syncline.api.health` for objects from files: both ask the same questions in the same order.
A kind for which the settings have a script is judged by the script alone; until it has run on the very version that is
live, the object counts as Progressing, so that no wave passes on a verdict about an older one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.core.health import claims, scripts
from syncline.core.health.assess import APPLICATION, assess, shown
from syncline.core.health.descend import descend
from syncline.core.health.family import OwnedObjects
from syncline.model.health import Health, HealthCode
from syncline.model.settings.resources import NO_CUSTOMIZATIONS
from syncline.model.settings.settings import Compat, Settings
from syncline.model.snapshot import Snapshot

_PENDING = Health(HealthCode.PROGRESSING, "its health check has not run on this version yet", "ScriptPending")
NO_SCRIPTS: Mapping[int, Health | None] = {}


class Checkup:
    """Says how healthy an object is, given everything that plays a part."""

    def __init__(
        self,
        objects: Iterable[Object],
        settings: Settings,
        *,
        storage: claims.Storage,
        scripted: Callable[[Object], Health | None],
    ) -> None:
        self._compat = settings.compat
        self._overrides = settings.overrides
        self._customizations = settings.customizations
        self._any_scripts = bool(self._overrides) or self._customizations != NO_CUSTOMIZATIONS
        self._family = OwnedObjects(objects)
        self._storage = storage
        self._scripted = scripted

    def __call__(self, obj: Object) -> Health | None:
        """Return the health of an object; None where no check exists."""
        return self._judge(obj, assess)

    def shown(self, obj: Object) -> Health | None:
        """Return what people are shown: the health, or a reading of a kind nobody described, which does not gate."""
        return self._judge(obj, shown)

    def gate(self, obj: Object) -> Health | None:
        """Return the health by which a sync is held up: a script without a status holds it up, as with Argo CD."""
        health = self(obj)
        return scripts.NO_STATUS if health is None and self._has_script(obj) else health

    def _judge(self, obj: Object, check: Callable[[Object], Health | None]) -> Health | None:
        health = check(obj)
        if health is not None and health.reason == "Deleting":
            return health
        if self._has_script(obj):
            return self._scripted(obj)
        health = _refine(obj, health, self._storage, self._compat)
        return descend(obj, health, self._family) if health is not None else None

    def _has_script(self, obj: Object) -> bool:
        if not self._any_scripts:
            return False
        return scripts.choose(gvk_of(obj).group_kind, self._overrides, self._customizations) is not None


def of_snapshot(snapshot: Snapshot, live: Mapping[ObjectKey, Object]) -> Checkup:
    """Return the checkup of an app's live objects."""
    known = {(item.key, item.version): item.health for item in snapshot.scripted}
    return Checkup(
        live.values(),
        snapshot.settings,
        storage=claims.Storage((*snapshot.surroundings, *snapshot.events)),
        scripted=lambda obj: known.get((key_of(obj), scripts.version_of(obj)), _PENDING),
    )


def of_files(
    objects: Sequence[Object], settings: Settings, scripted: Mapping[int, Health | None] = NO_SCRIPTS
) -> Checkup:
    """Return the checkup of objects from files, Events and StorageClasses among them.

    Results of scripts come by the position of their object: files may hold several objects of one name and version.
    """
    results = {id(objects[position]): health for position, health in scripted.items()}
    return Checkup(
        objects,
        settings,
        storage=claims.Storage(objects),
        scripted=lambda obj: results.get(id(obj), _PENDING),
    )


def _refine(obj: Object, health: Health | None, storage: claims.Storage, compat: Compat) -> Health | None:
    """Return the health with what differs from Argo CD on purpose: claims by their class, child apps at all."""
    if health is None:
        return health
    # Most objects are neither: their names alone tell, which is cheaper than their groups.
    if obj.get("kind") not in (APPLICATION.kind, claims.CLAIM.kind):
        return health
    kind = gvk_of(obj).group_kind
    if compat is Compat.ARGOCD:
        return None if kind == APPLICATION else health
    return claims.refine(obj, health, storage) if kind == claims.CLAIM else health
