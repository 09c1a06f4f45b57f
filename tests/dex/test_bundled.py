"""Logins by the Dex that the server runs itself, as `dex.config` of argocd-cm wants it: a real one, of course."""

from __future__ import annotations

import json
import pathlib
import threading
import time
import urllib.parse
import urllib.request
import webbrowser
from collections.abc import Iterator

import pytest
import yaml

from tests.dex.running import EMAIL, GROUP, PERSON, Page, followed, visit
from tests.support.installation import Installation, installed

pytestmark = pytest.mark.timeout(300)
MOCK = "connectors: [{type: mockCallback, id: mock, name: Mock}]\n"
# The hash is that of `password`, as Dex's own example has it.
LOCAL = (
    "enablePasswordDB: true\n"
    'staticPasswords: [{email: admin@example.com, hash: "$2a$10$2b2cU8CPhOTaGrs1HRQuAueS7JTT5ZHsHSzYiFPm1leZck7Mc8T4W",'
    " username: admin, userID: 08a8684b-db88-4b73-90a9-3cd1661f5466}]\n"
)


@pytest.fixture(scope="module")
def served(dex: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("served"), served=True, dex=str(dex)) as found:
        yield found


def configured(served: Installation, text: str, policy: str) -> None:
    """Write `dex.config` and a policy, and wait until Dex answers through the server."""
    url = f"http://{served.server}"
    for name, entries in (
        ("argocd-cm", {"url": url, "dex.config": text}),
        ("argocd-rbac-cm", {"policy.csv": policy}),
    ):
        metadata = {"name": name, "namespace": "argocd"}
        served.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": entries})
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        page = visit(f"{url}/api/dex/.well-known/openid-configuration")
        if page.status == 200 and json.loads(page.body)["issuer"] == f"{url}/api/dex":
            return
        time.sleep(0.1)
    raise AssertionError(f"Dex does not answer: {page.status} {page.body!r}")


def signed_in(served: Installation, first: Page, back: str) -> dict[str, str]:
    home = visit(back, first.cookies)
    assert (home.status, home.location) == (303, "/applications"), home.body
    return {"argocd.token": home.cookies["argocd.token"]}


def begun(served: Installation) -> Page:
    return visit(f"http://{served.server}/auth/login?return_url=/applications")


def test_a_browser_logs_in_by_a_connector_and_policies_speak_of_its_user(served: Installation) -> None:
    configured(served, MOCK, f"p, {PERSON}, projects, get, default, allow\ng, {GROUP}, role:none\n")
    first = begun(served)
    assert first.location.startswith(f"http://{served.server}/api/dex/auth?")
    session = signed_in(served, first, followed(first.location, f"http://{served.server}/auth/callback"))
    who = json.loads(visit(f"http://{served.server}/api/v1/session/userinfo", session).body)
    issuer = f"http://{served.server}/api/dex"
    assert who == {"loggedIn": True, "username": EMAIL, "iss": issuer, "groups": [GROUP]}
    # The subject is the user that the connector knows, not Dex's own name for them.
    asked = f"http://{served.server}/api/v1/account/can-i/projects/get/default"
    assert json.loads(visit(asked, session).body) == {"value": "yes"}


def test_a_change_starts_dex_again_and_its_password_page_works_under_our_policy(served: Installation) -> None:
    configured(served, LOCAL, "")
    first = begun(served)
    url, page = first.location, first
    for _ in range(5):
        page = visit(url)
        if page.status == 200:
            break
        url = urllib.parse.urljoin(url, page.location)
    assert b'name="password"' in page.body
    body = urllib.parse.urlencode({"login": "admin@example.com", "password": "password"}).encode()
    with pytest.raises(urllib.error.HTTPError) as moved:
        urllib.request.build_opener(_Stay).open(urllib.request.Request(url, body), timeout=60)
    moved.value.close()
    assert moved.value.code == 303
    location = urllib.parse.urljoin(url, moved.value.headers["Location"])
    back = location if "/auth/callback" in location else followed(location, f"http://{served.server}/auth/callback")
    session = signed_in(served, first, back)
    who = json.loads(visit(f"http://{served.server}/api/v1/session/userinfo", session).body)
    assert (who["loggedIn"], who["username"]) == (True, "admin@example.com")


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: object, **_options: object) -> None:
        """Follow nothing."""


def test_the_command_line_logs_in_by_dex(
    served: Installation, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured(served, MOCK, f"g, {GROUP}, role:readonly\n")
    monkeypatch.setenv("SYNCLINE_LOGINS", str(tmp_path / "logins"))
    visitors: list[threading.Thread] = []

    def browse(address: str) -> bool:
        visitors.append(threading.Thread(target=lambda: visit(followed(address, "http://localhost:"))))
        visitors[-1].start()
        return True

    monkeypatch.setattr(webbrowser, "open", browse)
    answer = served.run_apart("login", f"http://{served.server}", "--sso", "--sso-port", "0")
    for one in visitors:
        one.join(60)
    assert answer.code == 0, answer.errors
    assert answer.output == f"'{EMAIL}' logged in successfully\ncontext '{served.server}' updated\n"
    assert yaml.safe_load((tmp_path / "logins").read_text())["users"][0]["auth-token"]
    assert served.run_apart("app", "list", "-o", "name").code == 0
