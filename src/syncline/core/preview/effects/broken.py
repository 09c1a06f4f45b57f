"""Apps that a change breaks: they could be rendered before it, and cannot any more."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.preview.scene import Scene
from syncline.model.preview import Effect, EffectKind


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per app that no longer renders."""
    broken = {str(app): app for app in scene.head.apps if app.desired is None and app.problem}
    for one in scene.changed:
        app = broken.get(one.name)
        if app is not None and one.change.unknown == app.problem:
            yield Effect(
                kind=EffectKind.DANGER,
                short=f"{one.name.rpartition('/')[2]} does not render",
                text=f"{one.name} cannot be rendered: {app.problem}",
                apps=(one.name,),
                place=app.place or one.change.place,
            )
