"""Pods that a change restarts: those whose template changes, with how many they are."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import Prepared
from syncline.core.preview.effects.recreations import refused
from syncline.core.preview.effects.words import WORKLOADS, below, first_place, many, named, replicas, spec_of
from syncline.core.preview.scene import Changed, Scene
from syncline.model.preview import Effect, EffectKind, ObjectChange

_TEMPLATE = "spec.template"
_SCALERS = (GroupKind("autoscaling", "HorizontalPodAutoscaler"), GroupKind("keda.sh", "ScaledObject"))


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per workload whose pods restart."""
    for one in scene.changed:
        for change, before, after in one.kept():
            if change.key.group_kind not in WORKLOADS or refused(scene, before.obj, after.obj):
                continue  # What is recreated is told as such.
            if any(below(field.path, _TEMPLATE) for field in change.fields):
                yield from _restart(one, change, before, after)


def _restart(one: Changed, change: ObjectChange, before: Prepared, after: Prepared) -> Iterator[Effect]:
    if spec_of(after.obj).get("paused") or _on_delete(after.obj):
        text = f"{named(change.key)} of {one.name} has a new template; its pods stay as they are until they are deleted"
        if spec_of(after.obj).get("paused"):
            text = f"{named(change.key)} of {one.name} is paused: its new template waits"
        yield Effect(kind=EffectKind.NOTE, short=text, text=text, apps=(one.name,), key=change.key)
        return
    pods, words = _pods(one, change.key, before.obj)
    if not pods and change.key.kind != "DaemonSet":
        return
    listed = [field for field in change.fields if below(field.path, _TEMPLATE)]
    told = [field for field in listed if not field.noise] or listed
    fields = [field.path.removeprefix(f"{_TEMPLATE}.") for field in told]
    why = ", ".join(map(short_path, fields[:2])) + (f" and {len(fields) - 2} more" if len(fields) > 2 else "")
    yield Effect(
        kind=EffectKind.RESTART,
        short=f"{change.key.name} ({words})",
        text=f"{named(change.key)}: {words}, {_manner(after.obj)}: {why}",
        apps=(one.name,),
        key=change.key,
        place=first_place(change),
        pods=pods,
    )


def short_path(path: str) -> str:
    """Return a field of a pod without the way to it."""
    return path.removeprefix("spec.").replace("name=", "")


def _on_delete(obj: Object) -> bool:
    strategy = spec_of(obj).get("updateStrategy")
    return isinstance(strategy, dict) and strategy.get("type") == "OnDelete"


def _manner(obj: Object) -> str:
    strategy = spec_of(obj).get("strategy")
    if isinstance(strategy, dict) and strategy.get("type") == "Recreate":
        return "all at once (Recreate)"
    return "one by one" if obj.get("kind") == "StatefulSet" else "rolling"


def _pods(one: Changed, key: ObjectKey, obj: Object) -> tuple[int, str]:
    """Return how many pods there are, as far as Git says, and that in words."""
    if key.kind == "DaemonSet":
        return 0, "one pod per node"
    scaler = next((item.obj for item in one.before.values() if _scales(item, key)), None)
    if scaler is not None:
        spec = spec_of(scaler)
        low = spec.get("minReplicas", spec.get("minReplicaCount", 1))
        high = spec.get("maxReplicas", spec.get("maxReplicaCount", "?"))
        return int(low) if isinstance(low, int) else 1, f"{low} to {high} pods"
    count = replicas(obj)
    return count, many(count, "pod")


def _scales(item: Prepared, key: ObjectKey) -> bool:
    target = spec_of(item.obj).get("scaleTargetRef")
    return (
        item.key.group_kind in _SCALERS
        and item.key.namespace == key.namespace
        and isinstance(target, dict)
        and (target.get("kind", "Deployment"), target.get("name")) == (key.kind, key.name)
    )
