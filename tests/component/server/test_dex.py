"""The Dex of `dex.config`: started, started again, passed requests to, and missed with a clear word.

Here a played program stands for it, in virtual time; a real one judges whole logins in `tests.dex`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from syncline.ports.auth import DexError
from syncline.ports.web import WebAnswer, WebRequest
from tests.support.web import Site, on_site

CONNECTORS = "connectors: [{type: mockCallback, id: mock, name: Mock}]\n"
CONFIG = {"url": "http://localhost:8080", "dex.config": CONNECTORS}


class PlayedDex:
    """The program and all that it has started."""

    def __init__(self) -> None:
        self.started: list[PlayedRun] = []
        self.refuses = ""

    async def start(self, config: Mapping[str, Any]) -> PlayedRun:
        if self.refuses:
            raise DexError(self.refuses)
        self.started.append(PlayedRun(config))
        return self.started[-1]

    @property
    def running(self) -> list[PlayedRun]:
        return [one for one in self.started if not one.stopped]


class PlayedRun:
    """One that runs."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.config = config
        self.asked: list[tuple[str, WebRequest]] = []
        self.end: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.stopped = False

    async def ask(self, path: str, request: WebRequest) -> WebAnswer:
        self.asked.append((path, request))
        headers = {"location": "/api/dex/auth/mock", "content-type": "text/html", "server": "dex", "set-cookie": "a=b"}
        return WebAnswer(302, headers, b"<a href=/>Found</a>")

    async def ended(self) -> str:
        return await asyncio.shield(self.end)

    async def stop(self) -> None:
        self.stopped = True


def on_dex(story: Any, config: Mapping[str, str] = CONFIG, *, program: PlayedDex | None = None) -> None:
    said: list[str] = []

    async def told(site: Site) -> None:
        await site.settle()
        await story(site, said)

    on_site(told, config=dict(config), dex=program, say=said.append)


async def configure(site: Site, **entries: str | None) -> None:
    await site.bed.patch("ConfigMap", "argocd-cm", {"data": entries}, "v1", site.bed.control)
    await site.settle()


def test_dex_runs_with_what_is_configured_and_is_started_again_when_that_changes() -> None:
    program = PlayedDex()

    async def story(site: Site, said: list[str]) -> None:
        assert [one.config["issuer"] for one in program.running] == ["http://localhost:8080/api/dex"]
        assert said == ["Dex runs for http://localhost:8080/api/dex"]
        # Whatever else changes is no reason to log everybody out.
        await configure(site, **{"help.chatText": "ask us"})
        assert len(program.started) == 1
        await configure(site, **{"dex.config": CONNECTORS.replace("Mock}", "Other}")})
        assert [one.config["connectors"][0]["name"] for one in program.running] == ["Other"]
        await configure(site, **{"dex.config": None})
        assert program.running == []
        assert (await site.nobody.get("/api/dex/auth")).status == 404

    on_dex(story, program=program)
    assert program.running == []


def test_one_that_ends_is_started_again_after_a_pause_and_its_last_words_hold_no_secret() -> None:
    program = PlayedDex()

    async def story(site: Site, said: list[str]) -> None:
        secret = program.started[0].config["staticClients"][0]["secret"]
        program.started[0].end.set_result(f"out of memory near {secret}")
        await site.bed.clock.sleep(5)
        assert len(program.running) == 1
        assert len(program.started) == 2
        assert said[1] == "Dex ended: out of memory near ***"

    on_dex(story, program=program)


def test_one_that_cannot_start_is_tried_again_ever_more_seldom() -> None:
    program = PlayedDex()
    program.refuses = "Dex ended: no such connector"

    async def story(site: Site, said: list[str]) -> None:
        answer = await site.nobody.get("/api/dex/auth")
        assert (answer.status, answer.json["message"]) == (503, "Dex ended: no such connector")
        login = await site.nobody.get("/auth/login")
        assert (login.status, "no such connector" in login.json["message"]) == (503, True)
        await site.bed.clock.sleep(600)
        # Once is enough for whoever reads the log.
        assert said == ["Dex ended: no such connector"]
        program.refuses = ""
        await site.bed.clock.sleep(61)
        assert len(program.running) == 1

    on_dex(story, program=program)


def test_without_the_program_that_is_said_at_the_start_and_to_whoever_wants_to_log_in() -> None:
    async def story(site: Site, said: list[str]) -> None:
        (words,) = said
        assert "no program named dex" in words
        assert "--dex" in words
        assert (await site.nobody.get("/auth/login")).json["message"].endswith(words)
        # Passwords are good all the same.
        assert (await (await site.as_("ann")).get("/api/v1/applications")).status == 200

    on_dex(story)


def test_requests_are_passed_on_without_the_session_and_answers_with_what_a_login_needs() -> None:
    program = PlayedDex()

    async def story(site: Site, _said: list[str]) -> None:
        token = (await site.as_("ann")).headers["authorization"].removeprefix("Bearer ")
        browser = site.nobody.using(cookie=f"argocd.token={token}; syncline.login=x; dex=kept", x_other="dropped")
        answer = await browser.ask("GET", "/api/dex/auth/a%2Fb?state=x%20y")
        (path, request), *_ = program.started[0].asked
        assert path == "/api/dex/auth/a%2Fb?state=x%20y"
        assert dict(request.headers) == {"cookie": "dex=kept"}
        assert (answer.status, answer.headers["location"]) == (302, "/api/dex/auth/mock")
        assert answer.headers["set-cookie"] == "a=b"
        assert "server" not in answer.headers
        policy = answer.headers["content-security-policy"]
        assert "script-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        # A provider posts back to Dex from its own page.
        posted = browser.using(origin="https://idp.example", content_type="application/x-www-form-urlencoded")
        assert (await posted.ask("POST", "/api/dex/callback", body=b"SAMLResponse=x")).status == 302
        assert program.started[0].asked[1][1].body == b"SAMLResponse=x"
        big = await posted.ask("POST", "/api/dex/callback", body=b"x" * (1024 * 1024 + 1))
        assert big.status == 413

    on_dex(story, program=program)


def test_clients_are_told_the_connectors_and_no_more() -> None:
    async def story(site: Site, _said: list[str]) -> None:
        told = await site.nobody.get("/api/v1/settings")
        assert told.json["dexConfig"] == {"connectors": [{"name": "Mock", "type": "mockCallback"}]}
        assert "oidcConfig" not in told.json

    on_dex(story, program=PlayedDex())
