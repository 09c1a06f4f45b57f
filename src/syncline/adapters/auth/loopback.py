"""Waits on the loopback address for the one request that a browser makes when it comes back from a login.

Built by `syncline.wiring` for the command line. The page that it answers with is fixed: nothing of the request is in
it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from urllib.parse import parse_qsl

CALLBACK = "/auth/callback"
_HOST = "127.0.0.1"
_LONGEST = 16 * 1024
_PAGE = (
    b"<!doctype html><meta charset=utf-8><title>Syncline</title>"
    b"<p>You can close this page, and go back to the terminal."
)
_HEAD = (
    b"HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\nContent-Security-Policy: default-src 'none'\r\n"
    b"Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"
)


class Callback:
    """A listener that waits for one login."""

    def __init__(self, port: int, answer: asyncio.Future[dict[str, str]]) -> None:
        self.address = f"http://localhost:{port}{CALLBACK}"
        self._answer = answer

    async def answer(self, seconds: float) -> dict[str, str]:
        """Return the parameters that the browser brought; raises `TimeoutError`."""
        async with asyncio.timeout(seconds):
            return await self._answer


@contextlib.asynccontextmanager
async def listening(port: int) -> AsyncIterator[Callback]:
    """Listen on a port of the loopback address (0: any) for as long as the block lasts."""
    found: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                head = await reader.readuntil(b"\r\n\r\n")
                given = _parameters(head)
                if given is not None and not found.done():
                    found.set_result(given)
                status, page = (b"200 OK", _PAGE) if given is not None else (b"404 Not Found", b"")
                writer.write(_HEAD % (status, len(page)) + page)
                await writer.drain()
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    server = await asyncio.start_server(serve, _HOST, port, limit=_LONGEST)
    try:
        yield Callback(server.sockets[0].getsockname()[1], found)
    finally:
        server.close()
        await server.wait_closed()


def _parameters(head: bytes) -> dict[str, str] | None:
    """Return the query of the request, where it is the one that is waited for."""
    parts = head.split(b"\r\n", 1)[0].split(b" ")
    if len(parts) != 3 or parts[0] != b"GET":
        return None
    path, _, query = parts[1].decode("latin-1").partition("?")
    return dict(parse_qsl(query)) if path == CALLBACK else None
