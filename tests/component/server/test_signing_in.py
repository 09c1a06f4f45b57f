"""Sessions: who gets one, what ends it, and how little a stranger learns (security rows H1, I1, I2)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from typing import Any

import orjson
import pytest

from syncline.server.access.bootstrap import ensure_keys
from tests.support.web import PASSWORDS, CountedSecrets, Got, PlainPasswords, Site, on_site, secret

KEY = b"the key of this installation, thirty-two bytes and more"
USER_INFO = "/api/v1/session/userinfo"
APPS = "/api/v1/applications"


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(value)).rstrip(b"=").decode()


def signed(claims: dict[str, Any], *, key: bytes = KEY, alg: str = "HS256") -> str:
    """Return a token made by hand, so that nothing here rests on the code under test."""
    head = f"{encoded({'alg': alg, 'typ': 'JWT'})}.{encoded(claims)}"
    digest = hmac.new(key, head.encode(), hashlib.sha256).digest()
    return f"{head}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


async def sign_in(site: Site, name: str, password: str) -> Got:
    return await site.nobody.post("/api/v1/session", {"username": name, "password": password})


def test_the_right_password_brings_a_token_and_a_cookie_that_pages_cannot_read() -> None:
    async def story(site: Site) -> None:
        answer = await sign_in(site, "ann", PASSWORDS["ann"])
        assert answer.status == 200
        told = answer.headers["set-cookie"].lower()
        assert "httponly" in told
        assert "samesite=lax" in told
        info = (await site.nobody.using(cookie=answer.cookie).get(USER_INFO)).json
        assert (info["loggedIn"], info["username"]) == (True, "ann")
        assert (await site.nobody.get(USER_INFO)).json == {}

    on_site(story)


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": "admin:login"},
        {"sub": "admin"},
        {"sub": "ann:apiKey", "jti": "kept"},
        {"sub": "proj:team:ci", "jti": "kept"},
    ],
)
def test_a_token_that_argo_cd_signed_is_good(claims: dict[str, Any]) -> None:
    async def story(site: Site) -> None:
        now = int(site.bed.clock.now().timestamp())
        await keep_tokens(site, now)
        token = signed({"iss": "argocd", "iat": now, "nbf": now, "jti": "x", **claims})
        assert (await site.nobody.showing(token).get(APPS)).status == 200

    on_site(story)


async def keep_tokens(site: Site, now: int) -> None:
    """Store tokens of an account and of a project's role."""
    text = base64.b64encode(orjson.dumps([{"id": "kept", "iat": now}])).decode()
    await site.bed.patch("Secret", "argocd-secret", {"data": {"accounts.ann.tokens": text}}, "v1", site.bed.control)
    team = await site.bed.get("AppProject", "team", "argoproj.io/v1alpha1", site.bed.control)
    assert team is not None
    roles = [{**team["spec"]["roles"][0], "jwtTokens": [{"iat": now, "id": "kept"}]}]
    await site.bed.patch("AppProject", "team", {"spec": {"roles": roles}}, "argoproj.io/v1alpha1", site.bed.control)
    await site.settle()


