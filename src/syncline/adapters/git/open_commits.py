"""Commits that are open for reading, once for all Applications that read them.

Kept by `syncline.adapters.git.source`. Only commits that everybody sees alike are kept: without submodules, which a
project may not be permitted to read, and without large files, whose failures are told once. The odd fact: a cache may
be deleted under us at any time, and an open repository would not notice; so a commit is only good for as long as its
cache is the folder that it was opened in.
"""

from __future__ import annotations

import pathlib
from collections import OrderedDict

from syncline.adapters.git.commit import Commit
from syncline.adapters.git.tree import GitTree

_MOST = 64
_MOST_FOLDERS = 256
_Mark = tuple[int, int, int]


class OpenCommits:
    """The commits that were read last, by cache, SHA and whether submodules are looked for."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str, bool], tuple[Commit, _Mark]] = OrderedDict()
        self._folders: OrderedDict[tuple[Commit, str], GitTree] = OrderedDict()
        """Folders that apps have in common: their files are listed once."""

    def get(self, cache: str, sha: str, *, submodules: bool) -> Commit | None:
        """Return a commit that is open, and whose cache is still there."""
        key = (cache, sha, submodules)
        found = self._kept.get(key)
        if found is None:
            return None
        if found[1] != _mark(cache):
            del self._kept[key]
            return None
        self._kept.move_to_end(key)
        return found[0]

    def keep(self, cache: str, commit: Commit, *, submodules: bool) -> None:
        """Keep a commit open for the next who reads it."""
        mark = _mark(cache)
        if mark is None:
            return
        self._kept[(cache, commit.sha, submodules)] = (commit, mark)
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)

    def drop(self, cache: str, sha: str) -> None:
        """Let go of a commit that cannot be read."""
        for submodules in (True, False):
            self._kept.pop((cache, sha, submodules), None)
        for key in [key for key in self._folders if key[0].sha == sha]:
            del self._folders[key]

    def folder(self, commit: Commit, folder: str) -> GitTree | None:
        """Return a folder of a commit where that takes no waiting; None where files may be missing, or the folder is.

        What is wrong with a path is told by whoever opens it in a thread: looking for what was meant takes a while.
        """
        if not commit.blobs.has(commit.root):
            return None
        key = (commit, folder)
        tree = self._folders.get(key)
        if tree is None:
            found = commit.find(folder)
            if found is None or found.entry.type_str != "tree":
                return None
            tree = self._folders[key] = GitTree(commit, folder)
            if len(self._folders) > _MOST_FOLDERS:
                self._folders.popitem(last=False)
        self._folders.move_to_end(key)
        return tree


def _mark(cache: str) -> _Mark | None:
    """Return what tells a cache from another that was made in its place."""
    try:
        found = pathlib.Path(cache, "HEAD").stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns
