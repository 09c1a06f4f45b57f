"""Contents of files that the first fetch left on the server: they come in batches, folder by folder, when asked for.

Used by `syncline.adapters.git.tree`; `syncline.adapters.git.cache` does the fetching. A commit is fetched with its
folders and without its files. A small commit is then completed in one go; of a large one the app's folder, and later
each folder out of which something is read. Where the server sends everything at once, there is nothing left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pygit2

GitObject = Any
"""A commit, tree or blob: libgit2 tells them apart at run time only."""

Fetch = Callable[[Sequence[str]], None]
_SMALL = 2000


class Blobs:
    """The files of a repository's cache; `complete` remembers the folders that are known to be whole."""

    def __init__(self, repository: pygit2.Repository, fetch: Fetch | None = None, complete: set[str] | None = None):
        self._repository = repository
        self._fetch = fetch
        self._complete = set() if complete is None else complete

    def begin(self, root: GitObject) -> None:
        """Complete a whole commit, if it is a small one."""
        if self._fetch is None or str(root.id) in self._complete:
            return
        if sum(1 for _ in below(root, _SMALL + 1)) <= _SMALL:
            self.ensure(root)

    def ensure(self, folder: GitObject) -> None:
        """Make sure that every file below a folder is here."""
        name = str(folder.id)
        if self._fetch is None or name in self._complete:
            return
        wanted = {blob.id for blob in below(folder)}
        missing = wanted.difference(self._repository) if wanted else set()
        if missing:
            self._fetch(sorted(str(one) for one in missing))
        self._complete.add(name)

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
