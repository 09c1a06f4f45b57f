"""Workloads that a change switches off: their last pods go, and nothing takes their place."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.preview.effects.words import WORKLOADS, first_place, many, named, replicas, spec_of
from syncline.core.preview.scene import Scene
from syncline.model.preview import Effect, EffectKind


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per workload that had pods and asks for none."""
    for one in scene.changed:
        for change, before, after in one.kept():
            scaled = change.key.group_kind in WORKLOADS and "replicas" in spec_of(after.obj)
            count = replicas(before.obj)
            if scaled and count and not replicas(after.obj):
                yield Effect(
                    kind=EffectKind.DANGER,
                    short=f"stop {named(change.key)} (replicas {count} → 0)",
                    text=f"Stops {named(change.key)} of {one.name}: its {many(count, 'pod')} "
                    f"{'is' if count == 1 else 'are'} deleted, and none is created",
                    apps=(one.name,),
                    key=change.key,
                    place=next((edit.place for edit in change.fields if edit.path == "spec.replicas"), None)
                    or first_place(change),
                )
