"""Services whose pods a change takes away: the selector no longer fits, or nothing runs behind it any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.diagnose.repository.rendered import Address, Rendered
from syncline.core.preview.effects.words import WORKLOADS, named, pod_labels, replicas, spec_of
from syncline.core.preview.scene import Scene
from syncline.model.preview import Effect, EffectKind

_SERVICE = GroupKind("", "Service")
_POD = GroupKind("", "Pod")


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per Service that had pods and has none; only namespaces that change are looked at."""
    touched = {
        (one.change.cluster, change.key.namespace)
        for one in scene.changed
        for change in one.change.objects
        if change.key.group_kind in (*WORKLOADS, _POD, _SERVICE)
    }
    if not touched:
        return
    for address, found in scene.after.items():
        cluster, key = address
        if key.group_kind != _SERVICE or (cluster, key.namespace) not in touched or address not in scene.before:
            continue
        before = _behind(scene.before, address, scene.before[address][0].item.obj)
        after = _behind(scene.after, address, found[0].item.obj)
        if before and not after:
            text = f"{named(key)} in {key.namespace} is left without pods: {', '.join(before[:3])} no longer fits it"
            yield Effect(
                kind=EffectKind.ENDPOINTS,
                short=f"{named(key)} loses its pods",
                text=text,
                apps=(found[0].app,),
                key=key,
                place=found[0].item.origin.place("spec.selector"),
            )


def _behind(side: Mapping[Address, Sequence[Rendered]], address: Address, service: Object) -> list[str]:
    """Return the workloads with pods that a Service selects."""
    selector = spec_of(service).get("selector")
    if not isinstance(selector, dict) or not selector:
        return []
    wanted = {str(name): str(value) for name, value in selector.items()}
    return [
        named(key)
        for (cluster, key), found in side.items()
        if (cluster, key.namespace) == (address[0], address[1].namespace)
        and key.group_kind in (*WORKLOADS, _POD)
        and wanted.items() <= pod_labels(found[0].item.obj).items()
        and (key.kind in ("DaemonSet", "Pod") or replicas(found[0].item.obj) > 0)
    ]
