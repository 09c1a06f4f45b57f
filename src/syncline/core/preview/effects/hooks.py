"""Hooks that run: those of every app that has something to sync, and those of deletion."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.preview.effects.words import named
from syncline.core.preview.scene import Changed, Scene
from syncline.model.preview import AppAction, Effect, EffectKind

_DELETION = ("PreDelete", "PostDelete")
_SYNC = ("PreSync", "Sync", "PostSync")


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per hook."""
    for one in scene.changed:
        deleted = one.change.action is AppAction.DELETED
        if not deleted and not one.change.objects:
            continue
        side, wanted = (one.before, _DELETION) if deleted else (one.after, _SYNC)
        for item in side.values():
            phases = [name for name in item.hook_types if name in wanted]
            if not item.is_hook or not phases:
                continue
            name = item.key.name or "a generated name"
            yield Effect(
                kind=EffectKind.HOOKS,
                short=f"{item.key.kind}/{name}",
                text=f"{named(item.key)} runs as {' and '.join(phases)}{_manual(one)}",
                apps=(one.name,),
                key=item.key,
                place=item.origin.place() if item.origin.file else None,
            )


def _manual(one: Changed) -> str:
    return "" if one.syncs or one.change.action is AppAction.DELETED else " when the app is synced by hand"
