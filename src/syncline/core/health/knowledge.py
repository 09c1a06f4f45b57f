"""Finds what is known about a kind: `syncline/knowledge/<group>/<Kind>/health.yaml`, read when the kind is first met.

Called by `syncline.core.health.assess` for kinds without a built-in check. `_` in a folder's name stands for anything
(`_.crossplane.io/_`); an exact folder wins, then wildcards in order of their names. Folders are listed, never joined
from what an object says about itself, so that no apiVersion leads out of the data.
"""

from __future__ import annotations

import functools
from fnmatch import fnmatchcase
from importlib import resources
from importlib.resources.abc import Traversable

from syncline.apimachinery.keys import GroupKind
from syncline.core.health import rules
from syncline.core.health.rules import Check

_FILE = "health.yaml"
_KINDS_REMEMBERED = 4096
"""What is shipped never changes, so one memory of it serves the whole process; names of kinds come from outside."""


@functools.lru_cache(maxsize=_KINDS_REMEMBERED)
def check_for(kind: GroupKind) -> Check | None:
    """Return the check of a kind; None for a kind that nobody described."""
    folder = _folder(kind)
    return _check(folder) if folder else None


@functools.cache
def folders() -> dict[str, tuple[str, ...]]:
    """Return the described kinds by group, as the folders name them."""
    found = {}
    for group in sorted(_root().iterdir(), key=lambda entry: entry.name):
        if group.is_dir() and group.name != "__pycache__":
            described = sorted(kind.name for kind in group.iterdir() if kind.joinpath(_FILE).is_file())
            found[group.name] = tuple(described)
    return found


def _root() -> Traversable:
    return resources.files("syncline.knowledge")


def _folder(kind: GroupKind) -> tuple[str, str] | None:
    known = folders()
    if kind.kind in known.get(kind.group, ()):
        return kind.group, kind.kind
    for group, kinds in known.items():
        if _fits(kind.group, group):
            for name in kinds:
                if _fits(kind.kind, name):
                    return group, name
    return None


def _fits(name: str, folder: str) -> bool:
    return fnmatchcase(name, folder.replace("_", "*")) if "_" in folder else name == folder


@functools.cache
def _check(folder: tuple[str, str]) -> Check:
    group, kind = folder
    source = f"{group}/{kind}/{_FILE}"
    text = _root().joinpath(group, kind, _FILE).read_text(encoding="utf-8")
    found = rules.read(text, source)
    if found.check is not None:
        return found.check
    other_group, _, other_kind = found.like.partition("/")
    return _check((other_group, other_kind))
