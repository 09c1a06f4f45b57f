"""The stories that come with Syncline, by name, and look-alikes of each: the same troubles under other names.

Every story has a folder beside this file with a module `story`, which has a function `story`; one that also has
`look_alike` makes a story from a seeded draw.
"""

from __future__ import annotations

import importlib

from syncline.apimachinery.nearest import did_you_mean
from syncline.model.errors import NeedsUser
from syncline.scenarios.draw import Draw
from syncline.scenarios.story import Story

FOLDERS = {
    "ameide": "ameide",
    "homelab": "homelab",
    "kubeflow": "kubeflow",
    "private-ai": "private_ai",
    "self-healing": "self_healing",
}
NAMES = tuple(FOLDERS)


def get(name: str, variant: int | None = None) -> Story:
    """Return a story, or the look-alike that a seed makes of it."""
    if name not in FOLDERS:
        hint = did_you_mean(name, NAMES) or f"there are {', '.join(NAMES)}"
        raise NeedsUser(f"there is no story {name}", hint=hint)
    module = importlib.import_module(f"syncline.scenarios.{FOLDERS[name]}.story")
    if variant is None:
        told: Story = module.story()
        return told
    if not has_look_alikes(name):
        raise NeedsUser(f"the story {name} has no look-alikes")
    similar: Story = module.look_alike(Draw(variant))
    return similar


def has_look_alikes(name: str) -> bool:
    """Tell whether a story can be told under other names."""
    return hasattr(importlib.import_module(f"syncline.scenarios.{FOLDERS[name]}.story"), "look_alike")
