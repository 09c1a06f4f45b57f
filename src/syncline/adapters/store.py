"""Keeps bytes between runs, in a folder.

Handed to the controller by `syncline.wiring` as `syncline.ports.store`. A file store may be deleted, cut
short or filled by another process at any time: what cannot be read counts as not there. Keys become file
names by their digest, so any text is a key.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import pathlib
import tempfile

from syncline import private_folders

_WRITES_BETWEEN_CHECKS = 64


class FileStore:
    """Keeps one file per key in a folder that belongs to it; a reader sees the old bytes or the new, never a mix.

    With a limit, what nobody has read for the longest time goes when the folder has grown over it.
    """

    def __init__(self, folder: str, *, max_bytes: int = 0) -> None:
        self._folder = pathlib.Path(folder)
        self._max_bytes = max_bytes
        self._until_check = 0

    async def get(self, key: str) -> bytes | None:
        """Return what was put under the key, or None."""
        path = self._path(key)
        # Most are not there, and that is told at once: a hop to a thread takes longer.
        return await asyncio.to_thread(self._read, path) if path.exists() else None

    async def put(self, key: str, value: bytes) -> None:
        """Keep the bytes; raises OSError when the folder cannot be written."""
        await asyncio.to_thread(self._write, self._path(key), value)
        self._until_check -= 1
        if self._max_bytes and self._until_check < 0:
            self._until_check = _WRITES_BETWEEN_CHECKS
            await asyncio.to_thread(self._shrink)

    async def delete(self, key: str) -> None:
        """Forget the key."""
        await asyncio.to_thread(self._path(key).unlink, missing_ok=True)

    def _path(self, key: str) -> pathlib.Path:
        name = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / name[:2] / name

    @staticmethod
    def _read(path: pathlib.Path) -> bytes | None:
        try:
            content = path.read_bytes()
        except OSError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        digest, value = content[:32], content[32:]
        # A file that a crash left half written, or that is the one of another key, is as good as none.
        return value if _digest(path, value) == digest else None

    def _shrink(self) -> None:
        """Delete what was not used for the longest time until a fifth of the limit is free again."""
        found: list[tuple[float, int, pathlib.Path]] = []
        for path in self._folder.glob("*/*"):
            with contextlib.suppress(OSError):
                about = path.stat()
                found.append((about.st_mtime, about.st_size, path))
        total = sum(size for _time, size, _path in found)
        if total <= self._max_bytes:
            return
        for _time, size, path in sorted(found):
            if total <= self._max_bytes * 4 // 5:
                return
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size

    def _write(self, path: pathlib.Path, value: bytes) -> None:
        private_folders.shut(self._folder)
        private_folders.make(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_digest(path, value) + value)
            pathlib.Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                pathlib.Path(temporary).unlink()
            raise


def _digest(path: pathlib.Path, value: bytes) -> bytes:
    """Return what a file begins with: it says of which key the value is, for files can be copied."""
    return hashlib.sha256(path.name.encode() + b"\0" + value).digest()
