"""Reads from ELF files which machine they are for and which libraries they load.

Used by `tools.image.checks`: an image with a program of another machine, or without a library that one loads, is not
written.
"""

from __future__ import annotations

import mmap
import pathlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass

# From the ELF specification: e_machine.
MACHINES = {"amd64": 62, "arm64": 183}
_LOAD, _DYNAMIC = 1, 2
_NEEDED, _STRING_TABLE = 1, 5


@dataclass(frozen=True, slots=True)
class Elf:
    """The machine of a file, and the names of the libraries that it loads."""

    machine: int
    libraries: tuple[str, ...]


def read_elf(path: pathlib.Path) -> Elf | None:
    """Return what an ELF file says; None for any other file."""
    with path.open("rb") as file:
        if file.read(6) != b"\x7fELF\x02\x01":
            return None
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            (machine,) = struct.unpack_from("<H", content, 18)
            return Elf(machine, tuple(_libraries(content)))


def _libraries(content: mmap.mmap) -> Iterator[str]:
    (headers,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    segments = [struct.unpack_from("<IIQQQQ", content, headers + size * number) for number in range(count)]
    for kind, _flags, offset, _address, _physical, length in segments:
        if kind == _DYNAMIC:
            entries = list(struct.iter_unpack("<QQ", content[offset : offset + length]))
            tables = [value for tag, value in entries if tag == _STRING_TABLE]
            for tag, value in entries:
                if tag == _NEEDED and tables:
                    yield _text(content, _file_offset(segments, tables[0]) + value)


def _file_offset(segments: list[tuple[int, ...]], address: int) -> int:
    """Return where in the file the byte is that is loaded to an address."""
    for kind, _flags, offset, start, _physical, length in segments:
        if kind == _LOAD and start <= address < start + length:
            return offset + address - start
    return address


def _text(content: mmap.mmap, at: int) -> str:
    return content[at : content.find(b"\0", at)].decode()
