"""Frames: one that is whole is read, everything else is refused by name."""

import pytest

from syncline.server.grpcweb import frames
from syncline.server.requests.failures import Failure


@pytest.mark.parametrize("message", [b"", b"x", b"\x00" * 300])
def test_a_message_is_one_frame(message: bytes) -> None:
    framed = b"\x00" + len(message).to_bytes(4, "big") + message
    assert frames.data(message) == framed
    assert frames.message_of(framed) == message


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (b"", 3, "0 bytes"),
        (b"\x00\x00\x00\x00", 3, "4 bytes"),
        (b"\x00\x00\x00\x00\x02x", 3, "says 2 bytes, and 1 came"),
        (b"\x00\xff\xff\xff\xffx", 3, "says 4294967295 bytes"),
        (b"\x01\x00\x00\x00\x01x", 12, "compressed"),
        (b"\x80\x00\x00\x00\x00", 3, "frame of data"),
        (b"GET / HTTP/1.1", 3, "frame of data"),
        (b"\x00\x00\x00\x00\x01xy", 12, "one message"),
        (b"\x00\x00\x00\x00\x01x\x00\x00\x00\x00\x01x", 12, "one message"),
    ],
)
def test_anything_else_is_refused(body: bytes, code: int, words: str) -> None:
    with pytest.raises(Failure, match=words) as caught:
        frames.message_of(body)
    assert caught.value.code == code


def test_the_last_frame_tells_how_it_ended() -> None:
    assert frames.trailers() == b"\x80\x00\x00\x00\x10grpc-status: 0\r\n"
    told = frames.trailers(5, "no such thing")
    assert told[:1] == b"\x80"
    assert told[5:] == b"grpc-status: 5\r\ngrpc-message: no such thing\r\n"
    assert int.from_bytes(told[1:5], "big") == len(told[5:])


def test_words_are_escaped_and_cannot_add_a_header() -> None:
    assert frames.status(3, "50% of\r\nSet-Cookie: é")["Grpc-Message"] == "50%25 of Set-Cookie: %C3%A9"
