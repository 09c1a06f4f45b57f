"""The files of one commit below one folder, read from the cache by libgit2.

Made by `open_tree` for `syncline.adapters.git.source` and handed to the renderer as
`syncline.ports.source.Tree`. Nothing is ever checked out. Links are followed inside the commit only: one that
is absolute or leads out of the repository is refused. A folder with links to files elsewhere in the
repository has the whole commit in its digest.
"""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from syncline.adapters.git.blobs import Blobs, Fetch, GitObject
from syncline.model.errors import SourceError
from syncline.ports.source import TreeFile

if TYPE_CHECKING:
    import pygit2

_MAX_HOPS = 40
_MAX_PATH = 4096
_LINK = 0o120000


class GitTree:
    """A folder of a commit; never changes."""

    def __init__(self, repository: pygit2.Repository, sha: str, folder: str, blobs: Blobs | None = None) -> None:
        """Read the list of files now, so that a damaged cache shows here and not in the middle of a render."""
        self._repository = repository
        self._blobs = blobs or Blobs(repository)
        self._sha = sha
        self._root: GitObject = _commit(repository, sha).tree
        self._folder = folder
        found = self._find(folder) if folder else ("", self._root)
        if found is None:
            raise SourceError(f"{folder}: app path does not exist", hint=self._nearest(folder))
        self._real_folder, entry = found
        if entry.type_str != "tree":
            raise SourceError(
                f"{folder}: app path is not a directory", hint=f"the folder is {posixpath.dirname(folder) or '.'}"
            )
        self._blobs.begin(self._root)
        self._blobs.ensure(entry)
        self._files = tuple(sorted(self._list(entry, folder), key=lambda file: file.path))
        self._digest = str(entry.id)
        if any(file.is_link and not self._stays_below(file.path) for file in self._files):
            self._digest += f"-{self._root.id}"

    @property
    def revision(self) -> str:
        """The commit SHA."""
        return self._sha

    @property
    def digest(self) -> str:
        """The id of the folder's tree object, and of the whole commit's where links lead out of the folder."""
        return self._digest

    def files(self) -> Sequence[TreeFile]:
        """List every file below the folder, sorted by path; submodules are left out."""
        return self._files

    def read(self, path: str) -> bytes:
        """Return the content of a file; of a link, what it leads to."""
        found = self._find(path)
        if found is None or found[1].type_str != "blob":
            raise SourceError(f"{path}: no such file in commit {self._sha[:8]}")
        return self._content(found[1], posixpath.dirname(found[0]))

    def digest_of(self, path: str) -> str:
        """Return the id of what is at a path, of a link what it leads to; empty where there is nothing to read."""
        try:
            found = self._find(path) if path else ("", self._root)
        except SourceError:
            return ""
        return str(found[1].id) if found else ""

    def below(self, folder: str) -> GitTree:
        """Return the same commit below another folder."""
        return GitTree(self._repository, self._sha, clean_path(folder), self._blobs)

    def _content(self, entry: GitObject, folder: str) -> bytes:
        return self._blobs.content(entry, self._root / folder if folder else self._root)

    def _list(self, tree: GitObject, folder: str) -> Iterator[TreeFile]:
        for entry in tree:
            path = f"{folder}/{entry.name}" if folder else str(entry.name)
            if entry.type_str == "tree":
                yield from self._list(entry, path)
            elif entry.type_str == "blob":
                yield TreeFile(path, str(entry.id), int(entry.size), entry.filemode == _LINK)

    def _find(self, path: str) -> tuple[str, GitObject] | None:
        """Walk to a path through links and return where it really is and what is there, or None."""
        asked, hops = path, 0
        pending = path.split("/")
        current: GitObject = self._root
        walked: list[str] = []
        while pending:
            step = pending.pop(0)
            if current.type_str != "tree" or step not in current:
                return None
            entry = current / step
            if entry.filemode != _LINK:
                current = entry
                walked.append(step)
                continue
            hops += 1
            if hops > _MAX_HOPS:
                raise SourceError(f"symlink loop: {asked}")
            link = _destination(self._content(entry, "/".join(walked)), "/".join(walked), asked)
            pending = [part for part in link.split("/") if part] + pending
            current, walked = self._root, []
        return "/".join(walked), current

    def _stays_below(self, path: str) -> bool:
        """Whether a link leads to a file below the folder, as far as its own text tells."""
        real = posixpath.join(self._real_folder, path[len(self._folder) :].lstrip("/"))
        entry: GitObject = self._root / real
        try:
            link = _destination(self._content(entry, posixpath.dirname(real)), posixpath.dirname(real), path)
        except SourceError:
            return True
        return not self._real_folder or link.startswith(f"{self._real_folder}/")

    def _nearest(self, path: str) -> str:
        """Say which existing folder was probably meant."""
        parent, current = "", self._root
        for step in path.split("/"):
            if step not in current or (current / step).type_str != "tree":
                break
            current = current / step
            parent = f"{parent}{step}/"
        wanted = path[len(parent) :].split("/", maxsplit=1)[0]
        folders = [str(entry.name) for entry in current if entry.type_str == "tree"]
        close = difflib.get_close_matches(wanted, folders, 1, 0.5)
        if close:
            return f"nearest existing path: {parent}{close[0]}"
        if not folders:
            return f"nearest existing path: {parent.rstrip('/') or '.'}"
        return f"{parent.rstrip('/') or 'the repository'} has {', '.join(folders[:8])}"


def open_tree(cache: str, sha: str, path: str, fetch: Fetch | None = None, complete: set[str] | None = None) -> GitTree:
    """Open a folder of a commit in a cache; raises KeyError or pygit2.GitError for what the cache lacks.

    `fetch` gets the files that the cache does not have yet; `complete` is shared by all trees of a cache.
    """
    import pygit2

    repository = pygit2.Repository(cache)
    return GitTree(repository, sha, path, Blobs(repository, fetch, complete))


def clean_path(path: str) -> str:
    """Return the path of a folder without `./` and trailing slashes; refuse what leads out of the repository."""
    if path.startswith("/"):
        raise SourceError(f"{path}: app path is absolute", hint="paths count from the root of the repository")
    if "\0" in path or "\n" in path or len(path) > _MAX_PATH:
        raise SourceError(f"invalid app path {path[:80]!r}")
    steps = [step for step in path.split("/") if step not in ("", ".")]
    if ".." in steps:
        raise SourceError(f"{path}: app path outside root")
    if any(step.lower() == ".git" for step in steps):
        raise SourceError(f"{path}: app path does not exist", hint="what git keeps for itself is never read")
    return "/".join(steps)


def _destination(link: bytes, folder: str, asked: str) -> str:
    text = link.decode("utf-8", "surrogateescape")
    target = posixpath.normpath(posixpath.join(folder, text))
    if text.startswith("/") or target == ".." or target.startswith("../"):
        raise SourceError(f"out of bounds symlink: {asked}", hint="links may only lead to files of the same repository")
    return "" if target == "." else target


def _commit(repository: pygit2.Repository, sha: str) -> GitObject:
    import pygit2

    found: GitObject = repository[sha]
    if not isinstance(found, pygit2.Commit):
        raise SourceError(f"{sha} is not a commit", hint="write a branch, a tag or a commit SHA")
    return found
