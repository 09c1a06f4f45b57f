"""Frames of grpc-web: a byte of flags, four bytes of length, a message; the last one holds the status as text.

Used by `syncline.server.grpcweb.service`. A request is exactly one frame that is not compressed.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from syncline.server.requests.failures import INVALID, Failure

_HEAD: Final = 5
_COMPRESSED: Final = 0x01
_TRAILERS: Final = 0x80
# All that is printable ASCII, but the sign that begins an escape.
_PLAIN: Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


def message_of(body: bytes) -> bytes:
    """Return the message of a request; raises `Failure` for anything but one whole frame."""
    if len(body) < _HEAD:
        raise Failure(INVALID, f"the request has {len(body)} bytes, and a grpc-web frame begins with {_HEAD}")
    if body[0] == _COMPRESSED:
        raise Failure(UNIMPLEMENTED, "compressed messages are not read here", hint="send them as they are", status=501)
    if body[0]:
        raise Failure(INVALID, "the request does not begin with a frame of data")
    length = int.from_bytes(body[1:_HEAD], "big")
    if len(body) - _HEAD < length:
        raise Failure(INVALID, f"the frame says {length} bytes, and {len(body) - _HEAD} came")
    if len(body) - _HEAD > length:
        raise Failure(UNIMPLEMENTED, "a request is one message: streams of messages are not read here", status=501)
    return body[_HEAD:]


UNIMPLEMENTED: Final = 12


def data(message: bytes) -> bytes:
    """Return the frame of a message."""
    return b"\x00" + len(message).to_bytes(4, "big") + message


def trailers(code: int = 0, message: str = "") -> bytes:
    """Return the last frame of an answer."""
    text = "".join(f"{name.lower()}: {value}\r\n" for name, value in status(code, message).items()).encode()
    return bytes([_TRAILERS]) + len(text).to_bytes(4, "big") + text


def status(code: int, message: str = "") -> dict[str, str]:
    """Return the headers that tell how a call ended; the words are on one line, escaped as gRPC does."""
    told = " ".join(message.split())
    return {"Grpc-Status": str(code), **({"Grpc-Message": quote(told, safe=_PLAIN)} if told else {})}
