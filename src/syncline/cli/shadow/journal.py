"""The file of a recording: a line of JSON for each change, in a file that never grows beyond a bound.

Written by `syncline shadow record`, read by `syncline shadow report`. A full file becomes FILE.1, whose place the next
full one takes: the newest lines are always there. A line that was cut off by a kill is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from syncline.model.errors import NeedsUser
from syncline.model.shadow import Record

LARGEST = 256 * 1024 * 1024
_LONGEST_LINE = 1024 * 1024
_DECODER = msgspec.json.Decoder(Record)


class Journal:
    """A recording that is being written."""

    def __init__(self, path: Path, largest: int = LARGEST) -> None:
        self._path = path
        self._largest = largest
        self._file = self._opened()

    def write(self, record: Record) -> None:
        """Add a record, so that a kill right afterwards does not lose it."""
        if self._file.tell() > self._largest:
            self._file.close()
            self._path.replace(older(self._path))
            self._file = self._opened()
        self._file.write(msgspec.json.encode(record) + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Write nothing more."""
        self._file.close()

    def _opened(self) -> IO[bytes]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return self._path.open("ab")
        except OSError as error:
            raise NeedsUser(f"{self._path} cannot be written: {error.strerror}") from None


def older(path: Path) -> Path:
    """Return where a full file goes."""
    return path.with_name(f"{path.name}.1")


def records(path: Path) -> Iterator[Record]:
    """Yield what was recorded, oldest first."""
    if not path.exists():
        raise NeedsUser(f"{path} does not exist", hint="syncline shadow record writes it")
    for one in (older(path), path):
        if one.exists():
            yield from _lines(one)


def _lines(path: Path) -> Iterator[Record]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), start=1):
                if not line.endswith(b"\n"):
                    return
                try:
                    yield _DECODER.decode(line)
                except msgspec.DecodeError as error:
                    raise NeedsUser(f"{path}:{number} is not a line of a recording: {error}") from None
    except OSError as error:
        raise NeedsUser(f"{path} cannot be read: {error.strerror}") from None
