"""H2 and item 17: a provider that lies about names, groups and audiences makes nobody an administrator.

The provider is attacked from two sides: as `oidc.config` itself, and behind a real Dex, which passes on what it says.
"""

from __future__ import annotations

import base64
import json
import pathlib
import subprocess
import urllib.parse
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.dex import build as dex_build
from tests.dex.running import Page, _until_listening, followed, free_port, visit
from tests.hostile import oracle
from tests.hostile.client import Client
from tests.hostile.installation import HOME, Installation, config_map, settings
from tests.hostile.provider import CLIENT, LyingProvider, lying
from tests.real.build import BuildError

SECRET = "known-to-both"
RIGHTS = ("clusters/get/*", "projects/delete/default", "applications/delete/team-b/neighbour", "accounts/update/admin")


@pytest.fixture(scope="module")
def provider() -> Iterator[LyingProvider]:
    with lying() as made:
        yield made


@pytest.fixture(scope="module")
def direct(installation: Installation, provider: LyingProvider) -> Iterator[LyingProvider]:
    """The installation trusts the lying provider."""
    _configure(installation, provider.issuer)
    yield provider
    installation.apply(config_map("argocd-cm", HOME, settings(installation)))


def _configure(installation: Installation, issuer: str) -> None:
    config = {
        "name": "Provider",
        "issuer": issuer,
        "clientID": CLIENT,
        "clientSecret": "$oidc.clientSecret",
        "requestedScopes": ["openid", "profile", "email", "groups", "federated:id"],
    }
    data = {"oidc.clientSecret": base64.b64encode(SECRET.encode()).decode()}
    path = f"/api/v1/namespaces/{HOME}/secrets/argocd-secret"
    installation.api.ok("PATCH", path, {"data": data}, content_type="application/merge-patch+json")
    installation.apply(config_map("argocd-cm", HOME, {**settings(installation), "oidc.config": yaml.safe_dump(config)}))

    def seen() -> bool:
        return _begun(installation).location.startswith(issuer)

    installation.until(seen, "the new provider", 60)


def _begun(installation: Installation) -> Page:
    return visit(f"http://127.0.0.1:{installation.server_port}/auth/login?return_url=/applications")


def _login(installation: Installation) -> Page:
    """Log in by the provider, and return the answer of the server to what the provider said."""
    first = _begun(installation)
    back = followed(first.location, f"http://127.0.0.1:{installation.server_port}/auth/callback")
    return visit(back, first.cookies)


def _rights(installation: Installation, page: Page) -> list[str]:
    """Return what a session may do that no stranger may."""
    token = page.cookies.get("argocd.token", "")
    if not token:
        return []
    client = Client(installation.server_port, cookie=token)
    found = [right for right in RIGHTS if client.get(f"/api/v1/account/can-i/{right}").text == '{"value":"yes"}']
    apps = client.get("/api/v1/applications")
    if apps.status == 200 and apps.json.get("items"):
        found.append("reads Applications")
    return found


NAMES: dict[str, dict[str, Any]] = {
    "sub-admin": {"sub": "admin"},
    "sub-alice": {"sub": "alice"},
    "sub-role": {"sub": "role:admin"},
    "sub-project": {"sub": "proj:team-a:ci"},
    "user-id-admin": {"federated_claims": {"connector_id": "x", "user_id": "admin"}},
    "user-id-role": {"federated_claims": {"connector_id": "x", "user_id": "role:admin"}},
    "user-id-project": {"federated_claims": {"connector_id": "x", "user_id": "proj:team-a:ci"}},
    "group-role": {"groups": ["role:admin"]},
    "group-admin": {"groups": ["admin"]},
    "group-alice": {"groups": ["alice", "role:team-a"]},
    "group-project": {"groups": ["proj:team-a:ci"]},
    "group-text": {"groups": "role:admin"},
    "group-padded": {"groups": [" role:admin", "role:admin ", "ROLE:ADMIN", "role:admin\n"]},
    "preferred": {"preferred_username": "admin", "name": "admin", "email": "admin"},
}


@pytest.mark.parametrize("name", NAMES)
def test_claims_of_a_provider_match_no_local_account_and_no_role(
    installation: Installation, direct: LyingProvider, name: str
) -> None:
    direct.say(**NAMES[name])
    page = _login(installation)
    assert page.status < 500, page.body
    assert _rights(installation, page) == []


def test_honest_provider_logs_in(installation: Installation, direct: LyingProvider) -> None:
    """Without this the refusals would prove nothing."""
    direct.say()
    page = _login(installation)
    assert page.status == 303, page.body
    who = Client(installation.server_port, cookie=page.cookies["argocd.token"]).get("/api/v1/session/userinfo").json
    assert who["loggedIn"] is True


