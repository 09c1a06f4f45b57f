"""Exchanges the key of a GitHub App for a token that git can use, and keeps it until it is about to end.

Called by `syncline.adapters.git.remote` before each call of git; every other kind of credentials passes unchanged. The
key signs a statement of ten minutes; the token that comes back is good for an hour and for one installation.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import orjson

from syncline import downloads
from syncline.adapters.git.addresses import Address
from syncline.model.errors import SourceError
from syncline.model.repository import Credentials, fingerprint

_BASE = "https://api.github.com"
_EARLY = 300.0
_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    ends: float


class Tokens:
    """Tokens by the credentials they were given for."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._kept: dict[str, _Token] = {}

    async def exchanged(self, address: Address) -> Credentials:
        """Return the credentials git uses: of a GitHub App, user and token in place of its key."""
        credentials = address.credentials
        if credentials.azure_workload_identity or credentials.gcp_service_account_key:
            what = "Azure workload identity" if credentials.azure_workload_identity else "A Google service account key"
            raise SourceError(f"{what} is not supported for {address}", hint="use a token as password")
        if not credentials.github_app_private_key:
            return credentials
        key = f"{fingerprint(credentials)} {_owner(address)}"
        kept = self._kept.get(key)
        if kept is None or kept.ends - _EARLY < self._now():
            kept = self._kept[key] = await self._ask(address, credentials)
        return Credentials(username="x-access-token", password=kept.text)

    async def _ask(self, address: Address, credentials: Credentials) -> _Token:
        base = (credentials.github_app_base_url or _BASE).rstrip("/")
        header = f"Bearer {statement(credentials, self._now())}"
        way = address.repository.way
        way_in = downloads.Door(
            authorization=header,
            certificates=address.certificates,
            insecure=way.insecure,
            proxy=way.proxy,
            no_proxy=way.no_proxy,
        )
        number = credentials.github_app_installation_id
        if not number:
            number = (await _call(f"{base}/repos/{_path(address)}/installation", "GET", way_in)).get("id", 0)
        answer = await _call(f"{base}/app/installations/{number}/access_tokens", "POST", way_in)
        try:
            ends = datetime.fromisoformat(str(answer["expires_at"])).timestamp()
            return _Token(str(answer["token"]), ends)
        except (KeyError, ValueError):
            raise SourceError(f"the GitHub App of {address} was given no token") from None


async def _call(url: str, method: str, way_in: downloads.Door) -> dict[str, Any]:
    headers = {"Accept": "application/vnd.github+json"}
    try:
        answer = await downloads.fetch(
            downloads.Request(url=url, method=method, headers=headers, limit=_LIMIT, seconds=30), way_in
        )
        if answer.status >= 300:
            hint = "check githubAppID, githubAppInstallationID and the key"
            raise SourceError(f"GitHub refused the app: {url} answered {answer.status}", hint=hint)
        return msgspec.json.decode(answer.body, type=dict[str, Any])
    except downloads.DownloadFailed as failure:
        raise SourceError(f"no token for the GitHub App: {failure}") from None
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise SourceError(f"no token for the GitHub App: {url} answered no JSON object") from None


def statement(credentials: Credentials, now: float) -> str:
    """Return the signed statement (a JSON Web Token, RS256) that we are the app."""
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    try:
        key = serialization.load_pem_private_key(credentials.github_app_private_key.encode(), None)
    except (ValueError, TypeError):
        raise SourceError("githubAppPrivateKey is not a private key in PEM form") from None
    if not isinstance(key, rsa.RSAPrivateKey):
        raise SourceError("githubAppPrivateKey is not an RSA key")
    # A minute back: clocks differ.
    claims = {"iat": int(now) - 60, "exp": int(now) + 540, "iss": str(credentials.github_app_id)}
    text = f"{_part({'alg': 'RS256', 'typ': 'JWT'})}.{_part(claims)}"
    return f"{text}.{_letters(key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


def _part(content: dict[str, Any]) -> str:
    return _letters(orjson.dumps(content))


def _letters(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _path(address: Address) -> str:
    return "/".join(address.url.partition("://")[2].split("/")[1:3]).removesuffix(".git")


def _owner(address: Address) -> str:
    return _path(address).partition("/")[0]
