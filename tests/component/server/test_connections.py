"""What a connection begins with: HTTP/1.1 in any number of pieces, native gRPC, or TLS on a plain port."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from syncline.server.grpcweb.listener import Connection
from syncline.server.grpcweb.native import PREFACE

PUT = b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
SETTINGS = b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"


class Wire(asyncio.Transport):
    """Keeps what is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.ended = False

    def write(self, data: Any) -> None:
        self.sent += data

    def close(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.ended


async def app(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def spoken(*pieces: bytes) -> Wire:
    """Return the wire after these pieces came, and all that was started has ended."""

    async def main() -> Wire:
        config = uvicorn.Config(app, http=Connection, log_config=None, lifespan="off")
        config.load()
        state, wire = ServerState(), Wire()
        connection = Connection(config=config, server_state=state, app_state={})
        connection.connection_made(wire)
        for piece in pieces:
            connection.data_received(piece)
        await asyncio.gather(*state.tasks)
        connection.connection_lost(None)
        return wire

    return asyncio.run(main())


@pytest.mark.parametrize("pieces", [(PUT,), (b"P", b"U", PUT[2:]), tuple(bytes([byte]) for byte in PUT)])
def test_a_request_is_answered_however_it_comes(pieces: tuple[bytes, ...]) -> None:
    assert spoken(*pieces).sent.startswith(b"HTTP/1.1 204 No Content\r\n")


@pytest.mark.parametrize("pieces", [(PREFACE + SETTINGS,), (PREFACE[:3], PREFACE[3:], SETTINGS)])
def test_native_grpc_is_greeted_in_its_own_words(pieces: tuple[bytes, ...]) -> None:
    assert spoken(*pieces).sent == SETTINGS + b"\x00\x00\x00\x04\x01\x00\x00\x00\x00"


def test_tls_on_a_plain_port_is_hung_up_on_silently() -> None:
    wire = spoken(b"\x16\x03\x01\x02\x00\x01")
    assert (wire.sent, wire.ended) == (b"", True)


def test_nonsense_is_a_bad_request() -> None:
    assert spoken(b"PRINT all of it\r\n\r\n").sent.startswith(b"HTTP/1.1 400 ")
