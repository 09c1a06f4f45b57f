"""grpc-web on the server: the rights of REST, streams, and whatever somebody may send instead of a message."""

from __future__ import annotations

import random
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import pytest

from syncline.server.grpcweb import frames, schema
from syncline.server.grpcweb.codec import Codec
from syncline.server.grpcweb.methods import METHODS, Method
from tests.support.web import PASSWORDS, Browser, Got, Site, app, on_site

KIND = "application/grpc-web+proto"
OPEN = {
    "version.VersionService/Version",
    "cluster.SettingsService/Get",
    "session.SessionService/Create",
    "session.SessionService/GetUserInfo",
}
BY_NAME = {one.name: one for one in METHODS}
APP = "application.ApplicationService"


async def call(browser: Browser, name: str, message: Mapping[str, Any]) -> Got:
    content = frames.data(Codec(schema.shipped()).encode(BY_NAME[name].request, dict(message)))
    return await send(browser, name, content)


async def send(browser: Browser, name: str, body: bytes, kind: str = KIND) -> Got:
    return await browser.using(content_type=kind).ask("POST", f"/{name}", body=body)


def answered(got: Got, name: str) -> Any:
    """Return the message of an answer that went well, and see that the last frame says so."""
    assert (got.status, got.headers.get("grpc-status", "0")) == (200, "0"), got.headers
    length = int.from_bytes(got.body[1:5], "big")
    assert got.body[5 + length :] == b"\x80\x00\x00\x00\x10grpc-status: 0\r\n"
    return Codec(schema.shipped()).decode(BY_NAME[name].response, got.body[5 : 5 + length])


def test_somebody_signs_in_and_sees_what_they_may_see() -> None:
    async def story(site: Site) -> None:
        create, listing = "session.SessionService/Create", f"{APP}/List"
        credentials = {"username": "ann", "password": PASSWORDS["ann"]}
        got = await call(site.nobody, create, credentials)
        assert "set-cookie" not in got.headers, "a command line has no use for it, and a page must not get one this way"
        ann = site.nobody.using(token=answered(got, create)["token"])
        found = answered(await call(ann, listing, {}), listing)
        assert [one["metadata"]["name"] for one in found["items"]] == ["shop"]
        wrong = await call(site.nobody, create, {**credentials, "password": "wrong"})
        assert (wrong.status, wrong.headers["grpc-status"], wrong.body) == (200, "16", b"")

    on_site(story)


def test_rights_are_those_of_rest() -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        there = await call(ann, f"{APP}/Get", {"name": "vault"})
        absent = await call(ann, f"{APP}/Get", {"name": "nothing"})
        assert there.headers == absent.headers
        assert (there.headers["grpc-status"], there.headers["grpc-message"]) == ("7", "permission denied")
        assert (await call(ann, f"{APP}/Delete", {"name": "shop"})).headers["grpc-status"] == "7"
        assert (await call(ann, f"{APP}/PodLogs", {"name": "vault"})).headers["grpc-status"] == "7"
        assert (await call(await site.as_("admin"), f"{APP}/Get", {"name": "no"})).headers["grpc-status"] == "5"

    on_site(story)


def test_nothing_is_told_to_nobody_and_a_cookie_is_not_a_token() -> None:
    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        cookie = "argocd.token=" + admin.headers["authorization"].removeprefix("Bearer ")
        for browser in (site.nobody, site.nobody.using(cookie=cookie), site.nobody.using(token="x.y.z")):
            for method in (one for one in METHODS if one.name not in OPEN):
                got = await call(browser, method.name, filled(method))
                assert (got.headers["grpc-status"], got.body) == ("16", b""), method.name
        # What strangers send is not decoded to see what is wrong with it.
        garbage = await send(site.nobody, f"{APP}/List", frames.data(b"\xff" * 40))
        assert garbage.headers["grpc-status"] == "16"

    on_site(story)


def filled(method: Method) -> dict[str, Any]:
    """Return a message that has what it must have."""
    fields = schema.shipped().messages[method.request].fields
    return {one.json: "shop" for one in fields if one.kind == "string" and not one.repeated}


