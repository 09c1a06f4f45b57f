"""K1: a page of another site makes a signed-in browser do nothing."""

from __future__ import annotations

import pytest

from tests.hostile import oracle
from tests.hostile.client import Client
from tests.hostile.installation import PASSWORDS, Installation

BODY = b'{"name": "honest", "revision": "HEAD"}'
KINDS = [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "-",
    "application/json\x0b",
    "text/json",
]


def _cookie(installation: Installation) -> Client:
    answer = Client(installation.server_port).post(
        "/api/v1/session", {"username": "alice", "password": PASSWORDS["alice"]}
    )
    return Client(installation.server_port, cookie=answer.json["token"])


@pytest.mark.parametrize("kind", KINDS)
def test_write_by_cookie_needs_json(installation: Installation, kind: str) -> None:
    client = _cookie(installation)
    for verb, path in (
        ("POST", "/api/v1/applications/honest/sync"),
        ("DELETE", "/api/v1/applications/honest/operation"),
    ):
        body = BODY if verb == "POST" else None
        oracle.answer_refused(client.send(verb, path, body, Content_Type=kind), 400, 403, 415)
    assert "operation" not in (installation.application("honest") or {})


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "http://127.0.0.1:1"]
)
def test_write_by_cookie_from_another_origin_is_refused(installation: Installation, origin: str) -> None:
    client = _cookie(installation)
    answer = client.send(
        "POST", "/api/v1/applications/honest/sync", BODY, Content_Type="application/json", Origin=origin
    )
    oracle.answer_refused(answer, 403)


def test_no_other_origin_may_read(installation: Installation) -> None:
    for verb in ("GET", "OPTIONS"):
        answer = _cookie(installation).send(verb, "/api/v1/applications", Origin="https://evil.example")
        assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-credentials" not in answer.headers


def test_cookie_is_kept_from_scripts_and_other_sites(installation: Installation) -> None:
    answer = Client(installation.server_port).post(
        "/api/v1/session", {"username": "alice", "password": PASSWORDS["alice"]}
    )
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=" in cookie
    assert "samesite=none" not in cookie


def test_pages_forbid_foreign_scripts_and_frames(installation: Installation) -> None:
    for path in ("/", "/login", "/applications", "/api/v1/settings", "/auth/callback", "/openapi.json"):
        headers = installation.as_("").get(path).headers
        assert "x-content-type-options" in headers, path
        policy = headers.get("content-security-policy", "")
        assert "'unsafe-inline'" not in policy.partition("style-src")[0], path
        assert "unsafe-eval" not in policy
        if "text/html" in headers.get("content-type", ""):
            assert "script-src" in policy or "default-src" in policy, path
            assert "frame-ancestors" in policy or headers.get("x-frame-options"), path
