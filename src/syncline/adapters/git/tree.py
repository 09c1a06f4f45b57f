"""The files of one commit below one folder, read from the cache by libgit2.

Made by `syncline.adapters.git.source` and handed to the renderer as
`syncline.ports.source.Tree`. A folder with links to files elsewhere in the repository has the whole commit in its
digest; what is in a submodule is in the digest by the submodule's own commit.
"""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Sequence

from syncline.adapters.git.blobs import Blobs, Fetch
from syncline.adapters.git.commit import Beside, Commit
from syncline.model.errors import SourceError
from syncline.ports.source import TreeFile

_MAX_PATH = 4096


class GitTree:
    """A folder of a commit; never changes."""

    def __init__(self, commit: Commit, folder: str) -> None:
        """Read the list of files now, so that a damaged cache shows here and not in the middle of a render."""
        self.commit = commit
        found = commit.find(folder)
        if found is None:
            raise SourceError(f"{folder}: app path does not exist", hint=self._nearest(folder))
        if found.entry.type_str != "tree":
            raise SourceError(
                f"{folder}: app path is not a directory", hint=f"the folder is {posixpath.dirname(folder) or '.'}"
            )
        commit.blobs.begin(commit.root)
        owner = found.commit
        owner.blobs.ensure_at(owner.root, found.path, found.entry)
        self._files = tuple(sorted(owner.files(found.entry, folder, found.path), key=lambda file: file.path))
        self._digest = str(found.entry.id)
        links = (file.path[len(folder) :].lstrip("/") for file in self._files if file.is_link)
        if any(owner.leads_out(posixpath.join(found.path, link), found.path) for link in links):
            self._digest += f"-{commit.root.id}"

    @property
    def revision(self) -> str:
        """The commit SHA."""
        return self.commit.sha

    @property
    def digest(self) -> str:
        """The id of the folder's tree object, and of the whole commit's where links lead out of the folder."""
        return self._digest

    def files(self) -> Sequence[TreeFile]:
        """List every file below the folder, sorted by path, those of submodules among them."""
        return self._files

    def read(self, path: str) -> bytes:
        """Return the content of a file; of a link, what it leads to."""
        found = self.commit.find(path)
        if found is None or found.entry.type_str != "blob":
            raise SourceError(f"{path}: no such file in commit {self.revision[:8]}")
        return found.commit.read(found, path)

    def digest_of(self, path: str) -> str:
        """Return the id of what is at a path, of a link what it leads to; empty where there is nothing to read."""
        try:
            found = self.commit.find(path)
        except SourceError:
            return ""
        return str(found.entry.id) if found else ""

    def below(self, folder: str) -> GitTree:
        """Return the same commit below another folder."""
        return GitTree(self.commit, clean_path(folder))

    def _nearest(self, path: str) -> str:
        """Say which existing folder was probably meant."""
        parent, current = "", self.commit.root
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


def open_commit(
    cache: str,
    sha: str,
    fetch: Fetch | None = None,
    complete: set[str] | None = None,
    beside: Beside | None = None,
) -> Commit:
    """Open a commit in a cache; raises KeyError or pygit2.GitError for what the cache lacks.

    `fetch` gets the files that the cache does not have yet; `complete` is shared by all commits of a cache. Raises
    `submodules.SubmodulesMissing` for a commit with submodules where `beside` does not have them.
    """
    import pygit2

    repository = pygit2.Repository(cache)
    return Commit(repository, sha, Blobs(repository, fetch, complete), beside or Beside())


def clean_path(path: str) -> str:
    """Return the path of a folder without `./` and trailing slashes; refuse what leads out of the repository."""
    if path.startswith("/"):
        raise SourceError(f"{path}: app path is absolute", hint="paths are relative to the root of the repository")
    if "\0" in path or "\n" in path or len(path) > _MAX_PATH:
        raise SourceError(f"invalid app path {path[:80]!r}")
    steps = [step for step in path.split("/") if step not in ("", ".")]
    if ".." in steps:
        raise SourceError(f"{path}: app path outside root")
    if any(step.lower() == ".git" for step in steps):
        raise SourceError(f"{path}: app path does not exist", hint="the .git folder is never read")
    return "/".join(steps)
