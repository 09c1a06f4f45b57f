"""A body that does not come: whoever sends it waits in vain, and nobody else waits at all (security row L1)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from syncline.server.webhooks.room import ORDINARY, SHARED
from tests.component.server.test_webhooks import GITHUB, send, set_secrets
from tests.support.web import HOST, Site, on_site


async def asked_slowly(
    site: Site, path: str, *, pause: float, pieces: int, piece: bytes = b" ", signature: str = "0" * 64
) -> tuple[int, float]:
    """Send a body piece by piece; return the status, and after how many seconds it came."""
    sent: list[Any] = []
    left = pieces

    async def receive() -> Any:
        nonlocal left
        await site.bed.clock.sleep(pause)
        left -= 1
        return {"type": "http.request", "body": piece, "more_body": left > 0}

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
        "headers": [
            (b"host", HOST.encode()),
            (b"content-type", b"application/json"),
            (b"x-github-event", b"push"),
            (b"x-hub-signature-256", f"sha256={signature}".encode()),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8080),
    }
    begun = site.bed.clock.monotonic()
    await site.nobody.app(scope, receive, send)
    return int(sent[0]["status"]), site.bed.clock.monotonic() - begun


@pytest.mark.parametrize("path", ["/api/webhook", "/api/v1/session"])
def test_a_body_that_trickles_in_is_given_up(path: str) -> None:
    async def story(site: Site) -> None:
        await set_secrets(site)
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


def test_what_cannot_be_proven_is_refused_before_its_body_has_come() -> None:
    async def story(site: Site) -> None:
        without_secret = await asked_slowly(site, "/api/webhook", pause=2.0, pieces=100)
        await set_secrets(site)
        no_signature = await asked_slowly(site, "/api/webhook", pause=2.0, pieces=100, signature="x")
        for status, seconds in (without_secret, no_signature):
            assert (status, seconds < 1.0) == (400, True)

    on_site(story)


def test_large_bodies_of_strangers_share_some_room_and_ordinary_ones_always_have_theirs() -> None:
    piece = 8 * ORDINARY

    async def story(site: Site) -> None:
        await set_secrets(site)
        held = [
            asyncio.ensure_future(asked_slowly(site, "/api/webhook", pause=4.0, pieces=100, piece=b"x" * piece))
            for _ in range(30)
        ]
        await site.bed.clock.sleep(13.0)
        done = [one.result() for one in held if one.done()]
        # Whoever is refused keeps nothing, and the others not more than there is.
        assert {status for status, _ in done} == {429}
        assert (len(held) - len(done)) * (3 * piece - ORDINARY) <= SHARED
        assert len(done) < len(held)
        assert (await send(site, "github", GITHUB)).status == 200
        await asyncio.gather(*held)
        # Nothing of it is left taken.
        assert site.backend.webhook_room.taken == 0

    on_site(story)
