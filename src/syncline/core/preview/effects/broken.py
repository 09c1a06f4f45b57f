"""Apps that a change breaks: they could be rendered before it, and cannot any more."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.preview.scene import Changed, Scene
from syncline.model.errors import Place
from syncline.model.preview import Effect, EffectKind


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per problem that keeps apps from being rendered."""
    broken = {str(app): app for app in scene.head.apps if app.desired is None and app.problem}
    together: dict[tuple[str, Place | None], list[Changed]] = {}
    for one in scene.changed:
        app = broken.get(one.name)
        if app is not None and one.change.unknown == app.problem:
            # Without a line of its own a problem is that of its app alone.
            together.setdefault((app.problem, app.place or one.change.place), []).append(one)
    for (problem, place), found in together.items():
        name = found[0].name
        several = len(found) > 1
        yield Effect(
            kind=EffectKind.DANGER,
            short="the source does not render" if several else f"{name.rpartition('/')[2]} does not render",
            text=f"{f'{len(found)} apps' if several else name} cannot be rendered: {problem}",
            apps=tuple(one.name for one in found),
            place=place,
        )
