"""Reads a packed chart into memory: every member is checked, and sizes are counted while they unfold.

Called by `syncline.adapters.charts.source`. The archive comes from strangers: links, devices, paths that lead out,
names that occur twice, and more bytes or files than the limits are refused by name; nothing touches the disk.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib
from dataclasses import dataclass
from typing import IO, cast

from syncline.model.errors import SourceError

_MAX_PATH = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveLimits:
    """How large a chart may be: packed, unpacked, and in files."""

    packed: int = 64 * 1024 * 1024
    unpacked: int = 256 * 1024 * 1024
    files: int = 10_000


def unpack(content: bytes, limits: ArchiveLimits, *, name: str, strip: bool = True) -> dict[str, bytes]:
    """Return the files of an archive by path; `strip` leaves out the one folder that a chart is packed in."""
    packed: IO[bytes] = io.BytesIO(content)
    stream = cast("IO[bytes]", gzip.GzipFile(fileobj=packed)) if content[:2] == b"\x1f\x8b" else packed
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=_Counted(stream, limits.unpacked, name), mode="r|") as archive:
            for member in archive:
                _add(files, archive, member, name)
                if len(files) > limits.files:
                    raise SourceError(f"{name}: the archive has more than {limits.files} files")
    except (tarfile.TarError, EOFError, OSError, zlib.error, UnicodeError, ValueError):
        raise SourceError(f"{name}: the archive cannot be read", hint="package and publish the chart again") from None
    return _stripped(files, name) if strip else files


def _add(files: dict[str, bytes], archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> None:
    shown = member.name[:200]
    if member.isdir():
        return
    if member.issym() or member.islnk():
        raise SourceError(f"{name}: out of bounds symlink: {shown}", hint="a packed chart must not contain links")
    if not member.isreg() or member.issparse():
        raise SourceError(f"{name}: {shown} is not a regular file")
    steps = [step for step in member.name.split("/") if step != "."]
    if member.name.startswith("/") or ".." in steps or "\\" in member.name or "\0" in member.name:
        raise SourceError(f"{name}: {shown} points outside the archive")
    if len(member.name) > _MAX_PATH or "" in steps:
        raise SourceError(f"{name}: {shown!r} is not a valid file path")
    path = "/".join(steps)
    if path in files:
        raise SourceError(f"{name}: {shown} occurs twice in the archive")
    reader = archive.extractfile(member)
    files[path] = reader.read() if reader is not None else b""


def _stripped(files: dict[str, bytes], name: str) -> dict[str, bytes]:
    tops = {path.partition("/")[0] for path in files}
    if len(tops) != 1 or any("/" not in path for path in files):
        raise SourceError(f"{name}: the archive holds {len(tops)} top-level entries instead of one chart folder")
    return {path.partition("/")[2]: content for path, content in files.items()}


class _Counted(io.RawIOBase):
    """A stream that ends in an error when it has given out too much."""

    def __init__(self, stream: IO[bytes], limit: int, name: str) -> None:
        super().__init__()
        self._stream = stream
        self._left = limit
        self._limit = limit
        self._name = name

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Read at most what is still allowed."""
        piece = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(piece)
        if self._left < 0:
            raise SourceError(f"{self._name}: the archive unpacks to more than {self._limit} bytes")
        return piece