def test_a_token_is_refused_that_is_forged_old_or_of_somebody_who_is_gone() -> None:
    async def story(site: Site) -> None:
        now = int(site.bed.clock.now().timestamp())
        await keep_tokens(site, now)
        good = {"iss": "argocd", "sub": "admin:login", "iat": now, "nbf": now, "jti": "x"}
        none = f"{encoded({'alg': 'none'})}.{encoded(good)}."
        bad = {
            "no algorithm": none,
            "another key": signed(good, key=b"guess"),
            "another algorithm": signed(good, alg="RS256"),
            "said to be HS512": signed(good, alg="HS512"),
            "expired": signed({**good, "exp": now - 1}),
            "not yet": signed({**good, "nbf": now + 3600}),
            "another issuer": signed({**good, "iss": "evil"}),
            "no issuer": signed({name: value for name, value in good.items() if name != "iss"}),
            "no subject": signed({name: value for name, value in good.items() if name != "sub"}),
            "an account that nobody has": signed({**good, "sub": "mallory:login"}),
            "a login of an account for keys": signed({**good, "sub": "ben:apiKey"}),
            "a deleted key": signed({**good, "sub": "ann:apiKey", "jti": "gone"}),
            "a deleted token of a project": signed({**good, "sub": "proj:team:ci", "jti": "gone", "iat": now - 9}),
            "a role that is not there": signed({**good, "sub": "proj:team:boss", "jti": "kept"}),
            "a project that is not there": signed({**good, "sub": "proj:none:ci", "jti": "kept"}),
            "before the password": signed({**good, "iat": 1_000_000_000}),
            "half a token": signed(good)[:-20],
            "not a token": "rubbish",
            "claims that are no object": f"{encoded({'alg': 'HS256'})}.{encoded([1])}.x",
            "endless": "a" * 100_000,
        }
        assert (await site.nobody.showing(signed(good)).get(APPS)).status == 200
        for what, token in bad.items():
            for shown in (site.nobody.showing(token), site.nobody.using(cookie=f"argocd.token={token}")):
                answer = await shown.get(APPS)
                assert (answer.status, answer.json["code"]) == (401, 16), what

    on_site(story)


def test_forged_claims_count_for_nothing_where_people_may_look_without_login() -> None:
    async def story(site: Site) -> None:
        now = int(site.bed.clock.now().timestamp())
        forged = signed({"iss": "argocd", "sub": "admin:login", "iat": now, "jti": "x"}, key=b"guess")
        assert (await site.nobody.get(APPS)).json["items"] == []
        assert (await site.nobody.showing(forged).get(APPS)).status == 401
        assert (await site.nobody.post(f"{APPS}/shop/sync", {})).status == 403

    on_site(story, anonymous=True)


def test_signing_out_ends_the_token_and_disabling_or_a_new_password_end_all() -> None:
    async def story(site: Site) -> None:
        ann, ben = await site.as_("ann"), await site.as_("ben")
        assert (await ann.delete("/api/v1/session")).status == 200
        assert (await ann.get(APPS)).status == 401
        change = {"data": {"accounts.ben.enabled": "false"}}
        await site.bed.patch("ConfigMap", "argocd-cm", change, "v1", site.bed.control)
        await site.settle()
        assert (await ben.get(APPS)).status == 401
        admin = await site.as_("admin")
        await site.bed.clock.sleep(2)
        wish = {"currentPassword": PASSWORDS["admin"], "newPassword": "a better horse"}
        assert (await admin.put("/api/v1/account/password", {**wish, "currentPassword": "no"})).status == 400
        assert (await admin.put("/api/v1/account/password", {**wish, "newPassword": "short"})).status == 400
        assert (await admin.put("/api/v1/account/password", wish)).status == 200
        assert (await admin.get(APPS)).status == 401
        assert (await sign_in(site, "admin", PASSWORDS["admin"])).status == 401
        assert (await sign_in(site, "admin", "a better horse")).status == 200

    on_site(story)


def test_five_wrong_guesses_lock_an_account_in_whatever_order_they_come() -> None:
    async def story(site: Site) -> None:
        for _ in range(5):
            assert (await sign_in(site, "ann", "wrong")).status == 401
        for number in range(50):
            await sign_in(site, f"made-up-{number}", "wrong")
        locked = await sign_in(site, "ann", PASSWORDS["ann"])
        unknown = await sign_in(site, "nobody-here", "wrong")
        assert locked.status == 401
        assert locked.body == unknown.body
        assert (await sign_in(site, "ben", PASSWORDS["ben"])).status == 200
        await site.bed.clock.sleep(301)
        assert (await sign_in(site, "ann", PASSWORDS["ann"])).status == 200

    on_site(story)


