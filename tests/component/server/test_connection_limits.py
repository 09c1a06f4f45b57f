"""Connections that keep the server waiting: half-sent heads, trickles, slow readers, and too many of them (row L1)."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, ClassVar

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from syncline.server.app import Listening, listening_at
from syncline.server.connections.limits import ConnectionLimits
from tests.support.certificates import Authority

QUICK = ConnectionLimits(total=20, per_address=8, head=0.6, handshake=0.6, idle=1, reading=0.8, rate=1000)
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "
LARGE = 12_000_000


async def plain(_request: Request) -> Response:
    return PlainTextResponse("ok")


async def unread(_request: Request) -> Response:
    return PlainTextResponse("refused", 401)


async def large(_request: Request) -> Response:
    return PlainTextResponse("x" * LARGE)


async def endless(_request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        while True:
            yield b"y" * 100_000
            await asyncio.sleep(0)

    return StreamingResponse(pieces())


async def quiet(_request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        while True:
            yield b"."
            await asyncio.sleep(0.2)

    return StreamingResponse(pieces())


Address = tuple[str, int]


class Client:
    """One connection, from an address of this machine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.made.append(self)

    made: ClassVar[list[Client]] = []

    @staticmethod
    async def at(address: Address, source: str = "127.0.0.1") -> Client:
        return Client(*await asyncio.open_connection(*address, local_addr=(source, 0)))

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def head(self) -> bytes:
        """Return the first line of the answer; empty where the server hung up."""
        try:
            return await asyncio.wait_for(self.reader.readline(), 5)
        except ConnectionError:
            return b""

    async def ended_within(self, seconds: float) -> bool:
        """Whether the server hangs up in time; what it says is read."""
        try:
            async with asyncio.timeout(seconds):
                while await self.reader.read(1_000_000):
                    pass
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return True

    def close(self) -> None:
        self.writer.close()


def serve(
    story: Callable[[Address, list[str]], Awaitable[None]], limits: ConnectionLimits = QUICK, **listening: Any
) -> None:
    said: list[str] = []
    routes = [Route("/", plain), Route("/unread", unread, methods=["POST"]), Route("/large", large)]
    app = Starlette(routes=[*routes, Route("/endless", endless), Route("/quiet", quiet)])

    async def main() -> None:
        async with listening_at(app, Listening(limits=limits, **listening), say=said.append) as url:
            try:
                await story(("127.0.0.1", int(url.rpartition(":")[2])), said)
            finally:
                for client in Client.made:
                    client.close()
                Client.made.clear()
                await asyncio.sleep(0)

    asyncio.run(main())


async def works(address: Address, source: str = "127.0.0.1") -> bool:
    client = await Client.at(address, source)
    with contextlib.suppress(ConnectionError):
        await client.send(REQUEST)
    found = await client.head()
    client.close()
    return b" 200 " in found


def test_a_connection_that_says_nothing_or_half_a_head_is_hung_up_on() -> None:
    async def story(address: Address, _said: list[str]) -> None:
        for begun in (b"", b"P", b"PRI", HALF, REQUEST[:-2]):
            client = await Client.at(address)
            await client.send(begun)
            assert await client.ended_within(2), begun

    serve(story)


def test_a_head_that_trickles_is_hung_up_on_all_the_same() -> None:
    async def story(address: Address, _said: list[str]) -> None:
        client = await Client.at(address)
        await client.send(HALF)

        async def trickle() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    await client.send(b"a")
                    await asyncio.sleep(0.05)

        task = asyncio.create_task(trickle())
        assert await client.ended_within(2)
        task.cancel()

    serve(story)


def test_a_second_request_has_no_more_time_than_the_first() -> None:
    async def story(address: Address, _said: list[str]) -> None:
        client = await Client.at(address)
        for _ in range(3):
            await client.send(REQUEST)
            assert b"200" in await client.reader.readuntil(b"ok")
            await asyncio.sleep(0.3)
        await client.send(HALF)
        assert await client.ended_within(2)

    serve(story)


