"""A login by the provider of a server from the command line: where to send the browser, and a token for its code.

With PKCE and without a secret, as a program on somebody's machine cannot keep one. `syncline.cli.login.browser` opens
the browser and waits; the server that the token is for checks it again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Any
from urllib.parse import urlencode

import msgspec

from syncline.model.errors import NeedsUser
from syncline.model.shown_tokens import unchecked
from syncline.ports.web import Web, WebError, WebRequest

_PATIENCE = 30.0
# As Argo CD's command line has it: where the Dex of a server is, and as whom programs ask it.
_DEX, _DEX_CLIENT = "/api/dex", "argo-cd-cli"
_DEX_SCOPES = ("profile", "email", "groups", "federated:id")


class SsoConfig(msgspec.Struct, frozen=True, rename={"client_id": "clientID", "cli_client_id": "cliClientID"}):
    """What a server says of its provider."""

    issuer: str
    client_id: str
    cli_client_id: str = ""
    scopes: tuple[str, ...] | None = None

    @property
    def client(self) -> str:
        """Who asks: the client for programs, where there is one."""
        return self.cli_client_id or self.client_id


class BrowserLogin(msgspec.Struct, frozen=True, kw_only=True):
    """One login under way: three random texts, and where the browser comes back to."""

    state: str
    nonce: str
    verifier: str
    redirect: str

    def __repr__(self) -> str:
        return f"BrowserLogin({self.redirect!r})"

    def address(self, endpoint: str, config: SsoConfig) -> str:
        """Return the address to open in the browser."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": config.client,
            "redirect_uri": self.redirect,
            "scope": " ".join(dict.fromkeys(["openid", *(config.scopes or ("profile", "email", "groups"))])),
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode(asked)}"

    def code_of(self, answer: dict[str, str]) -> str:
        """Return the code that the browser brought back; raises for another login's, or a refusal."""
        if not hmac.compare_digest(answer.get("state", "").encode(), self.state.encode()):
            raise NeedsUser("the browser came back with another login than this one", hint="log in again")
        if not answer.get("code"):
            raise NeedsUser("the provider refused this login", hint="log in again")
        return answer["code"]


def config_of(settings: Any, server: str) -> SsoConfig:
    """Return what a server says of its provider; raises a sentence where it has none."""
    found = settings.get("oidcConfig") if isinstance(settings, dict) else None
    if isinstance(settings, dict) and not found and settings.get("dexConfig") and settings.get("url"):
        return SsoConfig(f"{str(settings['url']).rstrip('/')}{_DEX}", _DEX_CLIENT, scopes=_DEX_SCOPES)
    if not isinstance(found, dict):
        problem = settings.get("ssoProblem") if isinstance(settings, dict) else ""
        raise NeedsUser(f"{server} has no single sign-on", hint=str(problem or "log in with --username"))
    try:
        return msgspec.convert(found, SsoConfig, strict=False)
    except msgspec.ValidationError:
        raise NeedsUser(f"{server} does not say who its login provider is") from None


async def endpoints(web: Web, config: SsoConfig) -> tuple[str, str]:
    """Return where a provider takes logins, and where it gives tokens."""
    found = await _json(web, WebRequest(url=f"{config.issuer.rstrip('/')}/.well-known/openid-configuration"))
    if found.get("issuer") != config.issuer:
        raise NeedsUser(f"{config.issuer} says that it is another provider")
    return str(found.get("authorization_endpoint") or ""), str(found.get("token_endpoint") or "")


async def token_for(web: Web, endpoint: str, config: SsoConfig, login: BrowserLogin, code: str) -> str:
    """Return the ID token for a code."""
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": login.redirect,
        "client_id": config.client,
        "code_verifier": login.verifier,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
    found = await _json(web, WebRequest(url=endpoint, headers=headers, body=urlencode(fields).encode()))
    token = found.get("id_token")
    if not isinstance(token, str) or not token:
        raise NeedsUser(
            "the provider gave no ID token", hint="its client has to be public, with openid among its scopes"
        )
    if not hmac.compare_digest(str(unchecked(token)[1].get("nonce") or "").encode(), login.nonce.encode()):
        raise NeedsUser("the provider answered another login than this one", hint="log in again")
    return token


async def _json(web: Web, request: WebRequest) -> dict[str, Any]:
    try:
        answer = await web.ask(msgspec.structs.replace(request, seconds=_PATIENCE))
    except WebError as error:
        raise NeedsUser(f"the login provider does not answer: {error}") from None
    if answer.status != 200:
        raise NeedsUser(f"the login provider answered with HTTP status {answer.status}", hint="log in again")
    try:
        return msgspec.json.decode(answer.body, type=dict[str, Any])
    except msgspec.DecodeError:
        raise NeedsUser("the login provider does not answer with JSON") from None
