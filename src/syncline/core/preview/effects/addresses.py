"""Services that give up a load balancer: whoever knows its address no longer gets through."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.apimachinery.keys import GroupKind, Object
from syncline.core.preview.effects.words import first_place, named, spec_of
from syncline.core.preview.scene import Scene
from syncline.model.preview import Effect, EffectKind

_SERVICE = GroupKind("", "Service")
BALANCER = "LoadBalancer"
RELEASED = "its address is released, and another one may come back"


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield a danger per Service that is of another type now."""
    for one in scene.changed:
        for change, before, after in one.kept():
            if change.key.group_kind == _SERVICE and is_balancer(before.obj) and not is_balancer(after.obj):
                field = next((edit for edit in change.fields if edit.path == "spec.type"), None)
                yield Effect(
                    kind=EffectKind.DANGER,
                    short=f"{named(change.key)} gives up its load balancer",
                    text=f"Takes the load balancer from {named(change.key)}: {RELEASED}",
                    apps=(one.name,),
                    key=change.key,
                    place=field.place if field is not None and field.place is not None else first_place(change),
                )


def is_balancer(obj: Object) -> bool:
    """Whether a Service has a load balancer."""
    return spec_of(obj).get("type") == BALANCER
