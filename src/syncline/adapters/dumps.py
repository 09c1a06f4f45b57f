"""Files of snapshots and dumps, as somebody named them on the command line.

Built into functions by `syncline.wiring`. A snapshot is compressed unless its name ends in `.jsonl`; a folder is walked
without following links, so that nothing outside it is read.
"""

from __future__ import annotations

import gzip
import os
import pathlib
from collections.abc import Callable, Iterable, Iterator

_GZIP = b"\x1f\x8b"
_LEVEL = 5
_HEAD = 64
_TEXTS = (".yaml", ".yml", ".json", ".log", ".txt")


def files(folder: pathlib.Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the files below a folder in order, by their paths below it, each with a way to read it."""
    for place, folders, found in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(found):
            path = pathlib.Path(place) / name
            if not path.is_symlink() and not name.startswith(".") and path.suffix.lower() in (*_TEXTS, ".gz"):
                yield path.relative_to(folder).as_posix(), lambda path=path: _unpacked(path)  # type: ignore[misc]


def _unpacked(path: pathlib.Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == _GZIP else content


def beginning(path: pathlib.Path) -> bytes:
    """Return the first bytes of a file, unpacked."""
    with path.open("rb") as file:
        is_packed = file.read(2) == _GZIP
    with gzip.open(path) if is_packed else path.open("rb") as file:
        return bytes(file.read(_HEAD))


def lines(path: pathlib.Path) -> Iterator[bytes]:
    """Yield the lines of a file, unpacked."""
    with path.open("rb") as file:
        is_packed = file.read(2) == _GZIP
    with gzip.open(path) if is_packed else path.open("rb") as file:
        yield from file


def write(path: pathlib.Path, text: Iterable[bytes]) -> int:
    """Write lines to a file that only its owner can read, whole or not at all; return its size."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        # The descriptor is made with its mode, so that nobody else can open it meanwhile.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as plain:
            if path.suffix == ".jsonl":
                plain.writelines(text)
            else:
                with gzip.GzipFile(filename="", fileobj=plain, mode="wb", compresslevel=_LEVEL, mtime=0) as packed:
                    packed.writelines(text)
        size = temporary.stat().st_size
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return size