@pytest.mark.parametrize(
    ("name", "body", "kind", "code", "words"),
    [
        (f"{APP}/List", b"", KIND, "3", "0 bytes"),
        (f"{APP}/List", b"\x00\x00\x00\x00\x09\x0a", KIND, "3", "says 9 bytes"),
        (f"{APP}/List", b"\x01\x00\x00\x00\x00", KIND, "12", "compressed"),
        (f"{APP}/List", frames.data(b"\xff" * 40), KIND, "3", "not a message of the type"),
        (f"{APP}/List", frames.data(b"") * 2, KIND, "12", "one message"),
        (f"{APP}/List", b"\x00" * 3_000_000, KIND, "8", "2,097,152 bytes"),
        (f"{APP}/Dance", frames.data(b""), KIND, "12", "ApplicationService/Dance is not served here"),
        ("../../etc/passwd", frames.data(b""), KIND, "12", "is not served here"),
        (f"{APP}/GetManifestsWithFiles", frames.data(b""), KIND, "12", "stream of files"),
        (f"{APP}/List", frames.data(b""), "application/grpc", "12", "use --grpc-web"),
        (f"{APP}/List", b"AAAAAAA=", "application/grpc-web-text", "12", "use --grpc-web"),
    ],
)
def test_what_is_not_a_call_gets_a_sentence(
    name: str, body: bytes, kind: str, code: str, words: str, answers: dict[tuple[str, bytes, str], Got]
) -> None:
    got = answers[name, body, kind]
    assert (got.status, got.headers["grpc-status"], got.body) == (200, code, b"")
    assert words in got.headers["grpc-message"]


@pytest.fixture(scope="module")
def answers() -> dict[tuple[str, bytes, str], Got]:
    """Answers to all rows of the table, asked once on one server."""
    found: dict[tuple[str, bytes, str], Got] = {}
    rows = test_what_is_not_a_call_gets_a_sentence.pytestmark[0].args[1]  # type: ignore[attr-defined]

    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        for name, body, kind, _code, _words in rows:
            found[name, body, kind] = await send(admin, name, body, kind)

    on_site(story)
    return found


def test_garbage_is_never_an_internal_error() -> None:
    """Messages that are cut, flipped and made up; `on_site` sees that no route stumbled either."""
    chance = random.Random(7)
    codec = Codec(schema.shipped())

    async def story(site: Site) -> None:
        admin = await site.as_("admin")
        for method in (one for one in METHODS if not one.stream and one.name != "session.SessionService/Create"):
            good = codec.encode(method.request, filled(method))
            for content in (good[: len(good) // 2], flipped(good, chance), chance.randbytes(30)):
                got = await send(admin, method.name, frames.data(content))
                assert got.status == 200
                assert got.headers.get("grpc-status", "0") not in ("2", "13"), (method.name, content)

    on_site(story)


def flipped(content: bytes, chance: random.Random) -> bytes:
    made = bytearray(content or b"\x00")
    for _ in range(3):
        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
    return bytes(made)


def test_a_watch_sends_what_is_there_and_what_changes() -> None:
    async def story(site: Site) -> None:
        admin = (await site.as_("admin")).using(content_type=KIND)
        query = codec.encode("application.ApplicationQuery", {"name": "shop", "resourceVersion": "999999"})
        rest = b""
        async with aclosing(admin._exchange("POST", f"/{APP}/Watch", frames.data(query), {})) as messages:
            kinds: list[str] = []
            async for one in messages:
                rest += one.get("body", b"")
                while len(rest) >= 5 and len(rest) >= 5 + int.from_bytes(rest[1:5], "big"):
                    length = int.from_bytes(rest[1:5], "big")
                    event = codec.decode("v1alpha1.ApplicationWatchEvent", rest[5 : 5 + length])
                    rest = rest[5 + length :]
                    assert event["application"]["metadata"]["name"] == "shop"
                    kinds.append(event["type"])
                    if len(kinds) == 1:
                        changed = app("shop", "team", site.backend.namespace)
                        changed["metadata"]["labels"]["new"] = "label"
                        await site.bed.apply(changed)
                if len(kinds) == 2:
                    break
        # Who names one Application is told how it is, whichever version they know.
        assert kinds == ["ADDED", "MODIFIED"]
        await site.settle()
        assert len(site.backend.feed) == 0, "nobody listens any more"

    codec = Codec(schema.shipped())
    on_site(story)
