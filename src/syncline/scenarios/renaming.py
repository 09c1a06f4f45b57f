"""Gives a story other names, everywhere at once: in its files and their paths, in its cluster, in what it expects.

Used by look-alikes. An answer that follows from the cause survives it; one that knows names by heart does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec

from syncline.scenarios.story import Story


def renamed(story: Story, names: Mapping[str, str], *, words: bool = False) -> Story:
    """Return the story with every name replaced; of names that overlap the longest counts.

    With `words` only where a name stands as a word, or as the beginning of one with a hyphen.
    """
    any_of = "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<![A-Za-z0-9-])(?:{any_of})(?![A-Za-z0-9])" if words else any_of)

    def told(value: Any) -> Any:
        if isinstance(value, Enum):
            return value
        if isinstance(value, str):
            return pattern.sub(lambda found: names[found[0]], value)
        if isinstance(value, Mapping):
            return {told(key): told(one) for key, one in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(told(one) for one in value)
        if isinstance(value, msgspec.Struct):
            fields = {field: told(getattr(value, field)) for field in value.__struct_fields__}
            return type(value)(**fields)
        return value

    changed: Story = told(story)
    return msgspec.structs.replace(changed, name=story.name)
