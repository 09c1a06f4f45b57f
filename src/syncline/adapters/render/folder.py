"""A folder on disk as a tree of files, for what is not committed yet: `syncline.ports.source.Tree`.

Made by `syncline.wiring` for `--local` and for `syncline render`. Links are followed by their text inside the folder
only, and every file is opened step by step from the root without following any: one that becomes a link after it was
looked at is refused. What git keeps for itself is never read.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import posixpath
import stat
from collections.abc import Iterator, Sequence

from syncline.adapters.render.known_files import KnownFiles
from syncline.model.errors import SourceError
from syncline.ports.source import LOCAL, TreeFile

_MAX_HOPS = 40
_MAX_FILES = 100_000


class FolderTree:
    """The files below one folder of a root, as they are while they are read.

    `known` is what trees of the same root share during one look; without it every tree looks for itself.
    """

    def __init__(
        self,
        root: str | pathlib.Path,
        folder: str = "",
        *,
        revision: str = LOCAL,
        known: KnownFiles | None = None,
    ) -> None:
        self._root = pathlib.Path(known.root if known is not None else pathlib.Path(root).resolve())
        self._known = known or KnownFiles(str(self._root))
        self._shared = known
        self._folder = _clean(folder)
        self.revision = revision
        real = self._find(self._folder)
        if real is None:
            raise SourceError(f"{folder}: app path does not exist", hint=f"looked below {self._root.name}/")
        if not stat.S_ISDIR(self._stat(real).st_mode):
            raise SourceError(f"{folder}: app path is not a directory")
        self._real = real

    @property
    def digest(self) -> str:
        """Digest of the folder's whole content."""
        return self.digest_of(self._folder)

    def files(self) -> Sequence[TreeFile]:
        """List every file below the folder, sorted by path."""
        found = sorted(self._list(self._real, self._folder), key=lambda file: file.path)
        if len(found) > _MAX_FILES:
            raise SourceError(f"{self._folder or '.'}: more than {_MAX_FILES} files", hint="name a smaller folder")
        return found

    def read(self, path: str) -> bytes:
        """Return the content of a file; of a link, what it leads to."""
        real = self._regular(path)
        return self._known.content(real, lambda: self._read(real))

    def digest_of(self, path: str) -> str:
        """Return the digest of what is at a path; empty where there is nothing to read."""
        digests = self._known.digests
        if path not in digests:
            digests[path] = self._digest(path)
        return digests[path]

    def below(self, folder: str) -> FolderTree:
        """Return the same root below another folder."""
        return FolderTree(self._root, folder, revision=self.revision, known=self._shared)

    def _digest(self, path: str) -> str:
        try:
            real = self._find(path)
        except SourceError:
            return ""
        if real is None:
            return ""
        if stat.S_ISREG(self._stat(real).st_mode):
            return self._content_digest(path)
        total = hashlib.sha256()
        # Mostly the path is plain, and the rest of a longer one is what comes after it.
        above = f"{path}/" if path and posixpath.normpath(path) == path else ""
        for file in sorted(self._list(real, path), key=lambda one: one.path):
            with contextlib.suppress(SourceError):
                content = self._content_digest(file.path)
                below = file.path.removeprefix(above) if above else posixpath.relpath(file.path, path or ".")
                total.update(f"{below}\0{content}\n".encode())
        return total.hexdigest()

    def _content_digest(self, path: str) -> str:
        """Return the digest of what `read` returns for a path."""
        real = self._regular(path)
        return self._known.content_digest(real, lambda: self._read(real))

    def _list(self, real: str, shown: str) -> Iterator[TreeFile]:
        here = self._known.listing(real)
        for entry in here.files:
            _device, inode, size, modified, _changed = entry.mark
            digest = f"{inode:x}-{size:x}-{modified:x}"
            yield TreeFile(posixpath.join(shown, entry.name), digest, size, entry.is_link)
        for name in here.folders:
            yield from self._list(posixpath.join(real, name), posixpath.join(shown, name))

    def _find(self, path: str) -> str | None:
        """Return where a path really is, links followed by their text; None where there is nothing."""
        pending, walked, hops = [step for step in path.split("/") if step], list[str](), 0
        while pending:
            step = pending.pop(0)
            if step == ".." or step.lower() == ".git" or "\0" in step:
                return None
            here = "/".join([*walked, step])
            try:
                found = self._stat(here)
            except OSError:
                return None
            if not stat.S_ISLNK(found.st_mode):
                walked.append(step)
                continue
            hops += 1
            if hops > _MAX_HOPS:
                raise SourceError(f"symlink loop: {path}")
            link = _destination(str((self._root / here).readlink()), "/".join(walked), path)
            pending, walked = [part for part in link.split("/") if part] + pending, []
        return "/".join(walked)

    def _regular(self, path: str) -> str:
        """Return where the file really is that a path leads to."""
        real = self._known.regular.get(path)
        if real is None:
            real = self._find(path)
            if real is None or not stat.S_ISREG(self._stat(real).st_mode):
                raise SourceError(f"{path}: no such file in {self._root.name}/")
            self._known.regular[path] = real
        return real

    def _read(self, real: str) -> bytes:
        with os.fdopen(self._open(real), "rb") as file:
            return file.read()

    def _stat(self, real: str) -> os.stat_result:
        return self._known.stat(real)

    def _open(self, real: str) -> int:
        """Open a file from the root, step by step, following nothing."""
        *folders, name = real.split("/")
        current = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for folder in folders:
                following = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=current)
                os.close(current)
                current = following
            return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=current)
        except OSError as error:
            raise SourceError(f"{real}: cannot be read: {error.strerror}") from None
        finally:
            os.close(current)


def _clean(folder: str) -> str:
    steps = [step for step in folder.split("/") if step not in ("", ".")]
    if folder.startswith("/") or ".." in steps or "\0" in folder or any(step.lower() == ".git" for step in steps):
        raise SourceError(f"invalid app path {folder[:80]!r}", hint="paths are relative to the root of the repository")
    return "/".join(steps)


def _destination(text: str, folder: str, asked: str) -> str:
    target = posixpath.normpath(posixpath.join(folder, text))
    if text.startswith("/") or target == ".." or target.startswith("../"):
        raise SourceError(f"out of bounds symlink: {asked}", hint="links must point to files of the same repository")
    return "" if target == "." else target
