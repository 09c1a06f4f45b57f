"""Objects that leave Git: what is deleted, what goes with it, and what stays on the cluster all the same."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core import defined_kinds
from syncline.core.compare.prepare import Prepared
from syncline.core.preview.effects.addresses import RELEASED, is_balancer
from syncline.core.preview.effects.words import many, named, replicas, spec_of, stopping
from syncline.core.preview.scene import Changed, Scene
from syncline.model import names
from syncline.model.preview import AppAction, Effect, EffectKind, ObjectAction
from syncline.model.sync_options import Consent, SyncOptions

_CLAIM = GroupKind("", "PersistentVolumeClaim")
_VOLUME = GroupKind("", "PersistentVolume")
_NAMESPACE = GroupKind("", "Namespace")
_DEFINITION = GroupKind("apiextensions.k8s.io", "CustomResourceDefinition")
_SET = GroupKind("apps", "StatefulSet")
_SERVICE = GroupKind("", "Service")
_KEPT = (Consent.REFUSED, Consent.ASK)


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield what is lost with objects that leave Git, and one note per app about those that only stay behind."""
    for one in scene.changed:
        gone = [
            item.key
            for item in one.change.objects
            if item.action in (ObjectAction.DELETE, ObjectAction.RENAME) and (item.was or item.key) in one.before
        ]
        was = {item.key: item.was for item in one.change.objects if item.was is not None}
        keys = [was.get(key) or key for key in gone]
        if one.change.action is AppAction.DELETED:
            yield from _deleted_app(scene, one, [key for key in keys if not one.before[key].is_hook])
        else:
            yield from _pruned(scene, one, [key for key in keys if not one.before[key].is_hook])


def _pruned(scene: Scene, one: Changed, keys: list[ObjectKey]) -> Iterator[Effect]:
    staying = []
    for key in keys:
        item = one.before[key]
        others = [found.app for found in scene.after.get((one.change.cluster, key), ()) if found.app != one.name]
        if others:
            text = f"{named(key)} leaves {one.name}; {others[0]} delivers it too and keeps it"
            yield _effect(EffectKind.NOTE, text, text, one, item)
        elif not one.prunes or SyncOptions.of(item.obj).prune in _KEPT:
            staying.append(key)
        else:
            yield from _lost(scene, one, item, "prune", "Prunes")
    if staying:
        text = _staying(one, staying)
        yield Effect(kind=EffectKind.NOTE, short=text, text=text, apps=(one.name,), key=staying[0])


def _staying(one: Changed, keys: list[ObjectKey]) -> str:
    what = ", ".join(named(key) for key in keys[:3]) + (f" and {len(keys) - 3} more" if len(keys) > 3 else "")
    why = "says Prune=false" if one.prunes else "the app does not prune automatically"
    if len(keys) == 1:
        return f"{what} leaves {one.name} and stays on the cluster: {'it ' if one.prunes else ''}{why}"
    return (
        f"{what} leave {one.name} and stay on the cluster: {'they ' if one.prunes else ''}{why.replace('says', 'say')}"
    )


def _deleted_app(scene: Scene, one: Changed, keys: list[ObjectKey]) -> Iterator[Effect]:
    cascades = (
        any(name.startswith(names.RESOURCES_FINALIZER) for name in one.app.metadata.finalizers) if one.app else False
    )
    count = many(len(one.before), "object")
    if not cascades:
        rest = f"its {count} {'stays' if len(one.before) == 1 else 'stay'} on the cluster, managed by no app"
        text = f"{one.name} leaves Git; {rest} (no finalizer)"
        yield Effect(kind=EffectKind.NOTE, short=text, text=text, apps=(one.name,), place=one.change.place)
        return
    short = f"delete app {one.name.rpartition('/')[2]} with its {count}"
    yield Effect(
        kind=EffectKind.DANGER,
        short=short,
        text=f"Deletes {one.name} and with it its {count}, when the Application itself is deleted",
        apps=(one.name,),
        place=one.change.place,
    )
    for key in keys:
        if (one.change.cluster, key) not in scene.after and SyncOptions.of(one.before[key].obj).delete not in _KEPT:
            yield from _lost(scene, one, one.before[key], "delete", "Deletes")


