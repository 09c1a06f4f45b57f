"""Keeps one live object as few bytes, and gives it back as it was.

Used by `syncline.controller.live.index` for every object of a cluster. Objects of one kind repeat one another, so each
is deflated against a specimen of its kind: a pod of ten kilobytes takes some seven hundred bytes, less time than
without the specimen, and a hundredth of the memory of its dict. The odd fact: every object remembers the specimen it
was deflated against, because a kind gets a new one when a much longer object comes along.
"""

from __future__ import annotations

import zlib
from typing import TypeVar

import msgspec
import orjson

from syncline.apimachinery.keys import GroupKind, Object

_Part = TypeVar("_Part")

_LEVEL = 3
"""Where size levels off; with a specimen it takes no longer than level 1, measured on pods and ConfigMaps."""
_MEMORY = 7
_WINDOW = -zlib.MAX_WBITS
"""Negative: without header and checksum, since nothing of this leaves the process."""
_LONGEST_SPECIMEN = 16 * 1024
"""Half of what deflate looks back on; it is read whole for every object, so short ones pay for a long one."""
_LONGER = 1.5
"""How many times as long as the specimen an object has to be to become the next one."""


class Compact:
    """One object, deflated."""

    __slots__ = ("_packed", "_specimen", "length")

    def __init__(self, packed: bytes, specimen: bytes, length: int) -> None:
        self._packed = packed
        self._specimen = specimen
        self.length = length
        """How many bytes of JSON the object has."""

    def size(self) -> int:
        """Return how many bytes the object takes here."""
        return len(self._packed)

    def text(self) -> bytes:
        """Return the object as JSON."""
        return zlib.decompressobj(_WINDOW, self._specimen).decompress(self._packed)

    def whole(self) -> Object:
        """Return the object."""
        found: Object = orjson.loads(self.text())
        return found

    def part(self, decoder: msgspec.json.Decoder[_Part]) -> _Part:
        """Return some fields of the object as a typed value: cheaper, since the rest is skipped."""
        return decoder.decode(self.text())


class Press:
    """Makes objects compact, with one specimen for each kind."""

    def __init__(self) -> None:
        self._specimens: dict[GroupKind, bytes] = {}

    def compact(self, kind: GroupKind, obj: Object) -> Compact:
        """Return an object in few bytes."""
        text = orjson.dumps(obj)
        specimen = self._specimens.get(kind, b"")
        if len(text) > _LONGER * len(specimen) and len(specimen) < _LONGEST_SPECIMEN:
            specimen = self._specimens[kind] = text[-_LONGEST_SPECIMEN:]
        deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, specimen)
        return Compact(deflate.compress(text) + deflate.flush(), specimen, len(text))