def test_guesses_at_the_same_time_do_not_pass_the_limit_together() -> None:
    async def story(site: Site) -> None:
        answers = await asyncio.gather(*(sign_in(site, "ann", "wrong") for _ in range(40)))
        assert {answer.status for answer in answers} == {401}
        assert (await sign_in(site, "ann", PASSWORDS["ann"])).status == 401
        together = await asyncio.gather(*(sign_in(site, "eve", "wrong") for _ in range(60)))
        assert 429 in {answer.status for answer in together}

    on_site(story)


def test_a_restart_does_not_forget_the_guesses() -> None:
    async def story(site: Site) -> None:
        for _ in range(5):
            await sign_in(site, "ann", "wrong")
        kept = await site.bed.get("ConfigMap", "syncline-login-failures", "v1", site.bed.control)
        assert kept is not None
        assert kept["data"]["ann"].startswith("5 ")
        throttle = type(site.backend.sessions._throttle)(site.backend.world, site.backend.live, lambda _words: None)
        await site.settle()
        assert throttle.is_locked("ann")
        assert not throttle.is_locked("ben")

    on_site(story)


@pytest.mark.parametrize(("name", "status"), [("x" * 33, 400), ("ä" * 17, 400), ("", 401), ("ann\0", 401)])
def test_a_name_that_cannot_be_one_is_refused(name: str, status: int) -> None:
    async def story(site: Site) -> None:
        assert (await sign_in(site, name, "wrong")).status == status

    on_site(story)


def test_an_unknown_name_costs_as_much_as_a_wrong_password() -> None:
    async def story(site: Site) -> None:
        for name in ("ann", "nobody-here", ""):
            before = site.passwords.asked
            await sign_in(site, name, "wrong")
            assert site.passwords.asked - before == (1 if name else 0)

    on_site(story)


def test_a_link_signs_in_once() -> None:
    async def story(site: Site) -> None:
        code = site.backend.links.new()
        first = await site.nobody.get(f"/login/once?code={code}")
        assert (first.status, first.headers["location"]) == (303, "/")
        assert (await site.nobody.using(cookie=first.cookie).get(APPS)).status == 200
        for again in (code, "guess", ""):
            assert (await site.nobody.get(f"/login/once?code={again}")).status == 401
        # In a browser it is a page: the fleet for whoever is signed in, how to sign in for anybody else.
        browser = site.nobody.using(accept="text/html,*/*")
        used = await browser.get(f"/login/once?code={code}")
        assert (used.status, used.headers["location"], used.cookie) == (303, "/login?link=used", "")
        known = await browser.using(cookie=first.cookie).get(f"/login/once?code={code}")
        assert (known.status, known.headers["location"]) == (303, "/")

    on_site(story)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/applications", "/fleet"),
        ("/applications/web", "/apps/web"),
        ("/applications/team-a/web", "/apps/web"),
        ("/applications/argocd/a%20b", "/apps/a%20b"),
    ],
)
def test_addresses_of_argocds_page_lead_to_ours(path: str, to: str) -> None:
    async def story(site: Site) -> None:
        answer = await site.nobody.get(path)
        assert (answer.status, answer.headers["location"]) == (307, to)

    on_site(story)


def test_a_new_installation_gets_a_key_and_a_password_that_is_only_in_its_secret() -> None:
    async def story(site: Site) -> None:
        bed, passwords = site.bed, PlainPasswords()
        before = secret(bed.control)["data"]
        home, clock, chance = site.backend.home, bed.clock, CountedSecrets()
        assert await ensure_keys(home, bed.control, passwords, chance, clock) == ""
        kept = await bed.get("Secret", "argocd-secret", "v1", bed.control)
        assert kept is not None
        assert kept["data"] == before
        await bed.delete("Secret", "argocd-secret", "v1", bed.control)
        assert await ensure_keys(home, bed.control, passwords, chance, clock) == "argocd-initial-admin-secret"
        made = await bed.get("Secret", "argocd-initial-admin-secret", "v1", bed.control)
        assert made is not None
        password = base64.b64decode(made["data"]["password"]).decode()
        await site.settle()
        assert (await sign_in(site, "admin", password)).status == 200

    on_site(story)
