"""Tells clients of native gRPC that this server speaks grpc-web: just enough of HTTP/2 to say so.

Fed by `syncline.server.grpcweb.listener`. Argo CD's command line opens such a connection to see whether there is a
server at all, and only turns to grpc-web when a call over it fails; one that is never ready would make it wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from syncline.server.grpcweb import frames

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEAD: Final = 9
_LONGEST: Final = 16384
_HEADERS, _SETTINGS, _PING, _GOAWAY = 1, 4, 6, 7
_ACKNOWLEDGED, _END_STREAM, _END_HEADERS = 1, 1, 4
_WORDS: Final = "this server speaks grpc-web over HTTP/1.1 alone; use --grpc-web"
_STATUS_200: Final = b"\x88"


class Refusal:
    """One connection; `closed` once there is nothing left to say."""

    def __init__(self) -> None:
        self._buffer = b""
        self.closed = False

    def begun(self) -> bytes:
        """Return what a server says first."""
        return _frame(_SETTINGS, 0, 0)

    def received(self, data: bytes) -> bytes:
        """Take in what came after the preface, and return what to send."""
        self._buffer += data
        return b"".join(self._answers())

    def _answers(self) -> Iterator[bytes]:
        while len(self._buffer) >= _HEAD and not self.closed:
            length, kind, flags = int.from_bytes(self._buffer[:3], "big"), self._buffer[3], self._buffer[4]
            stream = int.from_bytes(self._buffer[5:_HEAD], "big") & 0x7FFFFFFF
            if length > _LONGEST:
                self.closed = True
            elif len(self._buffer) < _HEAD + length:
                return
            else:
                payload, self._buffer = self._buffer[_HEAD : _HEAD + length], self._buffer[_HEAD + length :]
                yield self._answer(kind, flags, stream, payload)

    def _answer(self, kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        if kind == _SETTINGS and not flags & _ACKNOWLEDGED:
            return _frame(_SETTINGS, _ACKNOWLEDGED, 0)
        if kind == _PING and not flags & _ACKNOWLEDGED and len(payload) == 8:
            return _frame(_PING, _ACKNOWLEDGED, 0, payload)
        if kind == _HEADERS:
            return _frame(_HEADERS, _END_STREAM | _END_HEADERS, stream, _refused())
        self.closed = kind == _GOAWAY
        return b""


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def _refused() -> bytes:
    """Return the headers of the answer to every call, none of them compressed."""
    told = {"content-type": "application/grpc", **frames.status(frames.UNIMPLEMENTED, _WORDS)}
    return _STATUS_200 + b"".join(_literal(name.lower(), value) for name, value in told.items())


def _literal(name: str, value: str) -> bytes:
    return b"\x00" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
