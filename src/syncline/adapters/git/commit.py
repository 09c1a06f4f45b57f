"""One commit as a folder of files: links are followed inside it, submodules and large files stand where they belong.

Made by `syncline.adapters.git.tree`, which looks at one folder of it. Nothing is ever checked out. Links that are
absolute or lead out of the repository are refused. A submodule is another commit, of another repository, and what kept
it from being fetched is told to whoever reads it; large files are read through `syncline.adapters.git.large_files`.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from syncline.adapters.git import large_files, submodules
from syncline.adapters.git.blobs import Blobs, GitObject, below
from syncline.adapters.git.large_files import LargeFiles, Pointer
from syncline.adapters.git.submodules import Submodule
from syncline.model.errors import SourceError
from syncline.ports.source import TreeFile

if TYPE_CHECKING:
    import pygit2

_MAX_HOPS = 40
_LINK = 0o120000
_LARGE_CONFIG = ".lfsconfig"


@dataclass(frozen=True, slots=True)
class Beside:
    """What belongs to a commit and is kept elsewhere: large files, and submodules (or why they cannot be read)."""

    large: LargeFiles | None = None
    submodules: Mapping[str, Commit | SourceError] | None = None


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """What a path leads to: an entry, its real path, and the commit that is of."""

    commit: Commit
    path: str
    entry: GitObject


class Commit:
    """The files of a commit; raises `submodules.SubmodulesMissing` where nobody looked for its submodules yet."""

    def __init__(self, repository: pygit2.Repository, sha: str, blobs: Blobs, beside: Beside) -> None:
        self.sha = sha
        self.root: GitObject = _commit(repository, sha).tree
        self.blobs = blobs
        self._beside = beside
        if beside.submodules is None and (wanted := self._submodules()):
            raise submodules.SubmodulesMissing(wanted)

    def find(self, path: str) -> FoundEntry | None:
        """Walk to a path through links and submodules; None where there is nothing."""
        asked, hops = path, 0
        pending = path.split("/") if path else []
        current: GitObject = self.root
        walked: list[str] = []
        while pending:
            step = pending.pop(0)
            if current.type_str != "tree" or step not in current:
                return None
            entry = current / step
            if entry.filemode != _LINK:
                current = entry
                walked.append(step)
                if entry.type_str == "commit":
                    inside = self._inside("/".join(walked))
                    return None if inside is None else inside.find("/".join(pending))
                continue
            hops += 1
            if hops > _MAX_HOPS:
                raise SourceError(f"symlink loop: {asked}")
            link = _destination(self._content(entry, "/".join(walked)), "/".join(walked), asked)
            pending = [part for part in link.split("/") if part] + pending
            current, walked = self.root, []
        return FoundEntry(self, "/".join(walked), current)

    def files(self, folder: GitObject, shown: str, real: str) -> Iterator[TreeFile]:
        """Yield every file below a folder; `shown` is the path it was asked for by, `real` where it is."""
        start = f"{shown}/" if shown else ""
        for entry in folder:
            name, kind = str(entry.name), entry.type_str
            if kind == "blob":
                yield TreeFile(start + name, str(entry.id), int(entry.size), entry.filemode == _LINK)
            elif kind == "tree":
                yield from self.files(entry, start + name, posixpath.join(real, name))
            elif inside := self._inside(posixpath.join(real, name)):
                inside.blobs.ensure(inside.root)
                yield from inside.files(inside.root, start + name, "")

    def read(self, found: FoundEntry, path: str) -> bytes:
        """Return the content of a file, of a large one what its pointer stands for."""
        folder = posixpath.dirname(found.path)
        content = self._content(found.entry, folder)
        large = self._beside.large
        if large is None or (pointer := large_files.pointer(content)) is None:
            return content
        return large.content(pointer, path, self._text(_LARGE_CONFIG), self._pointers(folder))

    def leads_out(self, link: str, folder: str) -> bool:
        """Whether a link leads to a file that is not below a folder, as far as its own text tells."""
        try:
            entry: GitObject = self.root / link
        except KeyError:
            return True  # a submodule's
        try:
            place = _destination(self._content(entry, posixpath.dirname(link)), posixpath.dirname(link), link)
        except SourceError:
            return False
        return folder != "" and not place.startswith(f"{folder}/")

    def _content(self, entry: GitObject, folder: str) -> bytes:
        return self.blobs.content(entry, self.root / folder if folder else self.root)

    def _inside(self, path: str) -> Commit | None:
        """Return the submodule at a path, None for one that has no address; raises what kept it from being fetched."""
        found = (self._beside.submodules or {}).get(path)
        if isinstance(found, SourceError):
            raise submodules.unreachable(path, found)
        return found

    def _submodules(self) -> list[Submodule]:
        found: list[Submodule] = []
        for path, url in submodules.declared(self._text(submodules.FILE)).items():
            try:
                entry = self.root / path
            except (KeyError, ValueError):
                continue
            if entry.type_str == "commit":
                found.append(Submodule(path, url, str(entry.id)))
        return found

    def _pointers(self, folder: str) -> Iterator[Pointer]:
        """Yield the large files of a folder, which are probably read next."""
        for entry in below(self.root / folder if folder else self.root):
            if entry.size > large_files.MAX_POINTER or entry.filemode == _LINK:
                continue
            if pointer := large_files.pointer(self._content(entry, folder)):
                yield pointer

    def _text(self, name: str) -> str:
        """Return a file of the root that git's tools are configured with, or nothing."""
        entry = self.root / name if name in self.root else None
        if entry is None or entry.type_str != "blob" or entry.filemode == _LINK:
            return ""
        return self.blobs.single(entry).decode("utf-8", "replace")


def _destination(link: bytes, folder: str, asked: str) -> str:
    text = link.decode("utf-8", "surrogateescape")
    target = posixpath.normpath(posixpath.join(folder, text))
    if text.startswith("/") or target == ".." or target.startswith("../"):
        raise SourceError(f"out of bounds symlink: {asked}", hint="links must point to files of the same repository")
    return "" if target == "." else target


def _commit(repository: pygit2.Repository, sha: str) -> GitObject:
    import pygit2

    found: GitObject = repository[sha]
    if not isinstance(found, pygit2.Commit):
        raise SourceError(f"{sha} is not a commit", hint="use a branch, a tag or a commit SHA")
    return found
