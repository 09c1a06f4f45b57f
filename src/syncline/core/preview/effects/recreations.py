"""Fields that cannot change once an object exists: it has to be recreated, or every sync fails."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import Object, gvk_of
from syncline.apimachinery.schema import custom_immutable, immutable
from syncline.core.compare.prepare import Prepared
from syncline.core.preview.effects.words import named, replicas, stopping
from syncline.core.preview.scene import Changed, Scene
from syncline.core.sync.hooks import delete_policies
from syncline.model.plan import HookDeletePolicy
from syncline.model.preview import Effect, EffectKind
from syncline.model.sync_options import SyncOptions

_MEANWHILE = {
    "Deployment": "its pods stop until it is there again",
    "DaemonSet": "its pods stop until it is there again",
    "StatefulSet": "its pods stop until it is there again; its claims stay",
    "Job": "it runs again",
    "PersistentVolumeClaim": "the data of its volume is lost unless its StorageClass retains it",
    "Service": "its address changes",
    "CustomResourceDefinition": "every object of its kind is deleted with it",
    "RoleBinding": "the rights are gone until it is there again",
    "ClusterRoleBinding": "the rights are gone until it is there again",
}


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per object with a change that the API server refuses."""
    for one in scene.changed:
        for change, before, after in one.kept():
            paths = [] if _goes_first(after) else refused(scene, before.obj, after.obj)
            if not paths:
                continue
            field = next((edit for edit in change.fields if edit.path.startswith(tuple(paths))), None)
            yield Effect(
                kind=EffectKind.DANGER,
                short=f"recreate {named(change.key)} ({_last(paths[0])} is immutable)",
                text=f"{_what(one, after.obj)} {named(change.key)}: {', '.join(paths)} cannot change once it exists; "
                + _then(one, after.obj),
                apps=(one.name,),
                key=change.key,
                place=(field.place if field is not None else None) or after.origin.place(paths[0]),
            )


def _goes_first(item: Prepared) -> bool:
    """Whether it is a hook that is deleted before it runs again, so that nothing of it is ever changed."""
    return item.is_hook and HookDeletePolicy.BEFORE_CREATION in delete_policies(item.obj)


def refused(scene: Scene, before: Object, after: Object) -> list[str]:
    """Return the fields whose change the API server refuses."""
    gvk = gvk_of(after)
    broken = [
        *immutable.violations(before, after, gvk),
        *custom_immutable.violations(before, after, scene.node_for(gvk)),
    ]
    return list(dict.fromkeys(found.path for found in broken))


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _what(one: Changed, obj: Object) -> str:
    return "Recreates" if _forced(one, obj) else "Has to recreate"


def _forced(one: Changed, obj: Object) -> bool:
    words = one.app.spec.sync_policy.sync_options if one.app is not None and one.app.spec.sync_policy else ()
    own = SyncOptions.of(obj)
    return own.force or (SyncOptions.parse(tuple(words)).force and (own.replace or "Replace=true" in words))


def _then(one: Changed, obj: Object) -> str:
    kind = str(obj.get("kind"))
    meanwhile = _MEANWHILE.get(kind, "whatever depends on it is without it meanwhile")
    if kind in ("Deployment", "StatefulSet"):
        meanwhile = f"{stopping(replicas(obj))} until it is there again"
    return meanwhile if _forced(one, obj) else f"every sync fails until it is deleted; then {meanwhile}"
