"""Says what is there instead of something that is not: the file that was meant, the field, the name.

Asked by the tools of `syncline.adapters.render` once something has failed, so it may look through a whole commit.
"""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Collection, Sequence

from syncline.model.errors import SourceError
from syncline.ports.source import Tree

_ALIKE = 0.6
_SHOWN = 6


def name(wanted: str, known: Collection[str]) -> str:
    """Return the known name that is most like the wanted one; empty where none is."""
    return next(iter(difflib.get_close_matches(wanted, sorted(known), 1, _ALIKE)), "")


def path(wanted: str, tree: Tree) -> str:
    """Return words about what a commit has instead of a file or folder; empty where nothing can be said."""
    try:
        files = [file.path for file in tree.below("").files()]
    except SourceError:
        return ""
    if wanted in files:
        return f"{wanted} is a broken link in the repository"
    folder, missing = _first_missing(wanted, files)
    prefix = f"{folder}/" if folder else ""
    inside = sorted({found[len(prefix) :].partition("/")[0] for found in files if found.startswith(prefix)})
    if close := name(missing, inside):
        rest = wanted[len(prefix) + len(missing) :]
        meant = f"{prefix}{close}{rest}"
        return f"did you mean {meant if meant in files or not rest else prefix + close}?"
    same = [found for found in files if posixpath.basename(found) == posixpath.basename(wanted)]
    if same:
        return f"the repository has {_listed(same)}"
    return f"{folder or 'the repository'} has {_listed(inside)}" if inside else ""


def _first_missing(wanted: str, files: Sequence[str]) -> tuple[str, str]:
    """Return the deepest folder of a path that is there, and the step after it."""
    folder = ""
    for step in wanted.split("/"):
        below = posixpath.join(folder, step)
        if not any(found.startswith(f"{below}/") for found in files):
            return folder, step
        folder = below
    return folder, ""


def _listed(found: Sequence[str]) -> str:
    return ", ".join(found[:_SHOWN]) + (" …" if len(found) > _SHOWN else "")