def test_a_body_that_nobody_reads_cannot_be_sent_for_ever() -> None:
    async def story(address: Address, _said: list[str]) -> None:
        client = await Client.at(address)
        await client.send(b"POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        assert b"401" in await client.head()

        async def trickle() -> None:
            with contextlib.suppress(ConnectionError):
                while True:
                    await client.send(b"a")
                    await asyncio.sleep(0.05)

        task = asyncio.create_task(trickle())
        assert await client.ended_within(3)
        task.cancel()

    serve(story)


@pytest.mark.parametrize("path", ["/large", "/endless"])
def test_a_reader_that_does_not_read_is_hung_up_on(path: str) -> None:
    async def story(address: Address, _said: list[str]) -> None:
        # A small window, so that little fits between the two.
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.connect(address)
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await asyncio.sleep(3)
        raw.settimeout(1)
        read, ended = 0, False
        try:
            while read < 10_000_000 and not ended:
                piece = raw.recv(1_000_000)
                read, ended = read + len(piece), not piece
        except ConnectionError:
            ended = True
        assert ended, "whatever was on its way is read, and then there is an end"
        raw.close()

    serve(story)


def test_a_slow_reader_that_reads_gets_all_of_it() -> None:
    async def story(address: Address, _said: list[str]) -> None:
        client = await Client.at(address)
        await client.send(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
        read = 0
        while read < LARGE:
            piece = await client.reader.read(2_000_000)
            assert piece
            read += len(piece)
            await asyncio.sleep(0.03)
        assert read >= LARGE

    serve(story)


def test_one_address_takes_its_share_and_others_still_get_in() -> None:
    async def story(address: Address, said: list[str]) -> None:
        held = [await Client.at(address) for _ in range(40)]
        refused = [one for one in held if await one.ended_within(0.1)]
        assert len(refused) == 32
        assert not await works(address)
        assert await works(address, "127.0.0.2")
        assert await works(address, "127.0.0.3")
        assert 1 <= len(said) <= 3, "said seldom"
        for one in held:
            one.close()
        await asyncio.sleep(0.2)
        assert await works(address)

    serve(story, ConnectionLimits(total=20, per_address=8, head=30))


def test_streams_count_and_stay_while_those_that_wait_give_way() -> None:
    async def story(address: Address, _said: list[str]) -> None:
        streams = []
        for number in range(6):
            client = await Client.at(address, f"127.0.0.{number + 2}")
            await client.send(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200" in await client.head()
            streams.append(client)
        idle = [await Client.at(address, f"127.0.1.{number + 1}") for number in range(4)]
        # All ten places are taken; the one that waited longest makes room.
        assert await works(address, "127.0.2.1")
        assert await idle[0].ended_within(1)
        assert not any(one.reader.at_eof() for one in (*idle[1:], *streams))
        for number in range(4):
            client = await Client.at(address, f"127.0.3.{number + 1}")
            await client.send(b"GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n")
            assert b"200" in await client.head()
            streams.append(client)
        # Ten streams: nobody waits, so nobody gives way.
        late = await Client.at(address, "127.0.4.1")
        assert b"503" in await late.head()
        assert not any(one.reader.at_eof() for one in streams)
        for one in (*streams, *idle, late):
            one.close()
        await asyncio.sleep(0.5)
        assert await works(address, "127.0.4.1")

    serve(story, ConnectionLimits(total=10, per_address=8, head=30))


def test_a_handshake_that_does_not_come_is_hung_up_on(tmp_path: Any) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    for file, text in zip((certificate, key), Authority().server("127.0.0.1"), strict=True):
        file.write_text(text)

    async def story(address: Address, _said: list[str]) -> None:
        for begun in (b"", b"\x16\x03\x01\x02\x00", b"GET / HTTP/1.1\r\n\r\n"):
            client = await Client.at(address)
            await client.send(begun)
            assert await client.ended_within(3), begun
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        reader, writer = await asyncio.open_connection(*address, ssl=trusting)
        writer.write(REQUEST)
        assert b"200" in await reader.readline()
        writer.close()

    serve(story, certificate=str(certificate), key=str(key))


def test_half_handshakes_give_way_and_are_closed(tmp_path: Any) -> None:
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    for file, text in zip((certificate, key), Authority().server("127.0.0.1"), strict=True):
        file.write_text(text)

    async def story(address: Address, _said: list[str]) -> None:
        held = [await Client.at(address, f"127.0.1.{number + 1}") for number in range(30)]
        ended = [one for one in held if await one.ended_within(0.2)]
        assert len(ended) == 25, "whoever gave way was hung up on, long before the time for a handshake is over"
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        reader, writer = await asyncio.open_connection(*address, ssl=trusting, local_addr=("127.0.2.1", 0))
        client = Client(reader, writer)
        await client.send(REQUEST)
        assert b"200" in await client.head()

    limits = ConnectionLimits(total=5, per_address=2, head=30, handshake=30)
    serve(story, limits, certificate=str(certificate), key=str(key))


EXHAUSTED = """
import asyncio, os, resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from syncline.server.app import Listening, listening_at

async def plain(_request):
    return PlainTextResponse("ok")

async def main():
    said = []
    async with listening_at(Starlette(routes=[Route("/", plain)]), Listening(), say=said.append) as url:
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        await asyncio.to_thread(int)
        await asyncio.sleep(0.3)
        held = []
        try:
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            pass
        print(address[1], flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        for one in held:
            os.close(one)
        await asyncio.to_thread(sys.stdin.readline)
    print(*said, sep="\\n", flush=True)

asyncio.run(main())
"""


def test_without_descriptors_the_server_says_so_once_and_goes_on_when_there_are_some() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", EXHAUSTED],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        address = ("127.0.0.1", int(process.stdout.readline()))
        clients = [socket.create_connection(address, timeout=5) for _ in range(60)]
        time.sleep(1.5)
        process.stdin.write("\n")
        process.stdin.flush()
        for client in clients:
            client.close()
        deadline, line = time.monotonic() + 30, b""
        while b"200" not in line and time.monotonic() < deadline:
            with socket.create_connection(address, timeout=5) as client, contextlib.suppress(OSError):
                client.sendall(REQUEST)
                line = client.recv(100)
        assert b"200" in line
        out, err = process.communicate("\n", timeout=30)
    said = out.splitlines()
    assert [one for one in said if "Too many open files" in one] == said[:1]
    assert len(said) <= 2
    assert err == ""
