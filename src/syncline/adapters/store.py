"""Two places to keep bytes between runs: memory, and a folder.

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


class MemoryStore:
    """Keeps bytes while the process lives."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        """Return what was put under the key, or None."""
        return self._values.get(key)

    async def put(self, key: str, value: bytes) -> None:
        """Keep the bytes."""
        self._values[key] = value

    async def delete(self, key: str) -> None:
        """Forget the key."""
        self._values.pop(key, None)


class FileStore:
    """Keeps one file per key in a folder that belongs to it; a reader sees the old bytes or the new, never a mix."""

    def __init__(self, folder: str) -> None:
        self._folder = pathlib.Path(folder)

    async def get(self, key: str) -> bytes | None:
        """Return what was put under the key, or None."""
        return await asyncio.to_thread(self._read, self._path(key))

    async def put(self, key: str, value: bytes) -> None:
        """Keep the bytes; raises OSError when the folder cannot be written."""
        await asyncio.to_thread(self._write, self._path(key), value)

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
        digest, value = content[:32], content[32:]
        # A file that a crash left half written is as good as none.
        return value if hashlib.sha256(value).digest() == digest else None

    @staticmethod
    def _write(path: pathlib.Path, value: bytes) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(value).digest() + value)
            pathlib.Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                pathlib.Path(temporary).unlink()
            raise
