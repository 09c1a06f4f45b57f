"""Gives a story other names, everywhere at once: in files and their paths, commands, causes and tables.

Used by the look-alikes of stories beside this file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.scenarios.story import Story


def renamed(story: Story, names: Mapping[str, str]) -> Story:
    """Return the story with each name replaced where it stands as a word, or as the beginning of one with a hyphen."""
    found = re.compile(r"(?<![A-Za-z0-9-])(" + "|".join(map(re.escape, names)) + r")(?![A-Za-z0-9])")

    def other(value: Any) -> Any:
        if isinstance(value, str):
            return found.sub(lambda one: names[one[1]], value)
        if isinstance(value, dict):
            return {other(key): other(one) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [other(one) for one in value]
        return value

    kept = {
        "name": story.name,
        "causes": tuple(msgspec.convert(other(msgspec.to_builtins(one)), type(one)) for one in _causes(story)),
    }
    changed = other(msgspec.to_builtins(msgspec.structs.replace(story, causes=())))
    return msgspec.structs.replace(msgspec.convert(changed, Story), **kept)


def _causes(story: Story) -> tuple[Any, ...]:
    return story.causes if isinstance(story.causes, tuple) else ()
