"""A login provider that lies: it says of whoever comes whatever claims the attack chooses, properly signed or not.

Used by `tests.hostile.test_sso`, as `oidc.config` of the installation and as a connector behind a real Dex.
"""

from __future__ import annotations

import base64
import contextlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.hostile.listener import Handler, Listener, answer, listening

CLIENT = "syncline"


@dataclass(slots=True)
class LyingProvider:
    """What it says; `claims` replace or remove (None) those of an honest provider."""

    listener: Listener
    claims: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    unsigned: bool = False
    other_key: bool = False
    _nonces: dict[str, str] = field(default_factory=dict)
    _key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"}))

    @property
    def issuer(self) -> str:
        return self.listener.url("idp")

    def say(self, **claims: Any) -> None:
        """Choose the claims of the next logins."""
        self.claims, self.header, self.unsigned, self.other_key = claims, {}, False, False

    def discover(self, handler: Handler) -> None:
        base = self.issuer
        document = {
            "issuer": base,
            "authorization_endpoint": f"{base}/auth",
            "token_endpoint": f"{base}/token",
            "jwks_uri": f"{base}/keys",
            "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "subject_types_supported": ["public"],
            "code_challenge_methods_supported": ["S256"],
        }
        answer(handler, 200, json.dumps(document).encode())

    def keys(self, handler: Handler) -> None:
        answer(handler, 200, json.dumps({"keys": [self._key.as_dict(private=False)]}).encode())

    def authorize(self, handler: Handler) -> None:
        """Let anybody in: back with a code, whoever they are."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(handler.path).query).items()}
        code = f"code-{time.monotonic_ns()}"
        self._nonces[code] = asked.get("nonce", "")
        query = urlencode({"code": code, "state": asked.get("state", "")})
        answer(handler, 302, Location=f"{asked['redirect_uri']}?{query}")

    def token(self, handler: Handler) -> None:
        body = self.listener.requests[-1].body
        code = parse_qs(body).get("code", [""])[0]
        now = int(time.time())
        honest = {
            "iss": self.issuer,
            "sub": "nobody-in-particular",
            "aud": CLIENT,
            "iat": now,
            "exp": now + 600,
            "nonce": self._nonces.get(code, ""),
            "email": "guest@evil.example",
            "email_verified": True,
            "name": "Guest",
        }
        claims = {name: value for name, value in {**honest, **self.claims}.items() if value is not None}
        token = self._signed(claims)
        body_ = {"access_token": "x", "token_type": "Bearer", "expires_in": 600, "id_token": token}
        answer(handler, 200, json.dumps(body_).encode())

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.unsigned:
            parts = ({"alg": "none"}, claims)
            return (
                ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts)
                + "."
            )
        key = RSAKey.generate_key(2048, {"kid": "k1"}) if self.other_key else self._key
        return jwt.encode({"alg": "RS256", "kid": "k1", **self.header}, claims, key)


@contextlib.contextmanager
def lying() -> Iterator[LyingProvider]:
    """Run a provider on loopback until the block ends."""
    with listening() as listener:
        provider = LyingProvider(listener)
        listener.answers |= {
            "/idp/.well-known/openid-configuration": provider.discover,
            "/idp/keys": provider.keys,
            "/idp/auth": provider.authorize,
            "/idp/token": provider.token,
        }
        yield provider
