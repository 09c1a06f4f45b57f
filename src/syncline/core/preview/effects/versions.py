"""Versions that a custom kind no longer has: objects are stored in one, and clients ask for those that are served."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core import defined_kinds
from syncline.core.preview.effects.words import many, named, spec_of
from syncline.core.preview.scene import Changed, Scene
from syncline.model.preview import Effect, EffectKind, ObjectChange

_DEFINITION = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield a danger per definition that drops the version its objects are stored in, or one that is in use."""
    for one in scene.changed:
        for change, before, after in one.kept():
            if change.key.group_kind == _DEFINITION:
                yield from _dropped(scene, one, change, before.obj, after.obj)


def _dropped(scene: Scene, one: Changed, change: ObjectChange, before: Object, after: Object) -> Iterator[Effect]:
    was, now = _versions(before), _versions(after)
    kind = defined_kinds.defined_kind(after)
    stored = [name for name, version in was.items() if version.get("storage") and name not in now]
    for name in stored:
        text = (
            f"Drops version {name} of {named(change.key)}, in which objects are stored: every sync fails until all are "
            f"stored in another one and its status no longer lists {name}; keep it with served: false until then"
        )
        yield _effect(one, change, f"drop stored version {name} of {named(change.key)}", text)
    for name in (name for name, version in was.items() if version.get("served") and name not in stored):
        using = _using(scene, one, kind, f"{kind.group}/{name}") if kind is not None else 0
        if using and not now.get(name, {}).get("served"):
            those = f"{many(using, 'object')} in Git {'is' if using == 1 else 'are'} of it"
            text = f"No longer serves version {name} of {named(change.key)}: {those}"
            yield _effect(one, change, f"stop serving version {name} of {named(change.key)}", text)


def _versions(obj: Object) -> dict[str, dict[str, Any]]:
    found = spec_of(obj).get("versions")
    listed = found if isinstance(found, list) else ()
    return {str(one.get("name")): one for one in listed if isinstance(one, dict)}


def _using(scene: Scene, one: Changed, kind: GroupKind, api_version: str) -> int:
    """Return how many objects of a version Git still has for the cluster."""
    return sum(
        apps[0].item.obj.get("apiVersion") == api_version
        for (cluster, key), apps in scene.after.items()
        if key.group_kind == kind and cluster == one.change.cluster
    )


def _effect(one: Changed, change: ObjectChange, short: str, text: str) -> Effect:
    place = next((edit.place for edit in change.fields if edit.path.startswith("spec.versions")), None) or change.place
    return Effect(kind=EffectKind.DANGER, short=short, text=text, apps=(one.name,), key=change.key, place=place)
