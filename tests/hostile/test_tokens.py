"""H1 and H2: tokens that nobody signed, that are over, or that were taken back; and where a login leads."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from typing import Any

import pytest

from tests.hostile import oracle
from tests.hostile.client import Client
from tests.hostile.installation import PASSWORDS, Installation

NOW = int(time.time())


def _part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _token(key: bytes, claims: dict[str, Any], header: dict[str, Any] | None = None) -> str:
    signed = f"{_part(header or {'alg': 'HS256', 'typ': 'JWT'})}.{_part(claims)}"
    mark = base64.urlsafe_b64encode(hmac.new(key, signed.encode(), hashlib.sha256).digest()).rstrip(b"=").decode()
    return f"{signed}.{mark}"


def _claims(**more: Any) -> dict[str, Any]:
    return {
        "iss": "argocd",
        "sub": "admin:login",
        "iat": NOW - 60,
        "nbf": NOW - 60,
        "exp": NOW + 3600,
        "jti": "x",
        **more,
    }


FORGED: dict[str, dict[str, Any]] = {
    "none": {"header": {"alg": "none"}, "signature": ""},
    "none-upper": {"header": {"alg": "NONE"}, "signature": ""},
    "empty-key": {"key": b""},
    "wrong-key": {"key": b"x" * 64},
    "unknown-kid": {"header": {"alg": "HS256", "kid": "../../dev/null"}, "key": b""},
    "embedded-key": {"header": {"alg": "HS256", "jwk": {"kty": "oct", "k": "eA"}}, "key": b"x"},
    "key-address": {"header": {"alg": "RS256", "jku": "http://127.0.0.1:1/keys"}},
    "algorithm-list": {"header": {"alg": ["HS256"]}},
    "other-issuer": {"claims": {"iss": "https://evil.example"}},
    "no-subject": {"claims": {"sub": ""}},
    "critical": {"header": {"alg": "HS256", "crit": ["exp"]}},
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_token_is_refused(installation: Installation, name: str) -> None:
    forged = FORGED[name]
    token = _token(forged.get("key", b"x" * 64), _claims(**forged.get("claims", {})), forged.get("header"))
    if "signature" in forged:
        token = token.rpartition(".")[0] + "." + forged["signature"]
    for client in (Client(installation.server_port, token=token), Client(installation.server_port, cookie=token)):
        for path in ("/api/v1/applications", "/api/v1/clusters", "/metrics"):
            oracle.answer_refused(client.get(path), 401)
        assert client.get("/api/v1/session/userinfo").json.get("loggedIn") in (None, False)


GENUINE: dict[str, dict[str, Any]] = {
    "expired": {"exp": NOW - 10},
    "not-yet": {"nbf": NOW + 3600},
    "from-the-future": {"iat": NOW + 3600},
    "other-issuer": {"iss": "evil"},
    "before-the-password": {"iat": 1_000_000_000},
    "unknown-account": {"sub": "mallory:login"},
    "unknown-capability": {"sub": "alice:root"},
    "role": {"sub": "role:admin"},
    "project-role-without-token": {"sub": "proj:team-a:ci", "jti": "never-given"},
    "key-without-entry": {"sub": "alice:apiKey", "jti": "never-given"},
}


@pytest.mark.parametrize("name", GENUINE)
def test_token_with_the_right_key_and_wrong_claims_is_refused(installation: Installation, name: str) -> None:
    """Even whoever has the signing key gets no further than accounts and times allow."""
    key = (installation.canaries["signing-key"] * 2).encode()
    client = Client(installation.server_port, token=_token(key, _claims(**GENUINE[name])))
    oracle.answer_refused(client.get("/api/v1/applications"), 401)


def test_the_right_key_signs_what_is_accepted(installation: Installation) -> None:
    """Without this the test above would prove nothing."""
    key = (installation.canaries["signing-key"] * 2).encode()
    client = Client(installation.server_port, token=_token(key, _claims(sub="alice:login")))
    assert client.get("/api/v1/applications").status == 200


def test_ended_session_stays_ended(installation: Installation) -> None:
    stranger = Client(installation.server_port)
    token = stranger.post("/api/v1/session", {"username": "bob", "password": PASSWORDS["bob"]}).json["token"]
    client = Client(installation.server_port, token=token)
    assert client.get("/api/v1/applications").status == 200
    assert client.send("DELETE", "/api/v1/session").status == 200
    oracle.answer_refused(client.get("/api/v1/applications"), 401)


def test_deleted_token_stops_working(installation: Installation) -> None:
    alice = installation.as_("alice")
    made = alice.post("/api/v1/account/alice/token", {"name": "alice", "expiresIn": 3600, "id": "short"})
    assert made.status == 200, made.text
    client = Client(installation.server_port, token=made.json["token"])
    installation.until(lambda: client.get("/api/v1/applications").status == 200, "use of the token")
    assert alice.send("DELETE", "/api/v1/account/alice/token/short").status == 200
    installation.until(lambda: client.get("/api/v1/applications").status == 401, "the end of the token")


@pytest.mark.parametrize(
    "place",
    [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/%09/evil.example",
        "/%5cevil.example",
        "\thttps://evil.example",
        "/login/once",
    ],
)
def test_login_leads_to_no_other_host(installation: Installation, place: str) -> None:
    """Item 9: whatever `to` or `return_url` says, the answer never sends a browser elsewhere."""
    stranger = Client(installation.server_port)
    for path in ("/auth/login", "/login", "/login/once"):
        for name in ("return_url", "to"):
            answer = stranger.send("GET", path, query={name: place})
            location = answer.headers.get("location", "")
            assert answer.status < 500
            assert "evil.example" not in location.partition("?")[0]
            assert "javascript:" not in location
            assert location.startswith(("/", f"http://127.0.0.1:{installation.server_port}/")) or not location
            assert not location.startswith(("//", "/\\", "/\t", "/%09", "/%5c"))


def test_error_of_a_login_is_not_part_of_the_page(installation: Installation) -> None:
    text = "<b>evil</b><script>alert(1)</script>"
    for path in ("/login", "/auth/callback"):
        answer = installation.as_("").send(
            "GET", path, query={"sso_error": text, "error": text, "error_description": text}
        )
        assert "<script>alert" not in answer.text
        assert "<b>evil" not in answer.text
