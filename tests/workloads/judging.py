"""Compares what is seen on the sandbox with what was seen on a real control plane, and knows what may differ."""

from __future__ import annotations

import functools
import json
import pathlib
from fnmatch import fnmatchcase

import msgspec

from tests.contract.masking import differences
from tests.workloads import embedded
from tests.workloads.playing import Unfinished
from tests.workloads.steps import Json, Story

FILE = pathlib.Path(__file__).parent / "known_differences.yaml"
NEVER = "never gets there"


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Differences with one reason: fields by story, as paths with * for anything."""

    reason: str
    stories: dict[str, list[str]]


@functools.cache
def known() -> list[Known]:
    """Return the list."""
    return msgspec.yaml.decode(FILE.read_bytes(), type=list[Known])


def unexpected(story: Story, expected: Json) -> list[str]:
    """Play a story on the sandbox; return what differs and may not, and what may differ and does not."""
    try:
        found = json.loads(json.dumps(embedded.seen(story)))
        differing = differences(expected, found)
    except Unfinished as error:
        differing = [(NEVER, None, str(error)[:500])]
    patterns = [pattern for entry in known() for pattern in entry.stories.get(story.name, ())]
    told = [
        f"{path}\n  real    {json.dumps(one)[:600]}\n  sandbox {json.dumps(other)[:600]}"
        for path, one, other in differing
        if not any(_covers(pattern, path) for pattern in patterns)
    ]
    told += [
        f"no longer differs; take it off {FILE.name}: {pattern}"
        for pattern in patterns
        if not any(_covers(pattern, path) for path, _, _ in differing)
    ]
    return told


def _covers(pattern: str, path: str) -> bool:
    return fnmatchcase(path, pattern.replace("[", "[[]"))
