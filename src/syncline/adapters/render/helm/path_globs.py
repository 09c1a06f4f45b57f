"""Matches value-file patterns, in which `*` stays inside one folder and `**` stands for any number of them.

Used by `syncline.adapters.render.helm.value_files`. Each segment is matched by `syncline.adapters.render.globs`, so a
hostile pattern costs no more there; segments are tried once per pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncline.adapters.render import globs

_MAGIC = frozenset("*?[{")


def is_glob(text: str) -> bool:
    """Whether a text has anything in it that makes it a pattern."""
    return not _MAGIC.isdisjoint(text)


def fixed_folder(pattern: str) -> str:
    """Return the folder that every match lies below: all segments before the first with a wildcard."""
    segments = pattern.split("/")
    fixed = next((index for index, segment in enumerate(segments) if is_glob(segment)), len(segments) - 1)
    return "/".join(segments[:fixed])


def matching(pattern: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that fit, sorted."""
    written_out = [alternative.split("/") for alternative in globs.alternatives(pattern)]
    return sorted(path for path in paths if any(_fits(segments, path.split("/")) for segments in written_out))


def _fits(pattern: Sequence[str], path: Sequence[str]) -> bool:
    """Go through the pattern once, keeping the set of places in the path it may have come to."""
    places = {0}
    for segment in pattern:
        if segment == "**":
            places = set(range(min(places), len(path) + 1))
        else:
            places = {place + 1 for place in places if place < len(path) and globs.matches(segment, path[place])}
        if not places:
            return False
    return len(path) in places
