"""A session that was ended stays ended: for this server, for the next one, and for no longer than its token lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from syncline.controller.live.cluster import LiveCluster
from syncline.sandbox.cluster.controls import Controls, Denial
from syncline.server.access.revoked import KEPT_IN
from syncline.server.app import ServerTools, application, prepared
from syncline.server.backend import Reached
from tests.support.web import Browser, CountedSecrets, PlainPasswords, Site, on_site

APPS = "/api/v1/applications"


@asynccontextmanager
async def restarted(site: Site) -> AsyncIterator[Browser]:
    """Start another server on the same cluster, which knows nothing but what is stored."""
    world = site.bed.world()
    live = LiveCluster(world.home, world.settings, world.clock, on_change=lambda _obj: None)
    await live.start()
    await live.ready()
    try:
        async with prepared(
            world, live, ServerTools(passwords=PlainPasswords(), secrets=CountedSecrets()), Reached()
        ) as backend:
            yield Browser(application(backend))
    finally:
        await live.stop()


def token(browser: Browser) -> str:
    return browser.headers["authorization"]


def test_a_token_stays_refused_after_a_restart_and_others_of_the_same_person_stay_good() -> None:
    async def story(site: Site) -> None:
        first, second = await site.as_("ann"), await site.as_("ann")
        assert (await first.delete("/api/v1/session")).status == 200
        async with restarted(site) as after:
            refused = await after.using(authorization=token(first)).get(APPS)
            assert (refused.status, refused.json["message"]) == (401, "token is revoked, please re-login")
            assert (await after.using(authorization=token(second)).get(APPS)).status == 200

    on_site(story)


def test_what_is_kept_tells_no_token_and_goes_when_the_token_has_expired() -> None:
    async def story(site: Site) -> None:
        async def kept() -> dict[str, str]:
            found = await site.bed.get("ConfigMap", KEPT_IN, "v1", site.bed.control)
            assert found is not None
            data: dict[str, str] = found["data"]
            return data

        first = await site.as_("ann")
        assert (await first.delete("/api/v1/session")).status == 200
        (name,) = await kept()
        assert name not in token(first)
        await site.bed.clock.sleep(25 * 3600)
        second = await site.as_("ann")
        assert (await second.delete("/api/v1/session")).status == 200
        assert name not in await kept()
        assert len(await kept()) == 1

    on_site(story)


def test_sessions_that_end_at_the_same_time_are_all_kept() -> None:
    async def story(site: Site) -> None:
        browsers = [await site.as_("ann") for _ in range(8)]
        assert {one.status for one in await asyncio.gather(*(one.delete("/api/v1/session") for one in browsers))} == {
            200
        }
        async with restarted(site) as after:
            for one in browsers:
                assert (await after.using(authorization=token(one)).get(APPS)).status == 401

    on_site(story)


def test_where_nothing_may_be_written_that_is_told_once_and_the_session_ends_all_the_same() -> None:
    said: list[str] = []

    async def story(site: Site) -> None:
        assert site.bed.sandbox is not None
        denied = Denial(verbs=("patch", "create", "update"), resources=("configmaps",))
        site.bed.sandbox.controls = Controls(denials=(denied,))
        for _ in range(2):
            ann = await site.as_("ann")
            assert (await ann.delete("/api/v1/session")).status == 200
            assert (await ann.get(APPS)).status == 401
        (words,) = said
        assert words.startswith(f"sessions that were ended are good again after a restart, for the ConfigMap {KEPT_IN}")
        assert "forbidden" in words
        # A login that fails says what else a restart forgets.
        await site.nobody.post("/api/v1/session", {"username": "ann", "password": "guess"})
        assert said[1].startswith("a restart forgets failed logins, for the ConfigMap syncline-login-failures")
        site.bed.sandbox.controls = Controls()
        assert (await (await site.as_("ann")).delete("/api/v1/session")).status == 200
        site.bed.sandbox.controls = Controls(denials=(denied,))
        assert (await (await site.as_("ann")).delete("/api/v1/session")).status == 200
        assert said[2] == words

    on_site(story, say=said.append)
