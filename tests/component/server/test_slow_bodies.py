"""A body that does not come: whoever sends it waits in vain, and nobody else waits at all (security row L1)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.web import HOST, Site, on_site


async def asked_slowly(site: Site, path: str, *, pause: float, pieces: int) -> tuple[int, float]:
    """Send a body byte by byte; return the status, and after how many seconds it came."""
    sent: list[Any] = []
    left = pieces

    async def receive() -> Any:
        nonlocal left
        await site.bed.clock.sleep(pause)
        left -= 1
        return {"type": "http.request", "body": b" ", "more_body": left > 0}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", HOST.encode()), (b"content-type", b"application/json"), (b"x-github-event", b"push")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8080),
    }
    begun = site.bed.clock.monotonic()
    await site.nobody.app(scope, receive, send)
    return int(sent[0]["status"]), site.bed.clock.monotonic() - begun


@pytest.mark.parametrize("path", ["/api/webhook", "/api/v1/session"])
def test_a_body_that_trickles_in_is_given_up(path: str) -> None:
    async def story(site: Site) -> None:
        slow = [asyncio.ensure_future(asked_slowly(site, path, pause=2.0, pieces=10_000)) for _ in range(50)]
        # Others are answered meanwhile.
        await site.bed.clock.sleep(1.0)
        assert (await site.nobody.get("/api/version")).status == 200
        for status, seconds in await asyncio.gather(*slow):
            assert (status, seconds <= 25.0) == (408, True)

    on_site(story)


def test_a_body_that_takes_a_while_is_read() -> None:
    async def story(site: Site) -> None:
        status, _seconds = await asked_slowly(site, "/api/v1/session", pause=1.0, pieces=3)
        assert status in (400, 401)

    on_site(story)
