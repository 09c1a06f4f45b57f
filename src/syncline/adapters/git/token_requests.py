"""Asks a server that gives out tokens, with a statement that a private key has signed.

Used by `syncline.adapters.git.github_app` and `syncline.adapters.git.cloud_identities`. A refusal is told with its
status alone: what a server writes into it may repeat what it was sent.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import msgspec
import orjson

from syncline.model.errors import SourceError
from syncline.net import downloads, urls

_LIMIT = 1024 * 1024
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Token:
    """What lets us in until a moment, in seconds since 1970."""

    text: str = field(repr=False)
    ends: float


@dataclass(frozen=True, slots=True)
class Office:
    """Where tokens are given out: what for, as people call it, and what to check where none is given."""

    name: str
    check: str
    door: downloads.Door = field(default_factory=downloads.Door, repr=False)
    is_operators: bool = False
    """Whether the operator wrote down where it is, which then may be on this machine; a project may not say so."""

    async def call(self, url: str, *, method: str = "POST", form: dict[str, str] | None = None) -> dict[str, Any]:
        """Return the JSON object that a server answers."""
        self._check(url)
        headers = {"Accept": "application/json"}
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        request = downloads.DownloadRequest(
            url=url,
            method=method,
            headers=headers,
            body=urlencode(form).encode() if form is not None else b"",
            limit=_LIMIT,
            seconds=_SECONDS,
        )
        shown = urls.scrub(url)
        try:
            answer = await downloads.fetch(request, self._way(url))
            if answer.status >= 300:
                raise SourceError(f"{self.name} was refused: {shown} answered {answer.status}", hint=self.check)
            return msgspec.json.decode(answer.body, type=dict[str, Any])
        except downloads.DownloadFailed as failure:
            raise SourceError(f"no token for {self.name}: {failure}") from None
        except (msgspec.DecodeError, msgspec.ValidationError):
            raise SourceError(f"no token for {self.name}: {shown} did not return a JSON object") from None

    def _way(self, url: str) -> downloads.Door:
        if not self.is_operators:
            return self.door
        place = urls.parse(url, schemes=("http", "https"))
        return replace(self.door, reach=self.door.reach.besides_own({(place.host.lower(), place.port)}))

    def _check(self, url: str) -> None:
        """Refuse to send what is secret in the open, except to this machine."""
        try:
            place = urls.parse(url, schemes=("http", "https"))
        except urls.RefusedAddress as refused:
            raise SourceError(f"no token for {self.name}: {urls.scrub(url)[:300]!r} is refused: {refused}") from None
        if place.scheme == "http" and place.host not in ("127.0.0.1", "localhost", "::1"):
            raise SourceError(
                f"no token for {self.name}: {place.host} is not contacted without TLS", hint="write https://"
            )


def statement(claims: dict[str, Any], key: str, place: str, key_id: str = "") -> str:
    """Return claims signed with a private key (a JSON Web Token, RS256); `place` says where the key was written."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    try:
        loaded = serialization.load_pem_private_key(key.encode(), None)
    except (ValueError, TypeError):
        raise SourceError(f"{place} is not a PEM private key") from None
    if not isinstance(loaded, rsa.RSAPrivateKey):
        raise SourceError(f"{place} is not an RSA key")
    head = {"alg": "RS256", "typ": "JWT", **({"kid": key_id} if key_id else {})}
    text = f"{_part(head)}.{_part(claims)}"
    return f"{text}.{_letters(loaded.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def token(answer: dict[str, Any], name: str, now: float) -> Token:
    """Return the token of an OAuth 2 answer."""
    text, seconds = answer.get("access_token"), answer.get("expires_in", 3600)
    if not isinstance(text, str) or not text or not str(seconds).isdecimal():
        raise SourceError(f"{name} got no token")
    return Token(text, now + int(seconds))


def _part(content: dict[str, Any]) -> str:
    return _letters(orjson.dumps(content))


def _letters(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")
