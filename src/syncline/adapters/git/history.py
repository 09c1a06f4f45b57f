"""What the history of a repository tells: who wrote each line of a file, and where two commits parted.

Asked by `syncline.adapters.git.source` with the cache of one repository. Most caches hold single commits: the history
is fetched first, without files, and then the versions of the one file that is asked about. Where history was cut off
it looks as if the oldest commit had written everything: such lines have no author here.
"""

from __future__ import annotations

import asyncio
import pathlib
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from syncline import tasks
from syncline.adapters.git import process
from syncline.adapters.git.cache import Cache
from syncline.model.errors import SourceError
from syncline.ports.source import CommitNote

if TYPE_CHECKING:
    import pygit2

_MOST_COMMITS = 20_000
_TIME = "%Y-%m-%dT%H:%M:%SZ"


async def fork(cache: Cache, one: str, other: str) -> str:
    """Return the last commit that two commits have in common; the other one where they have none."""
    await _deepen(cache, one, other)
    found = await asyncio.to_thread(_merge_base, cache, one, other)
    return found or other


async def lines(cache: Cache, sha: str, path: str) -> list[CommitNote | None]:
    """Return the commit that wrote each line of a file; None for a line whose history is not there."""
    await _deepen(cache, sha)
    missing = await asyncio.to_thread(_missing, cache, sha, path)
    if missing:
        await tasks.in_own_thread(lambda: cache.fill(missing))
    # The name of a file may be a pattern to git, and stands in a commit, not on disk.
    arguments = (
        f"--git-dir={cache.path}",
        "--literal-pathspecs",
        "blame",
        "--line-porcelain",
        "--root",
        sha,
        "--",
        path,
    )
    try:
        printed = await process.run(arguments)
    except process.GitFailed as failure:
        raise SourceError(f"{path}: who wrote it cannot be told", hint=str(failure)) from None
    return _parsed(printed.decode("utf-8", "replace"), await asyncio.to_thread(_cut, cache))


async def _deepen(cache: Cache, *shas: str) -> None:
    """Fetch the history of commits, where the cache has them without it."""
    for sha in shas:
        await cache.ensure(sha)
    if await asyncio.to_thread(_cut, cache):
        await cache.complete()


def _cut(cache: Cache) -> frozenset[str]:
    """Return the commits whose parents are not in the cache."""
    try:
        return frozenset(pathlib.Path(cache.path, "shallow").read_text(encoding="ascii").split())
    except OSError:
        return frozenset()


def _opened(cache: Cache) -> pygit2.Repository:
    found = cache.repository()
    if found is None:
        raise SourceError(f"the cache of {cache.address} cannot be read")
    return found


def _merge_base(cache: Cache, one: str, other: str) -> str:
    import pygit2

    try:
        found: object = _opened(cache).merge_base(one, other)
    except (KeyError, ValueError, pygit2.GitError):
        return ""
    return str(found) if found is not None else ""


def _missing(cache: Cache, sha: str, path: str) -> list[str]:
    """Return the versions of a file that the cache does not hold yet."""
    import pygit2

    repository = _opened(cache)
    found: dict[str, None] = {}
    try:
        for commit in islice(repository.walk(sha, pygit2.enums.SortMode.TOPOLOGICAL), _MOST_COMMITS):
            blob = _blob(commit.tree, path)
            if blob and repository.get(blob) is None:
                found[blob] = None
    except (KeyError, ValueError, pygit2.GitError) as error:
        raise SourceError(f"{path}: its history cannot be read", hint=str(error)) from None
    return list(found)


def _blob(tree: Any, path: str) -> str:
    for step in path.split("/"):
        if tree.type_str != "tree" or step not in tree:
            return ""
        tree = tree / step
    return str(tree.id) if tree.type_str == "blob" else ""


def _parsed(printed: str, cut: frozenset[str]) -> list[CommitNote | None]:
    """Read what `git blame --line-porcelain` prints: a head for each line, then the line behind a tab."""
    found: list[CommitNote | None] = []
    head: dict[str, str] = {}
    for line in printed.split("\n"):
        if line.startswith("\t"):
            sha = head.get("commit", "")
            found.append(None if sha in cut else _note(sha, head))
            head = {}
        elif not head:
            head["commit"] = line.partition(" ")[0]
        else:
            name, _, value = line.partition(" ")
            head[name] = value
    return found


def _note(sha: str, head: dict[str, str]) -> CommitNote:
    seconds = int(head.get("author-time") or 0)
    date = datetime.fromtimestamp(seconds, UTC).strftime(_TIME)
    return CommitNote(sha, f"{head.get('author', '')} {head.get('author-mail', '')}", date, head.get("summary", ""))
