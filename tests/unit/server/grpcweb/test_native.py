"""Native gRPC is told what is spoken here, in as much of HTTP/2 as that takes (RFC 9113, RFC 7541)."""

from syncline.server.grpcweb.native import Refusal

SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"
ACKNOWLEDGED = b"\x00\x00\x00\x04\x01\x00\x00\x00\x00"
CALL = b"\x00\x00\x01\x01\x04\x00\x00\x00\x03\x83"


def test_settings_are_sent_and_acknowledged_and_a_ping_comes_back() -> None:
    refusal = Refusal()
    assert refusal.begun() == SETTINGS
    assert refusal.received(SETTINGS) == ACKNOWLEDGED
    assert refusal.received(ACKNOWLEDGED) == b""
    ping = b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + b"12345678"
    assert refusal.received(ping) == b"\x00\x00\x08\x06\x01\x00\x00\x00\x00" + b"12345678"


def test_each_call_is_answered_on_its_stream_with_a_status() -> None:
    answer = Refusal().received(CALL)
    length = int.from_bytes(answer[:3], "big")
    assert (answer[3:9], len(answer)) == (b"\x01\x05\x00\x00\x00\x03", 9 + length)
    headers = answer[9:]
    assert headers[:1] == b"\x88", ":status 200 of the static table"
    found = {}
    rest = headers[1:]
    while rest:
        assert rest[0] == 0, "a literal that is not remembered"
        name = rest[2 : 2 + rest[1]]
        rest = rest[2 + rest[1] :]
        found[name], rest = rest[1 : 1 + rest[0]], rest[1 + rest[0] :]
    assert found[b"grpc-status"] == b"12"
    assert b"use --grpc-web" in found[b"grpc-message"]
    assert all(len(value) < 127 for value in found.values()), "a longer one needs another length"


def test_frames_may_come_byte_by_byte_and_too_long_ones_end_it() -> None:
    refusal = Refusal()
    assert b"".join(refusal.received(bytes([byte])) for byte in SETTINGS + CALL) == ACKNOWLEDGED + Refusal().received(
        CALL
    )
    states = [refusal.closed]
    assert refusal.received(b"\xff\xff\xff\x00\x00\x00\x00\x00\x01") == b""
    states.append(refusal.closed)
    assert states == [False, True]
    assert refusal.received(CALL) == b""


def test_a_client_that_says_goodbye_is_let_go() -> None:
    refusal = Refusal()
    assert refusal.received(b"\x00\x00\x08\x07\x00\x00\x00\x00\x00" + b"\x00" * 8) == b""
    assert refusal.closed
