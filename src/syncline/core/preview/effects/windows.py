"""Sync windows that hold a change back, by the projects in the repository."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncline.core.policy import windows
from syncline.core.preview.scene import Scene
from syncline.model import project
from syncline.model.errors import InvalidSpec
from syncline.model.preview import AppAction, Effect, EffectKind
from syncline.model.project import AppProject


def effects(scene: Scene) -> Iterator[Effect]:
    """Yield one consequence per app that its project does not let sync now."""
    if not scene.as_of:
        return
    known = _projects(scene)
    for one in scene.changed:
        if one.app is None or one.change.action is AppAction.DELETED or not one.change.objects:
            continue
        rules = known.get(one.app.spec.project or "default")
        if rules is None or not rules.spec.sync_windows:
            continue
        name, destination = one.app.metadata.name, one.app.spec.destination
        found = windows.standing(name, destination, rules.spec.sync_windows, as_of=scene.as_of, manual=False)
        if found.allowed:
            continue
        opens = windows.opens(name, destination, rules.spec.sync_windows, as_of=scene.as_of, manual=False)
        until = f"held until {opens}" if opens else "held, no end in sight"
        yield Effect(
            kind=EffectKind.WINDOW,
            short=f"{one.app.spec.project} {until}",
            text=windows.held(found, one.app.spec.project, opens),
            apps=(one.name,),
        )


def _projects(scene: Scene) -> Mapping[str, AppProject]:
    found: dict[str, AppProject] = {}
    for item in scene.head.projects:
        try:
            found.setdefault(item.key.name, project.parse(item.obj))
        except InvalidSpec:
            continue
    return found
