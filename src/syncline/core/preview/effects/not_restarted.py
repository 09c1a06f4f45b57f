"""Configuration that changes while the pods that read it go on with the old one, until somebody restarts them."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.preview.effects.words import WORKLOADS, below, first_place, named
from syncline.core.preview.scene import Changed, Scene
from syncline.core.references.read import references
from syncline.model.preview import Effect, EffectKind, ObjectChange

_CONFIG = (GroupKind("", "ConfigMap"), GroupKind("", "Secret"))
_RELOADERS = ("reloader.stakater.com/", "configmap.reloader.stakater.com/", "secret.reloader.stakater.com/")


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per workload that is given new variables and keeps the old ones."""
    for one in scene.changed:
        restarted = {change.key for change in one.change.objects if _restarts(change)}
        for change in one.change.objects:
            on_both_sides = change.key in one.after and change.key in one.before
            if change.key.group_kind in _CONFIG and on_both_sides and _data(change):
                yield from _stale(one, change, restarted)


def _data(change: ObjectChange) -> bool:
    return any(
        field.path.startswith(("data", "stringData", "binaryData")) and not field.noise for field in change.fields
    )


def _restarts(change: ObjectChange) -> bool:
    return any(below(field.path, "spec.template") for field in change.fields)


def _stale(one: Changed, change: ObjectChange, restarted: set[ObjectKey]) -> Iterator[Effect]:
    readers = [
        item.key
        for item in one.after.values()
        if item.key.group_kind in WORKLOADS
        and item.key in one.before
        and item.key not in restarted
        and not _reloads(item.obj)
        and _as_variables(item, change.key)
    ]
    if readers:
        who = ", ".join(named(key) for key in readers[:3]) + (
            f" and {len(readers) - 3} more" if len(readers) > 3 else ""
        )
        text = f"{named(change.key)} changes, but the pods of {who} keep the variables they started with"
        yield Effect(
            kind=EffectKind.NOTE, short=text, text=text, apps=(one.name,), key=change.key, place=first_place(change)
        )


def _as_variables(item: Prepared, key: ObjectKey) -> bool:
    """Whether pods read an object when they start; files of a volume follow on their own."""
    return any(one.key == key and ".env" in one.path for one in references(item.obj))


def _reloads(obj: Object) -> bool:
    annotations = (obj.get("metadata") or {}).get("annotations") or {}
    return any(str(name).startswith(_RELOADERS) for name in annotations)
