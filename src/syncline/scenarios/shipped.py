"""The stories that come with Syncline, by name, and look-alikes of each: the same troubles under other names.

Every story has a folder beside this file with a module `story`, whose function `story` tells it and whose `look_alike`
makes another one from a seeded draw. They are imported when somebody asks for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from syncline.apimachinery.nearest import did_you_mean
from syncline.model.errors import NeedsUser
from syncline.scenarios.draw import Draw
from syncline.scenarios.story import Story

_TOLD = {
    "ameide": "syncline.scenarios.ameide.story:story",
    "homelab": "syncline.scenarios.homelab.story:story",
    "kubeflow": "syncline.scenarios.kubeflow.story:story",
    "private-ai": "syncline.scenarios.private_ai.story:story",
    "self-healing": "syncline.scenarios.self_healing.story:story",
}
_SIMILAR = {
    "ameide": "syncline.scenarios.ameide.story:look_alike",
    "homelab": "syncline.scenarios.homelab.story:look_alike",
    "kubeflow": "syncline.scenarios.kubeflow.story:look_alike",
    "private-ai": "syncline.scenarios.private_ai.story:look_alike",
    "self-healing": "syncline.scenarios.self_healing.story:look_alike",
}
NAMES = tuple(_TOLD)


def get(name: str, variant: int | None = None) -> Story:
    """Return a story, or the look-alike that a seed makes of it."""
    if name not in _TOLD:
        hint = did_you_mean(name, NAMES) or f"there are {', '.join(NAMES)}"
        raise NeedsUser(f"there is no story {name}", hint=hint)
    made: Story = _named(_TOLD[name])() if variant is None else _named(_SIMILAR[name])(Draw(variant))
    return made


def _named(reference: str) -> Callable[..., Story]:
    module, _, function = reference.partition(":")
    found: Callable[..., Story] = getattr(importlib.import_module(module), function)
    return found