PAGES_OF_OTHERS = (
    "/\t/evil.example",
    "/\n/evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/%09/evil.example",
    "/%2f/evil.example",
    "/%5cevil.example",
    "https://evil.example",
    "https:evil.example",
    "javascript:alert(1)",
    "http://127.0.0.1:{port}@evil.example/",
    "http://127.0.0.1:{port}.evil.example/",
    "/ok\r\nSet-Cookie: argocd.token=evil",
)


@pytest.mark.parametrize("page", PAGES_OF_OTHERS)
def test_login_leads_to_no_page_of_another_server(installation: Installation, direct: LyingProvider, page: str) -> None:
    """Item 9: what browsers would read as another host is refused before the login begins."""
    target = urllib.parse.quote(page.format(port=installation.server_port), safe="")
    answer = Client(installation.server_port).get(f"/auth/login?return_url={target}")
    oracle.answer_refused(answer, 400)
    assert "location" not in answer.headers
    assert "set-cookie" not in answer.headers


LIES: dict[str, dict[str, Any]] = {
    "other-audience": {"aud": "another-client"},
    "no-audience": {"aud": None},
    "audiences-of-others": {"aud": ["x", "y"]},
    "other-issuer": {"iss": "https://evil.example"},
    "expired": {"exp": 1_000_000_000},
    "no-expiry": {"exp": None},
    "other-nonce": {"nonce": "made-up"},
    "no-nonce": {"nonce": None},
    "no-subject": {"sub": None},
    "subject-list": {"sub": ["admin"]},
    "future": {"iat": 99_999_999_999, "nbf": 99_999_999_999},
}


@pytest.mark.parametrize("name", LIES)
def test_token_of_a_provider_that_is_not_for_us_is_refused(
    installation: Installation, direct: LyingProvider, name: str
) -> None:
    direct.say(**LIES[name])
    page = _login(installation)
    assert page.status in (400, 401, 403), f"{page.status} {page.body!r}"
    assert "argocd.token" not in page.cookies
    oracle.no_traceback(page.body.decode(errors="replace"), "the refusal")


@pytest.mark.parametrize("how", ["unsigned", "other_key"])
def test_token_that_the_provider_did_not_sign_is_refused(
    installation: Installation, direct: LyingProvider, how: str
) -> None:
    direct.say()
    setattr(direct, how, True)
    assert _login(installation).status in (400, 401, 403)


def test_state_of_another_login_is_refused(installation: Installation, direct: LyingProvider) -> None:
    direct.say()
    first, second = _begun(installation), _begun(installation)
    back = followed(first.location, f"http://127.0.0.1:{installation.server_port}/auth/callback")
    assert visit(back).status == 401
    assert visit(back, second.cookies).status == 401
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(first.location).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert len(asked["state"][0]) >= 22


@pytest.fixture(scope="module")
def behind_dex(
    installation: Installation, provider: LyingProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LyingProvider]:
    """The installation trusts a real Dex, whose connector is the lying provider."""
    try:
        program = dex_build.build(say=False)
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)
    folder: pathlib.Path = tmp_path_factory.mktemp("dex")
    port = free_port()
    issuer = f"http://127.0.0.1:{port}/dex"
    callback = f"http://127.0.0.1:{installation.server_port}/auth/callback"
    connector = {
        "issuer": provider.issuer,
        "clientID": CLIENT,
        "clientSecret": SECRET,
        "redirectURI": f"{issuer}/callback",
        "insecureEnableGroups": True,
        "insecureSkipEmailVerified": True,
    }
    config = {
        "issuer": issuer,
        "storage": {"type": "memory"},
        "web": {"http": f"127.0.0.1:{port}"},
        "oauth2": {"skipApprovalScreen": True},
        "connectors": [{"type": "oidc", "id": "evil", "name": "Evil", "config": connector}],
        "staticClients": [{"id": CLIENT, "name": "Syncline", "secret": SECRET, "redirectURIs": [callback]}],
    }
    (folder / "dex.yaml").write_text(json.dumps(config))
    with (folder / "dex.log").open("wb") as log:
        process = subprocess.Popen([str(program), "serve", str(folder / "dex.yaml")], stdout=log, stderr=log)
        try:
            _until_listening(port, process, folder / "dex.log")
            _configure(installation, issuer)
            yield provider
        finally:
            process.terminate()
            process.wait(20)
            installation.apply(config_map("argocd-cm", HOME, settings(installation)))


@pytest.mark.parametrize("name", NAMES)
def test_claims_that_dex_passes_on_match_no_local_account_and_no_role(
    installation: Installation, behind_dex: LyingProvider, name: str
) -> None:
    behind_dex.say(**NAMES[name])
    try:
        page = _login(installation)
    except AssertionError:
        return  # Dex itself did not take it.
    assert page.status < 500, page.body
    assert _rights(installation, page) == []


def test_honest_login_by_dex_comes_through(installation: Installation, behind_dex: LyingProvider) -> None:
    """Without this the refusals would prove nothing."""
    behind_dex.say(groups=["guests"])
    assert _login(installation).status == 303
