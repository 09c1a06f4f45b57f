"""The order in which a sync makes the changes of an app, where waves or hooks give it more than one step."""

from __future__ import annotations

from collections import defaultdict

from syncline.core.preview.effects.words import named
from syncline.core.preview.scene import Changed, Scene
from syncline.model.plan import Phase
from syncline.model.preview import AppAction, ObjectAction, Timeline, WaveStep

_RANK = {phase.value: phase.rank for phase in Phase}


def timelines(scene: Scene) -> tuple[Timeline, ...]:
    """Return the steps of every app that has several."""
    found = (Timeline(one.name, _steps(one)) for one in scene.changed if one.change.action is not AppAction.DELETED)
    return tuple(one for one in found if len(one.steps) > 1)


def _steps(one: Changed) -> tuple[WaveStep, ...]:
    by_step: dict[tuple[str, int], list[str]] = defaultdict(list)
    if not one.change.objects:
        return ()
    for change in one.change.objects:
        item = one.after.get(change.key)
        if change.action is not ObjectAction.DELETE and item is not None and not item.is_hook:
            by_step["Sync", change.wave].append(named(change.key))
    for item in one.after.values():
        for phase in item.hook_types if item.is_hook else ():
            if phase in _RANK and phase != Phase.SYNC_FAIL:
                by_step[phase, item.wave].append(named(item.key))
    order = sorted(by_step, key=lambda step: (_RANK[step[0]], step[1]))
    return tuple(WaveStep(phase, wave, tuple(sorted(by_step[phase, wave]))) for phase, wave in order)
