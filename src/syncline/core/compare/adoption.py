"""Objects that an Application desires and that are tracked for an app which this installation does not know.

Another installation may deliver them, so nobody takes them over silently: `syncline.core.autosync` and
`syncline.core.decide` wait for one approval, which `syncline app adopt` records on the Application. The approval is a
list of marks, one for each object: it holds for those very objects (by UID) and for the app that each one names, so
that it still covers what is left when half of them have been written. A label is not tracking: Helm sets it too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.compare import tracking
from syncline.core.compare.prepare import PreparedSet
from syncline.model import names
from syncline.model.application import Application
from syncline.model.settings.settings import Settings

_MARK = 16
_NAMED = 5


class Adoption(msgspec.Struct, frozen=True, order=True):
    """One object that would change hands, the app it is tracked for, and the mark that approves it."""

    key: ObjectKey
    app: str
    mark: str

    def __str__(self) -> str:
        return f"{self.key.short} (tracked for {self.app})"


def tracked_for(live: Object) -> str:
    """Return the app that an object is tracked for by annotation; empty where none, or where it is a copy's."""
    text = meta.annotations(live).get(names.TRACKING_ID)
    if not text:
        return ""
    named = tracking.parse_tracking_id(str(text))
    return named[0] if named is not None and tracking.names_itself(named[1], key_of(live)) else ""


def named_apps(live: Iterable[Object], own: str) -> frozenset[str]:
    """Return the other apps that objects are tracked for, as they mark their objects."""
    return frozenset(app for obj in live if (app := tracked_for(obj)) and app != own)


def adoptions(
    app: Application,
    prepared: PreparedSet,
    live: Mapping[ObjectKey, Object],
    strangers: Iterable[str],
    settings: Settings,
) -> tuple[Adoption, ...]:
    """Return what the app would take over from apps that this installation does not know, sorted."""
    unknown, own = frozenset(strangers), tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    found = []
    for item in (*prepared.objects, *prepared.hooks):
        obj = live.get(item.key)
        holder = tracked_for(obj) if obj is not None else ""
        if obj is not None and holder and (holder in unknown or is_of_other_installation(obj, own, settings)):
            found.append(Adoption(item.key, holder.replace("_", "/"), _mark(item.key, holder, meta.uid(obj))))
    return tuple(sorted(found))


def is_of_other_installation(live: Object, own: str, settings: Settings) -> bool:
    """Whether an object is marked as another installation's; one without an id takes what its own app names."""
    marked = str(meta.annotations(live).get(names.INSTALLATION_ID) or "")
    if not marked or marked == settings.installation_id:
        return False
    return bool(settings.installation_id) or tracked_for(live) != own


def approved_marks(app: Application) -> frozenset[str]:
    """Return what somebody approved on an Application."""
    text = app.metadata.annotations.get(names.ADOPTED, "")
    return frozenset(mark for mark in text.split(",") if mark)


def may_take(app: Application, found: Iterable[Adoption], key: ObjectKey, live: Object, settings: Settings) -> bool:
    """Whether an object as it is right before a write may be written: one that would be adopted needs its approval."""
    holder = tracked_for(live)
    own = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    if not holder or (holder == own and not is_of_other_installation(live, own, settings)):
        return True
    if not any(one.key == key for one in found):
        return True  # Of an app that this installation knows: the rules of owners decide.
    return _mark(key, holder, meta.uid(live)) in approved_marks(app)


def digest(found: Iterable[Adoption]) -> str:
    """Return what a list of objects is known by, for whoever approves the list they have seen."""
    return hashlib.sha256("\n".join(sorted(one.mark for one in found)).encode()).hexdigest()[:12]


def annotation(found: Iterable[Adoption]) -> str:
    """Return the annotation that approves these objects."""
    return ",".join(sorted({one.mark for one in found}))


def words(found: tuple[Adoption, ...]) -> str:
    """Return in one sentence what waits for an approval."""
    shown = ", ".join(map(str, found[:_NAMED])) + (f" and {len(found) - _NAMED} more" if len(found) > _NAMED else "")
    return f"{shown}: this installation does not know that app; to take over: syncline app adopt"


def _mark(key: ObjectKey, holder: str, uid: str) -> str:
    return hashlib.sha256(f"{key}\n{holder}\n{uid}".encode()).hexdigest()[:_MARK]
