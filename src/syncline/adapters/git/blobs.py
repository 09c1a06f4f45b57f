"""Contents of files that the first fetch left on the server: they come in batches, folder by folder, when asked for.

Used by `syncline.adapters.git.tree`; `syncline.adapters.git.cache` does the fetching. A commit is fetched with its
folders and without its files. A small commit is then completed in one go; of a large one the app's folder, and later
each folder out of which something is read. Where many folders beside one another are read, all of them come at once.
Where the server sends everything at once, there is nothing left to do.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pygit2

GitObject = Any
"""A commit, tree or blob: libgit2 tells them apart at run time only."""

Fetch = Callable[[Sequence[str]], None]
_SMALL = 2000
_FEW = 200
"""So many files are looked for one by one; for more it is quicker to go through all that a cache has."""
_TOGETHER = ((2, 64), (1, 8))
"""How many levels up, and after how many folders below that were fetched one by one, the rest comes at once."""


class Blobs:
    """The files of a repository's cache, for one commit; `complete` remembers the folders that are known to be whole.

    Several threads may read the same commit: whoever fetches lets the others wait, and they find their files here.
    """

    def __init__(self, repository: pygit2.Repository, fetch: Fetch | None = None, complete: set[str] | None = None):
        self._repository = repository
        self._fetch = fetch
        self._complete = set() if complete is None else complete
        self._fetched: Counter[str] = Counter()
        self._turn = threading.RLock()

    def has(self, folder: GitObject) -> bool:
        """Whether every file below a folder is known to be here."""
        return self._fetch is None or str(folder.id) in self._complete

    def begin(self, root: GitObject) -> None:
        """Complete a whole commit, if it is a small one."""
        if self.has(root):
            return
        if sum(1 for _ in below(root, _SMALL + 1)) <= _SMALL:
            self.ensure(root)

    def ensure_at(self, root: GitObject, path: str, folder: GitObject) -> None:
        """Make sure that every file below the folder at a path is here; after many like it, those of its neighbours."""
        if self.has(root) or self.has(folder):
            return
        with self._turn:
            steps = path.split("/")
            for up, most in _TOGETHER:
                around = "/".join(steps[:-up])
                if len(steps) >= up and self._fetched[around] >= most:
                    self.ensure(root / around if around else root)
            if self.ensure(folder):
                self._fetched.update("/".join(steps[:-up]) for up, _ in _TOGETHER if len(steps) >= up)

    def ensure(self, folder: GitObject) -> bool:
        """Make sure that every file below a folder is here; return whether any had to be fetched."""
        if self._fetch is None or self.has(folder):
            return False
        with self._turn:
            missing = self._missing({blob.id for blob in below(folder)})
            if missing:
                self._fetch(sorted(str(one) for one in missing))
            self._complete.add(str(folder.id))
        return bool(missing)

    def _missing(self, wanted: set[Any]) -> set[Any]:
        if len(wanted) > _FEW:
            return wanted.difference(self._repository)
        return {one for one in wanted if one not in self._repository}

    def content(self, entry: GitObject, folder: GitObject) -> bytes:
        """Return the content of a file, fetching its folder first where it is not here."""
        try:
            blob: GitObject = self._repository[entry.id]
        except KeyError:
            if self._fetch is None:
                raise
            self.ensure(folder)
            blob = self._repository[entry.id]
        return bytes(blob.data)

    def single(self, entry: GitObject) -> bytes:
        """Return the content of one file, fetching nothing else."""
        if self._fetch is not None and entry.id not in self._repository:
            self._fetch([str(entry.id)])
        blob: GitObject = self._repository[entry.id]
        return bytes(blob.data)


def below(folder: GitObject, most: int = 0) -> Iterator[GitObject]:
    """Yield the files below a folder; `most` ends a walk that has seen enough."""
    count = 0
    pending = [folder]
    while pending:
        for entry in pending.pop():
            if entry.type_str == "tree":
                pending.append(entry)
            elif entry.type_str == "blob":
                yield entry
                count += 1
                if most and count >= most:
                    return
