"""Tokens of an OpenID Connect provider: which are good, whose rights they have, and how often its keys are asked for.

The provider here is a key pair and three answers, in virtual time; a real one judges whole logins in `tests.dex`.
Security rows H1 and H2.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import orjson
from joserfc import jwt
from joserfc.jwk import RSAKey

from syncline.ports.web import WebAnswer, WebRequest
from tests.support.web import Browser, Got, Site, on_site

ISSUER = "https://login.example.com"
CONFIG = {
    "url": "http://localhost:8080",
    "oidc.config": f"issuer: {ISSUER}\nclientID: syncline\nclientSecret: $server.secretkey\n",
}
POLICY = "g, authors, role:readonly\n"
APPS = "/api/v1/applications"
KEYS = RSAKey.generate_key(2048, {"kid": "one"})
OTHER = RSAKey.generate_key(2048, {"kid": "two"})


class PlayedProvider:
    """Answers as a provider does; `token` is what it gives for any code."""

    def __init__(self) -> None:
        self.asked: list[WebRequest] = []
        self.token = ""
        self.issuer = ISSUER
        self.takes = 0.0

    async def ask(self, request: WebRequest) -> WebAnswer:
        """Return the answer of one of its three addresses."""
        self.asked.append(request)
        await asyncio.sleep(self.takes)
        path = request.url.removeprefix(ISSUER)
        answers: dict[str, Any] = {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer,
                "authorization_endpoint": f"{ISSUER}/authorize",
                "token_endpoint": f"{ISSUER}/token",
                "jwks_uri": f"{ISSUER}/keys",
            },
            "/keys": {"keys": [KEYS.as_dict(private=False)]},
            "/token": {"id_token": self.token},
        }
        return WebAnswer(200, {}, orjson.dumps(answers[path]))

    def times(self, path: str) -> int:
        """Return how often an address was asked."""
        return sum(request.url == f"{ISSUER}{path}" for request in self.asked)


def claims(site: Site, **more: Any) -> dict[str, Any]:
    now = int(site.bed.clock.now().timestamp())
    usual = {"iss": ISSUER, "sub": "kilgore", "aud": "syncline", "iat": now, "exp": now + 600, "groups": ["authors"]}
    return {name: value for name, value in {**usual, **more}.items() if value is not None}


def signed(content: dict[str, Any], key: Any = KEYS, alg: str = "RS256", kid: str = "one") -> str:
    return jwt.encode({"alg": alg, "kid": kid}, content, key, algorithms=[alg])


def by_hand(value: Any) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(value)).rstrip(b"=").decode()


def with_public_key(content: dict[str, Any]) -> str:
    """Return a token signed with what everybody knows, as if that were a shared secret."""
    head = f"{by_hand({'alg': 'HS256', 'kid': 'one'})}.{by_hand(content)}"
    digest = hmac.new(KEYS.as_pem(private=False), head.encode(), hashlib.sha256).digest()
    return f"{head}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def on_provided(story: Any) -> None:
    provider = PlayedProvider()

    async def told(site: Site) -> None:
        await story(site, provider)

    on_site(told, policy=POLICY, web=provider, config=CONFIG)


def test_a_token_of_the_provider_is_good_and_its_groups_have_their_rights() -> None:
    async def story(site: Site, _provider: PlayedProvider) -> None:
        kilgore = site.nobody.showing(signed(claims(site)))
        assert len((await kilgore.get(APPS)).json["items"]) == 2
        assert (await kilgore.post(f"{APPS}/shop/sync", {})).status == 403
        nobody = site.nobody.showing(signed(claims(site, groups=["readers"])))
        assert (await nobody.get(APPS)).json["items"] == []
        for audience in (["x", "syncline"], "syncline"):
            assert (await site.nobody.showing(signed(claims(site, aud=audience))).get(APPS)).status == 200

    on_provided(story)


def test_a_token_is_refused_that_the_provider_did_not_sign_for_us_and_now() -> None:
    async def story(site: Site, _provider: PlayedProvider) -> None:
        good = claims(site)
        now = good["iat"]
        bad = {
            "no algorithm": f"{by_hand({'alg': 'none'})}.{by_hand(good)}.",
            "the public key as a secret": with_public_key(good),
            "another key under a known name": signed(good, OTHER),
            "a key that nobody knows": signed(good, OTHER, kid="two"),
            "expired": signed(claims(site, exp=now - 1)),
            "without an end": signed(claims(site, exp=None)),
            "not yet": signed(claims(site, nbf=now + 3600)),
            "for somebody else": signed(claims(site, aud="other")),
            "for others": signed(claims(site, aud=["a", "b"])),
            "for nobody": signed(claims(site, aud=None)),
            "of another issuer": signed(claims(site, iss="https://evil.example")),
            "of nobody": signed(claims(site, sub=None)),
            "as if it were ours": signed(claims(site, iss="argocd")),
        }
        for what, token in bad.items():
            for shown in (site.nobody.showing(token), site.nobody.using(cookie=f"argocd.token={token}")):
                assert (await shown.get(APPS)).status == 401, what

    on_provided(story)


def test_made_up_keys_do_not_make_the_server_ask_the_provider_each_time() -> None:
    async def story(site: Site, provider: PlayedProvider) -> None:
        assert (await site.nobody.showing(signed(claims(site))).get(APPS)).status == 200
        for number in range(50):
            token = signed(claims(site), OTHER, kid=f"made-up-{number}")
            assert (await site.nobody.showing(token).get(APPS)).status == 401
        assert provider.times("/keys") <= 2

    on_provided(story)


def test_good_tokens_do_not_wait_for_a_provider_that_is_asked_about_a_made_up_key() -> None:
    async def story(site: Site, provider: PlayedProvider) -> None:
        good = site.nobody.showing(signed(claims(site)))
        assert (await good.get(APPS)).status == 200
        await site.bed.clock.sleep(30.0)
        provider.takes = 14.0
        forged = site.nobody.showing(signed(claims(site), OTHER, kid="made-up"))
        asking = asyncio.ensure_future(forged.get(APPS))
        await site.bed.clock.sleep(1.0)
        begun = site.bed.clock.monotonic()
        assert (await good.get(APPS)).status == 200
        assert site.bed.clock.monotonic() - begun < 1.0
        assert not asking.done(), "the provider has not answered yet"
        assert (await asking).status == 401

    on_provided(story)


def test_a_provider_that_says_it_is_another_is_not_believed() -> None:
    async def story(site: Site, provider: PlayedProvider) -> None:
        provider.issuer = "https://evil.example"
        assert (await site.nobody.get("/auth/login")).status == 503
        assert (await site.nobody.showing(signed(claims(site))).get(APPS)).status in (401, 503)

    on_provided(story)


async def begun(browser: Browser) -> tuple[Got, dict[str, str]]:
    answer = await browser.get("/auth/login?return_url=/applications")
    assert answer.status == 303
    return answer, dict(parse_qsl(urlsplit(answer.headers["location"]).query))


def test_a_login_takes_the_answer_to_its_own_question_alone() -> None:
    async def story(site: Site, provider: PlayedProvider) -> None:
        answer, asked = await begun(site.nobody)
        mine = site.nobody.using(cookie=answer.cookie)
        # Signed, for us, and the answer to another login.
        provider.token = signed(claims(site, nonce="another"))
        assert (await mine.get(f"/auth/callback?code=c&state={asked['state']}")).status == 401
        answer, asked = await begun(site.nobody)
        mine = site.nobody.using(cookie=answer.cookie)
        provider.token = signed(claims(site, nonce=asked["nonce"]))
        for stranger in (site.nobody, site.nobody.using(cookie="syncline.login=made-up")):
            assert (await stranger.get(f"/auth/callback?code=c&state={asked['state']}")).status == 401
        home = await mine.get(f"/auth/callback?code=c&state={asked['state']}")
        assert (home.status, home.headers["location"]) == (303, "/applications")
        (sent,) = [dict(parse_qsl(one.body.decode())) for one in provider.asked[-1:] if one.body]
        assert len(sent["code_verifier"]) >= 43
        # Three minutes are enough for a login.
        answer, asked = await begun(site.nobody)
        await site.bed.clock.sleep(181)
        late = site.nobody.using(cookie=answer.cookie)
        assert (await late.get(f"/auth/callback?code=c&state={asked['state']}")).status == 401

    on_provided(story)


def test_a_login_goes_back_to_pages_of_ours_alone() -> None:
    async def story(site: Site, _provider: PlayedProvider) -> None:
        for wanted in ("https://evil.example", "//evil.example", "javascript:alert(1)", "/%5Cevil.example"):
            assert (await site.nobody.get(f"/auth/login?return_url={wanted}")).status == 400, wanted

    on_provided(story)


def test_nothing_of_the_configuration_is_told_that_is_secret() -> None:
    async def story(site: Site, provider: PlayedProvider) -> None:
        told = await site.nobody.get("/api/v1/settings")
        assert told.json["oidcConfig"]["issuer"] == ISSUER
        assert b"thirty-two bytes" not in told.body
        answer, asked = await begun(site.nobody)
        provider.token = "rubbish"
        refused = await site.nobody.using(cookie=answer.cookie).get(f"/auth/callback?code=c0de&state={asked['state']}")
        assert refused.status == 401
        assert not [text for text in (b"thirty-two", b"rubbish", b"c0de") if text in refused.body]

    on_provided(story)


def test_without_its_provider_a_server_still_takes_passwords_from_those_who_have_an_old_cookie() -> None:
    async def story(site: Site, provider: PlayedProvider) -> None:
        kilgore = site.nobody.using(cookie=f"argocd.token={signed(claims(site))}")
        provider.issuer = "https://another.example"
        assert (await kilgore.get(APPS)).status == 503
        assert (await kilgore.get("/api/v1/settings")).status == 200
        login = await kilgore.post("/api/v1/session", {"username": "ann", "password": "ann's own"})
        assert login.status == 200

    on_provided(story)


def test_the_configuration_is_read_again_when_it_or_a_secret_of_it_changes_and_only_then() -> None:
    async def story(site: Site, _provider: PlayedProvider) -> None:
        first = site.backend.provider.config()
        assert site.backend.provider.config() is first
        await site.bed.patch(
            "Secret", "argocd-secret", {"stringData": {"server.secretkey": "another key"}}, "v1", site.bed.control
        )
        await site.settle()
        second = site.backend.provider.config()
        assert (first and first.secret, second and second.secret) == (
            "the key of this installation, thirty-two bytes and more",
            "another key",
        )
        await site.bed.patch("ConfigMap", "argocd-cm", {"data": {"oidc.config": "["}}, "v1", site.bed.control)
        await site.settle()
        assert "not YAML" in (await site.nobody.get("/api/v1/settings")).json["ssoProblem"]

    on_provided(story)


def test_a_provider_makes_nobody_a_local_account_a_role_or_a_token_of_a_project() -> None:
    async def story(site: Site, _provider: PlayedProvider) -> None:
        for name in ("admin", "ann", "role:admin", "proj:team:ci"):
            for more in ({"sub": name}, {"federated_claims": {"user_id": name}}, {"groups": [name, "admin"]}):
                shown = {"groups": [], **more}
                somebody = site.nobody.showing(signed(claims(site, **shown)))
                assert (await somebody.get(APPS)).json["items"] == [], shown
                assert (await somebody.post(f"{APPS}/shop/sync", {})).status == 403
                assert (await somebody.get("/api/v1/account")).json["items"] == []
                assert (await somebody.get("/api/v1/account/ann")).status == 403
                assert (await somebody.post("/api/v1/account/ann/token", {})).status == 403
        # Who is named like an account keeps the rights of the groups.
        ann = site.nobody.showing(signed(claims(site, sub="ann")))
        assert len((await ann.get(APPS)).json["items"]) == 2
        assert (await ann.get("/api/v1/account/ann")).status == 200, "readonly may see accounts"
        assert (await ann.post("/api/v1/account/ann/token", {})).status == 403
        assert (await ann.get("/api/v1/session/userinfo")).json["username"] == "sso:ann"

    on_provided(story)