def _lost(scene: Scene, one: Changed, item: Prepared, verb: str, verbs: str) -> Iterator[Effect]:
    """Yield what goes with an object, where that is more than the object."""
    kind, what, spec = item.key.group_kind, named(item.key), spec_of(item.obj)
    if kind == _CLAIM:
        size = _size(spec)
        short, comma = (f" ({size})", f", {size}") if size else ("", "")
        text = f"{verbs} {what}{comma}: the data is lost unless the StorageClass retains it"
        yield _effect(EffectKind.DANGER, f"{verb} PVC/{item.key.name}{short}", text, one, item)
    elif kind == _VOLUME:
        text = (
            f"{verbs} {what}: reclaim policy {spec.get('persistentVolumeReclaimPolicy', 'Retain')} decides on its data"
        )
        yield _effect(EffectKind.DANGER, f"{verb} PV/{item.key.name}", text, one, item)
    elif kind == _SET:
        text = f"{verbs} {what}: {stopping(replicas(item.obj))}{_claims(item.obj)}"
        yield _effect(EffectKind.DANGER, f"{verb} {what} ({many(replicas(item.obj), 'pod')})", text, one, item)
    elif kind == _SERVICE and is_balancer(item.obj):
        text = f"{verbs} {what} with its load balancer: {RELEASED}"
        yield _effect(EffectKind.DANGER, f"{verb} {what} with its load balancer", text, one, item)
    elif kind == _NAMESPACE:
        cluster, name = one.change.cluster, item.key.name
        inside = [key for (where, key) in scene.before if where == cluster and key.namespace == name]
        more = f" ({many(len(inside), 'object')} from Git among it)" if inside else ""
        text = f"{verbs} {what}: everything in it is deleted{more}"
        yield _effect(EffectKind.DANGER, f"{verb} {what}", text, one, item)
    elif kind == _DEFINITION:
        yield _effect(EffectKind.DANGER, *_definition(scene, one, item.obj, verb, verbs), one, item)


def _claims(obj: Object) -> str:
    """Return what becomes of the claims of a StatefulSet, with their sizes."""
    templates = spec_of(obj).get("volumeClaimTemplates")
    sizes = [_size(spec_of(claim)) for claim in templates or () if isinstance(claim, dict)]
    policy = spec_of(obj).get("persistentVolumeClaimRetentionPolicy")
    deleted = isinstance(policy, dict) and policy.get("whenDeleted") == "Delete"
    if not sizes:
        return ""
    return f"; its claims ({', '.join(filter(None, sizes))} for each pod) {'go with it' if deleted else 'stay'}"


def _definition(scene: Scene, one: Changed, obj: Object, verb: str, verbs: str) -> tuple[str, str]:
    kind = defined_kinds.defined_kind(obj)
    found = {
        address[1]: apps[0].app
        for address, apps in (*scene.before.items(), *scene.after.items())
        if kind is not None and address[1].group_kind == kind and address[0] == one.change.cluster
    }
    name = kind.kind if kind is not None else "its kind"
    apps = sorted(set(found.values()))
    known = f", {len(found)} of them from Git in {', '.join(apps[:3])}{' …' if len(apps) > 3 else ''}" if found else ""
    count = f" and {many(len(found), name)}" if found else ""
    return (
        f"{verb} CRD {name}{count}",
        f"{verbs} CustomResourceDefinition of {name}: every {name} is deleted with it{known}",
    )


def _size(spec: object) -> str:
    value = spec.get("resources") if isinstance(spec, dict) else None
    requests = value.get("requests") if isinstance(value, dict) else None
    return str(requests.get("storage") or "") if isinstance(requests, dict) else ""


def _effect(kind: EffectKind, short: str, text: str, one: Changed, item: Prepared) -> Effect:
    place = item.origin.place() if item.origin.file else None
    return Effect(kind=kind, short=short, text=text, apps=(one.name,), key=item.key, place=place)
