"""The framing of SPDY/3.1, as far as Kubernetes' streams use it: streams with headers, data, pings.

`syncline.sandbox.serving.streaming` feeds the bytes of a connection in and is told what they mean; what it sends is
made here too. No input or output happens here. There is no flow control, because no client of Kubernetes has any.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

_SYN_STREAM, _SYN_REPLY, _RST_STREAM, _PING, _GOAWAY = 1, 2, 3, 6, 7
_FIN: Final = 1
_HEAD: Final = struct.Struct(">II")
_LENGTH: Final = struct.Struct(">I")
_MAX_FRAME: Final = 1 << 20
_MAX_HEADERS: Final = 1 << 16
_WORDS: Final = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie "
    "keep-alive origin"
)
_REST: Final = (
    b"100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative "
    b"Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 "
    b"Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec "
    b"00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,"
    b"application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-"
    b"8859-1,utf-,*,enq=0."
)


def _dictionary() -> bytes:
    """Return the words that SPDY's headers are compressed with, as its specification lists them."""
    words = [word.replace("_", " ").encode() for word in _WORDS.split()]
    return b"".join(_LENGTH.pack(len(word)) + word for word in words) + _REST


class SpdyError(Exception):
    """The other side does not speak SPDY/3.1."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The other side has opened a stream."""

    stream: int
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Received:
    """Data of a stream; `last` when nothing more comes."""

    stream: int
    data: bytes
    last: bool


@dataclass(frozen=True, slots=True)
class Ended:
    """A stream was broken off; stream 0 stands for the connection."""

    stream: int


Event = Opened | Received | Ended


@dataclass(slots=True)
class SpdyFrames:
    """Takes the bytes of one connection apart, and writes those that answer."""

    _buffer: bytearray = field(default_factory=bytearray)
    _inflating: zlib._Decompress = field(default_factory=lambda: zlib.decompressobj(zdict=_dictionary()))
    _deflating: zlib._Compress = field(default_factory=lambda: zlib.compressobj(zdict=_dictionary()))
    replies: list[bytes] = field(default_factory=list)
    """Answers that the framing itself owes: to pings."""

    def feed(self, content: bytes) -> Iterator[Event]:
        """Yield what complete frames say; raises `SpdyError`."""
        self._buffer += content
        while len(self._buffer) >= _HEAD.size:
            first, second = _HEAD.unpack_from(self._buffer)
            length = second & 0xFFFFFF
            if length > _MAX_FRAME:
                raise SpdyError(f"a frame of {length} bytes is too long")
            if len(self._buffer) < _HEAD.size + length:
                return
            body = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
            del self._buffer[: _HEAD.size + length]
            if first >> 31:
                yield from self._control(first & 0xFFFF, second >> 24, body)
            else:
                yield Received(first, body, bool(second >> 24 & _FIN))

    def _control(self, kind: int, flags: int, body: bytes) -> Iterator[Event]:
        if kind == _SYN_STREAM:
            stream = _number(body) & 0x7FFFFFFF
            yield Opened(stream, self._headers(body[10:]))
            if flags & _FIN:
                yield Received(stream, b"", True)
        elif kind == _RST_STREAM:
            yield Ended(_number(body) & 0x7FFFFFFF)
        elif kind == _PING:
            self.replies.append(_control(_PING, 0, body[:4]))
        elif kind == _GOAWAY:
            yield Ended(0)

    def _headers(self, block: bytes) -> dict[str, str]:
        try:
            plain = self._inflating.decompress(block, _MAX_HEADERS)
        except zlib.error as error:
            raise SpdyError(f"its headers cannot be read: {error}") from None
        position = 4
        found = {}
        for _ in range(_number(plain)):
            name, position = _text(plain, position)
            value, position = _text(plain, position)
            found[name.lower()] = value
        return found

    def reply(self, stream: int) -> bytes:
        """Accept a stream."""
        block = self._deflating.compress(_LENGTH.pack(0)) + self._deflating.flush(zlib.Z_SYNC_FLUSH)
        return _control(_SYN_REPLY, 0, _LENGTH.pack(stream) + block)


def data(stream: int, content: bytes, *, last: bool = False) -> bytes:
    """Return the frame with data of a stream."""
    return _HEAD.pack(stream, (_FIN if last else 0) << 24 | len(content)) + content


def _control(kind: int, flags: int, body: bytes) -> bytes:
    return _HEAD.pack(1 << 31 | 3 << 16 | kind, flags << 24 | len(body)) + body


def _number(content: bytes) -> int:
    if len(content) < 4:
        raise SpdyError("a frame is too short")
    return int(_LENGTH.unpack_from(content)[0])


def _text(content: bytes, position: int) -> tuple[str, int]:
    length = _number(content[position:])
    position += 4
    return content[position : position + length].decode("utf-8", "replace"), position + length
