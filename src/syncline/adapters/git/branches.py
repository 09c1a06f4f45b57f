"""Which branches and tags a checkout knows, and how far the default branch is ahead of some of them.

Called by `syncline.wiring` for `syncline check`. A shallow clone, one of a single branch, or a checkout that never
fetched its remote does not know what there is: then nothing is said.
"""

from __future__ import annotations

import pathlib
from collections.abc import Collection, Mapping
from typing import Any

_HEADS = "refs/heads/"
_TAGS = "refs/tags/"


def branches(folder: str, wanted: Collection[str]) -> Mapping[str, int] | None:
    """Return all branches and tags, those wanted with the commits by which the default branch is ahead of them.

    None where the checkout does not know them all.
    """
    import pygit2

    try:
        repository = pygit2.Repository(folder)
        found, default = _found(repository)
        if not found or default not in found:
            return None
        main = repository.revparse_single(found[default]).peel(pygit2.Commit).id
        return {name: _ahead(repository, main, ref) if name in wanted else 0 for name, ref in found.items()}
    except (pygit2.GitError, KeyError, ValueError):
        return None


def _found(repository: Any) -> tuple[dict[str, str], str]:
    """Return references by short name, and the default branch; nothing where not all of them are known."""
    if (pathlib.Path(repository.path) / "shallow").exists():
        return {}, ""
    references = list(repository.references)
    found = {name.removeprefix(_TAGS): name for name in references if name.startswith(_TAGS)}
    remotes = [one.name for one in repository.remotes]
    if not remotes:
        found |= {name.removeprefix(_HEADS): name for name in references if name.startswith(_HEADS)}
        return found, _usual(found) or repository.head.shorthand
    below = f"refs/remotes/{'origin' if 'origin' in remotes else remotes[0]}/"
    config = dict.fromkeys(repository.config.get_multivar(f"remote.{below.split('/')[2]}.fetch"))
    fetched = {name.removeprefix(below): name for name in references if name.startswith(below)}
    if not any("refs/heads/*" in one for one in config) or not fetched:
        return {}, ""
    fetched.pop("HEAD", None)
    local = {name.removeprefix(_HEADS): name for name in references if name.startswith(_HEADS)}
    head = f"{below}HEAD"
    default = str(repository.references[head].target).removeprefix(below) if head in references else ""
    return {**found, **local, **fetched}, default or _usual(fetched)


def _usual(found: Collection[str]) -> str:
    return next((name for name in ("main", "master", "trunk") if name in found), "")


def _ahead(repository: Any, main: Any, ref: str) -> int:
    import pygit2

    commit = repository.revparse_single(ref).peel(pygit2.Commit)
    ahead, _behind = repository.ahead_behind(main, commit.id)
    return int(ahead)
