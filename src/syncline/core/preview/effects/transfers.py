"""Objects that one app hands over to another: whoever prunes first may delete what the other has not taken over yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from syncline.core.preview.effects.words import many, named
from syncline.core.preview.scene import Scene
from syncline.model.preview import AppAction, Effect, EffectKind, ObjectAction, ObjectChange

_PRECIOUS = ("PersistentVolumeClaim", "PersistentVolume", "Namespace", "CustomResourceDefinition", "StatefulSet")


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per pair of apps."""
    for one in scene.changed:
        by_source: dict[str, list[ObjectChange]] = defaultdict(list)
        for change in one.change.objects:
            if change.action is ObjectAction.TRANSFER:
                by_source[change.other].append(change)
        for other, moved in by_source.items():
            precious = [change for change in moved if change.key.kind in _PRECIOUS]
            first = (precious or moved)[0]
            rest = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
            text = (
                f"{named(first.key)}{rest} {'goes' if len(moved) == 1 else 'go'} from {other} to {one.name}; "
                "sync that one first, or the other may prune what has not been taken over yet"
            )
            yield Effect(
                kind=EffectKind.DANGER if precious else EffectKind.NOTE,
                short=f"hand {many(len(moved), 'object')} over from {other} to {one.name}",
                text=text,
                apps=(one.name, other),
                key=first.key,
                place=first.place,
            )
        if one.change.action is AppAction.RENAMED:
            text = (
                f"{one.change.was} is named {one.name} from now on: its objects change hands, and are deleted with the "
                "old Application if it has a finalizer"
            )
            yield Effect(
                kind=EffectKind.DANGER,
                short=f"rename app {one.change.was.rpartition('/')[2]} to {one.name.rpartition('/')[2]}",
                text=text,
                apps=(one.name,),
                place=one.change.place,
            )
