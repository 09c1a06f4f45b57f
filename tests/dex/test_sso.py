"""Logins by a real Dex: in the browser, from the command line, over TLS; and what must not pass for one (row H2)."""

from __future__ import annotations

import base64
import json
import pathlib
import threading
import urllib.parse
import webbrowser
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.dex import running
from tests.dex.running import EMAIL, GROUP, SECRET, Dex, Page, followed, visit
from tests.support.certificates import Authority
from tests.support.installation import Installation, installed

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("served"), served=True) as found:
        yield found


@pytest.fixture(scope="module")
def provider(dex: pathlib.Path, served: Installation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dex]:
    with running.running(dex, tmp_path_factory.mktemp("dex"), f"http://{served.server}/auth/callback") as found:
        yield found


def configured(served: Installation, provider: Dex, **more: Any) -> None:
    """Write `oidc.config`, its secret, and a policy for the group."""
    config = {
        "name": "Dex",
        "issuer": provider.issuer,
        "clientID": "syncline",
        "cliClientID": "syncline-cli",
        "clientSecret": "$oidc.dex.clientSecret",
        "requestedScopes": ["openid", "profile", "email", "groups"],
        **more,
    }
    data = {"url": f"http://{served.server}", "oidc.config": yaml.safe_dump(config)}
    secret = {"oidc.dex.clientSecret": base64.b64encode(SECRET.encode()).decode()}
    policy = {"policy.csv": f"g, {GROUP}, role:readonly\n"}
    served.kubectl(
        "patch", "secret", "argocd-secret", "-n", "argocd", "--type=merge", "-p", json.dumps({"data": secret})
    )
    for name, entries in (("argocd-cm", data), ("argocd-rbac-cm", policy)):
        served.apply(
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": name, "namespace": "argocd"},
                "data": entries,
            }
        )
    _until(served, provider.issuer)


def _until(served: Installation, issuer: str) -> None:
    """Wait until the server has seen what was written."""
    for _ in range(600):
        told = json.loads(visit(f"http://{served.server}/api/v1/settings").body)
        if (told.get("oidcConfig") or {}).get("issuer") == issuer:
            return
    raise AssertionError("the server does not see its configuration")


def begun(served: Installation, return_url: str = "/applications") -> Page:
    return visit(f"http://{served.server}/auth/login?{urllib.parse.urlencode({'return_url': return_url})}")


def test_a_browser_logs_in_and_its_groups_count(served: Installation, provider: Dex) -> None:
    configured(served, provider)
    first = begun(served)
    asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(first.location).query))
    assert first.status == 303
    assert first.location.startswith(f"{provider.issuer}/auth?")
    assert (asked["code_challenge_method"], len(asked["code_challenge"])) == ("S256", 43)
    back = followed(first.location, f"http://{served.server}/auth/callback")
    home = visit(back, first.cookies)
    assert (home.status, home.location) == (303, "/applications"), home.body
    session = {"argocd.token": home.cookies["argocd.token"]}
    who = json.loads(visit(f"http://{served.server}/api/v1/session/userinfo", session).body)
    assert who == {"loggedIn": True, "username": EMAIL, "iss": provider.issuer, "groups": [GROUP]}
    assert visit(f"http://{served.server}/api/v1/applications", session).status == 200
    # The role of the group reads, and nothing else.
    assert json.loads(visit(f"http://{served.server}/api/v1/account/can-i/projects/get/default", session).body) == {
        "value": "yes"
    }
    assert json.loads(visit(f"http://{served.server}/api/v1/account/can-i/projects/delete/default", session).body) == {
        "value": "no"
    }
    # The same answer of the provider is good once.
    assert visit(back, first.cookies).status == 401
    # The session ends, and its token with it.
    assert visit(f"http://{served.server}/auth/logout", session).status == 303
    assert visit(f"http://{served.server}/api/v1/applications", session).status == 401


def test_a_login_ends_in_the_browser_it_began_in_and_with_its_own_state(served: Installation, provider: Dex) -> None:
    configured(served, provider)
    first, second = begun(served), begun(served)
    back = followed(first.location, f"http://{served.server}/auth/callback")
    assert visit(back).status == 401
    assert visit(back, second.cookies).status == 401
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(second.location).query)["state"][0]
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query)["code"][0]
    # A code of one login in another one: its verifier and nonce are others.
    mixed = f"http://{served.server}/auth/callback?code={code}&state={state}"
    assert visit(mixed, second.cookies).status == 401
    for query in ("", "?state=", "?code=x", "?code=x&state=made-up", "?error=<b>x</b>&state=made-up"):
        answer = visit(f"http://{served.server}/auth/callback{query}", first.cookies)
        assert answer.status == 401
        assert b"<b>" not in answer.body


def test_a_provider_is_trusted_by_its_authority_alone(
    dex: pathlib.Path, served: Installation, tmp_path: pathlib.Path
) -> None:
    authority = Authority()
    with running.running(dex, tmp_path, f"http://{served.server}/auth/callback", authority) as provider:
        configured(served, provider)
        refused = begun(served)
        assert refused.status == 503
        assert "certificate" in json.loads(refused.body)["message"]
        configured(served, provider, rootCA=authority.certificate)
        deadline = 100
        while (first := begun(served)).status != 303 and deadline:
            deadline -= 1
        assert first.status == 303, first.body


def test_the_command_line_logs_in_by_the_provider(
    served: Installation, provider: Dex, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(served, provider)
    monkeypatch.setenv("SYNCLINE_LOGINS", str(tmp_path / "logins"))
    visitors: list[threading.Thread] = []

    def browse(address: str) -> bool:
        def walk() -> None:
            visit(followed(address, "http://localhost:"))

        visitors.append(threading.Thread(target=walk))
        visitors[-1].start()
        return True

    monkeypatch.setattr(webbrowser, "open", browse)
    answer = served.run_apart("login", f"http://{served.server}", "--sso", "--sso-port", "0")
    for one in visitors:
        one.join(60)
    assert answer.code == 0, answer.errors
    assert answer.output == f"'{EMAIL}' logged in successfully\ncontext '{served.server}' updated\n"
    token = yaml.safe_load((tmp_path / "logins").read_text())["users"][0]["auth-token"]
    assert token not in answer.output + answer.errors
    assert served.run_apart("app", "list", "-o", "name").code == 0
    assert served.run_apart("logout").code == 0
    answer = served.run_apart("app", "list", "--server", f"http://{served.server}", "--auth-token", token)
    assert answer.code == 2
    assert "token is revoked" in answer.errors
