"""What is known of the files of one folder on this machine: looked up once per look, read again only when they change.

Made by `syncline.wiring` for a look at a checkout and handed to `syncline.adapters.render.folder`, so that all
Applications of a repository share it. `FileMemory` goes from one look to the next: the content of a file is taken over
while inode, size and both times are what they were. A file that was written a moment ago is read again, since a clock
that ticks slowly cannot tell two writes apart.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass

from syncline.ports.folders import Entry, Listing, Mark

_MOMENT_NS = 2_000_000_000
_MAX_FILES = 200_000
_MAX_BYTES = 300_000_000
_LARGE = 1_000_000


def mark_of(found: os.stat_result) -> Mark:
    """Return what tells versions of a file apart."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@dataclass(slots=True)
class _Kept:
    """One version of a file; the content of a large one is not kept."""

    mark: Mark
    content: bytes | None
    digest: str = ""


class FileMemory:
    """Contents and digests of files by path and mark, for as long as whoever keeps it likes, within bounds."""

    def __init__(self, now_ns: Callable[[], int] = time.time_ns) -> None:
        self._now_ns = now_ns
        self._known: dict[str, _Kept] = {}
        self._names: dict[Mark, str] = {}
        """The path under which a version of a file is kept; a file may have several names."""
        self._just_written: set[str] = set()
        self._bytes = 0

    def begin(self) -> None:
        """Begin another look: files that were written just before the last one are read again."""
        for path in self._just_written:
            self._drop(path)
        self._just_written.clear()

    def content(self, path: str, mark: Mark, read: Callable[[], bytes]) -> bytes:
        """Return the content of a file; `read` reads it where it has changed."""
        known = self._same(path, mark)
        if known is not None and known.content is not None:
            return known.content
        content = read()
        self._keep(path, _Kept(mark, content if len(content) <= _LARGE else None))
        return content

    def digest(self, path: str, mark: Mark, read: Callable[[], bytes]) -> str:
        """Return the digest of the content of a file; `read` reads it where it has changed."""
        known = self._same(path, mark)
        if known is None or not (known.digest or known.content is not None):
            content = self.content(path, mark, read)
            known = self._known[path]
            known.digest = hashlib.sha256(content).hexdigest()
        elif not known.digest:
            known.digest = hashlib.sha256(known.content or b"").hexdigest()
        return known.digest

    def _same(self, path: str, mark: Mark) -> _Kept | None:
        """Return what is kept of this version of a file, or of another name that it has."""
        known = self._known.get(path)
        if known is None:
            known = self._known.get(self._names.get(mark, ""))
        return known if known is not None and known.mark == mark else None

    def _keep(self, path: str, kept: _Kept) -> None:
        self._drop(path)
        self._names[kept.mark] = path
        if len(self._known) >= _MAX_FILES or self._bytes >= _MAX_BYTES:
            self._known.clear()
            self._names = {kept.mark: path}
            self._bytes = 0
        self._known[path] = kept
        self._bytes += len(kept.content or b"")
        if self._now_ns() - max(kept.mark[3], kept.mark[4]) < _MOMENT_NS:
            self._just_written.add(path)

    def _drop(self, path: str) -> None:
        dropped = self._known.pop(path, None)
        if dropped is not None:
            self._names.pop(dropped.mark, None)
            self._bytes -= len(dropped.content or b"")


class KnownFiles:
    """The files below one root during one look: every folder is listed once, every file looked up once."""

    def __init__(self, root: str, memory: FileMemory | None = None) -> None:
        self.root = root
        self.digests: dict[str, str] = {}
        """Of files and folders, by the path that somebody asked for."""
        self.regular: dict[str, str] = {}
        """Where the regular files really are that paths lead to."""
        self._memory = memory
        self._stats: dict[str, os.stat_result] = {}
        self._listings: dict[str, Listing] = {}

    def stat(self, real: str) -> os.stat_result:
        """Return what is at a path below the root, links not followed; raises OSError where nothing is."""
        found = self._stats.get(real)
        if found is None:
            found = self._stats[real] = os.lstat(self._path(real))
        return found

    def listing(self, real: str) -> Listing:
        """Return what a folder below the root holds; raises OSError where it cannot be listed."""
        found = self._listings.get(real)
        if found is None:
            found = self._listings[real] = self._listed(real)
        return found

    def content(self, real: str, read: Callable[[], bytes]) -> bytes:
        """Return the content of a regular file; `read` reads it where it has changed."""
        if self._memory is None:
            return read()
        return self._memory.content(self._path(real), mark_of(self.stat(real)), read)

    def content_digest(self, real: str, read: Callable[[], bytes]) -> str:
        """Return the digest of a regular file; `read` reads it where it has changed."""
        if self._memory is None:
            return hashlib.sha256(read()).hexdigest()
        return self._memory.digest(self._path(real), mark_of(self.stat(real)), read)

    def _path(self, real: str) -> str:
        return f"{self.root}/{real}" if real else self.root

    def _listed(self, real: str) -> Listing:
        folders: list[str] = []
        files: list[Entry] = []
        with os.scandir(self._path(real)) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                if entry.name.lower() == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    continue
                found = entry.stat(follow_symlinks=False)
                link = stat.S_ISLNK(found.st_mode)
                if link or stat.S_ISREG(found.st_mode):
                    path = f"{real}/{entry.name}" if real else entry.name
                    self._stats[path] = found
                    if not link:
                        self.regular[path] = path
                    files.append(Entry(entry.name, mark_of(found), link))
        return Listing(tuple(folders), tuple(files))
