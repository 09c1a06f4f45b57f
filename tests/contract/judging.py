"""Compares the sandbox's answers with a real server's, and holds what differs against the list of known differences."""

from __future__ import annotations

import functools
import pathlib
from fnmatch import fnmatchcase

import msgspec

from tests.contract import catalog, masking
from tests.contract.playing import Answer
from tests.contract.steps import Story

FILE = pathlib.Path(__file__).parent / "known_differences.yaml"


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Differences with one reason."""

    reason: str
    steps: dict[str, list[int]]
    fields: list[str]

    def covers(self, path: str) -> bool:
        """Tell whether a field may differ; brackets in a pattern mean themselves."""
        return any(fnmatchcase(path, pattern.replace("[", "[[]")) for pattern in self.fields)


@functools.cache
def known() -> list[Known]:
    """Return the list."""
    return msgspec.yaml.decode(FILE.read_bytes(), type=list[Known])


def unexpected(story: Story, expected: list[Answer], found: list[Answer]) -> list[str]:
    """Return what differs and is not known to, and what is known to differ and does not."""
    told = []
    for index, (right, answer) in enumerate(zip(expected, found, strict=True)):
        entries = [entry for entry in known() if index in entry.steps.get(story.name, ())]
        differing = masking.differences(msgspec.to_builtins(right), msgspec.to_builtins(answer))
        where = f"{story.name}[{index}] {story.steps[index].title}"
        told += [
            f"{where}: {path}\n  real    {one!r}\n  sandbox {other!r}"
            for path, one, other in differing
            if not any(entry.covers(path) for entry in entries)
        ]
        told += [
            f"{where}: no longer differs; take it off {FILE.name}: {entry.reason}"
            for entry in entries
            if not any(entry.covers(path) for path, _, _ in differing)
        ]
    return told


def places() -> set[tuple[str, int]]:
    """Return the steps there are."""
    return {(story.name, index) for story in catalog.STORIES for index in range(len(story.steps))}
