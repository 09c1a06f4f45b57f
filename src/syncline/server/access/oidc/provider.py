"""One OpenID Connect provider: what it says of itself, its keys, codes for tokens, and whether a token is good.

It is that of `oidc.config`, or else the Dex of `dex.config`, which is asked directly, whatever is in front of us.

Made by `syncline.server.app`; the routes of SSO ask it, and for every token that is not ours the dispatcher does. Keys
are fetched before they are needed (`ready_for`), so that a check itself waits for nobody; an unknown key is asked for
again at most once in a while, however many made-up tokens come.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec

from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.model.shown_tokens import unchecked
from syncline.ports.web import Web, WebAnswer, WebError, WebRequest
from syncline.server.access.oidc.dex import KeptDex
from syncline.server.access.oidc.settings import InvalidOidc, OidcConfig, parse
from syncline.server.access.secret_entries import Entries, Remembered
from syncline.server.access.signed import Signed
from syncline.server.requests.failures import INVALID, UNAVAILABLE, Failure, NotSignedIn

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures by a key pair alone: with a shared secret whoever may check a token could make one."""
_LEEWAY = 60.0
_ASK_AGAIN = 10.0
_PATIENCE = 15.0
_KEPT_FOR = 3600.0


class Metadata(msgspec.Struct, frozen=True):
    """What a provider says of itself."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str = ""
    end_session_endpoint: str = ""
    token_endpoint_auth_methods_supported: tuple[str, ...] = ("client_secret_basic",)


class _Known(msgspec.Struct, frozen=True):
    """What was read of the provider of one configuration."""

    config: OidcConfig
    metadata: Metadata
    keys: Any
    ids: frozenset[str]
    at: float
    run: int
    """Which start of our own Dex it is of."""
    signed: Signed[dict[str, Any]]
    """Tokens that were checked with these keys."""


class Provider:
    """The provider that is configured, if any."""

    def __init__(self, world: World, live: LiveCluster, web: Web | None, dex: KeptDex) -> None:
        self._world = world
        self._web = web
        self._dex = dex
        self._named = Remembered(live, world.settings.namespace, _named, InvalidOidc)
        self._known: _Known | None = None
        self._asked = -_ASK_AGAIN
        self._lock = asyncio.Lock()

    def config(self) -> OidcConfig | None:
        """Return what is configured; None where nothing is. Raises `InvalidOidc`."""
        if (named := self._named.value()) is not None:
            return named
        found = self._dex.config()
        return found.provider if found is not None else None

    def required(self) -> OidcConfig:
        """Return what is configured; raises a failure that says what is missing."""
        try:
            found = self.config()
        except InvalidOidc as error:
            raise Failure(INVALID, str(error)) from None
        if found is None:
            raise Failure(
                INVALID, "single sign-on is not configured", hint="set oidc.config or dex.config in argocd-cm"
            )
        return found

    async def metadata(self) -> tuple[OidcConfig, Metadata]:
        """Return the provider's addresses."""
        known = await self._read(self.required(), "")
        return known.config, known.metadata

    async def ready_for(self, token: str) -> None:
        """Have the keys at hand that a token of the provider is checked with; nothing for tokens of others."""
        header, claims = unchecked(token)
        if not str(claims.get("iss") or "").startswith("http"):
            return  # A token of our own, or none: every request comes by here, and need not have the settings read.
        try:
            config = self.config()
        except InvalidOidc:
            return
        if config is not None and claims.get("iss") == config.issuer:
            await self._read(config, str(header.get("kid") or ""))

    def claims(self, token: str) -> dict[str, Any]:
        """Return what a token of the provider says; raises `NotSignedIn` unless it is good."""
        try:
            config, known = self.config(), self._known
        except InvalidOidc as error:
            raise NotSignedIn(f"invalid session: {error}") from None
        if config is None or known is None or not self._is_of(known, config):
            raise NotSignedIn("invalid session: the token is of another issuer")
        claims = known.signed.get(b"", token) or known.signed.put(b"", token, _verified(token, known.keys))
        self._require_good(claims, config)
        return claims

    def _require_good(self, claims: Mapping[str, Any], config: OidcConfig) -> None:
        now = self._world.clock.now().timestamp()
        if claims.get("iss") != config.issuer:
            raise NotSignedIn("invalid session: the token is of another issuer")
        audience = claims.get("aud")
        meant = [audience] if isinstance(audience, str) else audience if isinstance(audience, list) else []
        if not set(map(str, meant)) & set(config.accepted):
            raise NotSignedIn("invalid session: the token is for somebody else")
        if not _number(claims.get("exp")) > now:
            raise NotSignedIn("token is expired, please re-login")
        if max(_number(claims.get("nbf")), _number(claims.get("iat"))) > now + _LEEWAY:
            raise NotSignedIn("invalid session: the token is not valid yet")
        if not isinstance(claims.get("sub"), str) or not claims["sub"]:
            raise NotSignedIn("invalid session: the token says of nobody")

    async def exchanged(self, code: str, verifier: str) -> str:
        """Return the ID token for a code; raises a failure that does not hold either."""
        config, metadata = await self.metadata()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": config.callback,
            "client_id": config.client_id,
            "code_verifier": verifier,
        }
        authorization = ""
        if config.secret and "client_secret_basic" in metadata.token_endpoint_auth_methods_supported:
            login = f"{quote(config.client_id, safe='')}:{quote(config.secret, safe='')}"
            authorization = f"Basic {base64.b64encode(login.encode()).decode()}"
        elif config.secret:
            fields["client_secret"] = config.secret
        found = await self._json(config, metadata.token_endpoint, urlencode(fields).encode(), authorization)
        token = found.get("id_token")
        if not isinstance(token, str) or not token:
            raise NotSignedIn("the provider gave no ID token for this login")
        await self.ready_for(token)
        return token

    async def _read(self, config: OidcConfig, key_id: str) -> _Known:
        # Before the lock: a made-up token that has the provider asked must not make good ones wait for its answer.
        if (found := self._at_hand(config, key_id)) is not None:
            return found
        async with self._lock:
            if (found := self._at_hand(config, key_id)) is not None:
                return found
            known, now = self._known, self._world.clock.monotonic()
            if known is not None and self._is_of(known, config) and now - self._asked < _ASK_AGAIN:
                return known
            self._asked = now
            self._known = await self._fetched(config)
            return self._known

    def _at_hand(self, config: OidcConfig, key_id: str) -> _Known | None:
        """Return what was read of late, if a key is in it or none is asked for."""
        known = self._known
        if known is None or not self._is_of(known, config):
            return None
        if self._world.clock.monotonic() - known.at >= _KEPT_FOR:
            return None
        return known if not key_id or key_id in known.ids else None

    def _is_of(self, known: _Known, config: OidcConfig) -> bool:
        """Whether something was read of the provider that is configured; a Dex that was started again is another."""
        return known.config == config and known.run == self._dex.runs

    async def _fetched(self, config: OidcConfig) -> _Known:
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        address, run = f"{config.issuer.rstrip('/')}/.well-known/openid-configuration", self._dex.runs
        try:
            metadata = msgspec.convert(await self._json(config, address), Metadata, strict=False)
            if metadata.issuer != config.issuer:
                raise Failure(UNAVAILABLE, "the provider says that it is another issuer than oidc.config names")
            found = await self._json(config, metadata.jwks_uri)
            usable = [one for one in found.get("keys") or () if isinstance(one, dict) and one.get("kty") != "oct"]
            keys = KeySet.import_key_set({"keys": usable})
        except (msgspec.ValidationError, JoseError, ValueError, TypeError, KeyError):
            raise Failure(UNAVAILABLE, "the provider does not describe itself as OpenID Connect wants") from None
        ids = frozenset(str(one.get("kid") or "") for one in usable)
        return _Known(config, metadata, keys, ids, self._world.clock.monotonic(), run, Signed())

    async def _json(self, config: OidcConfig, url: str, body: bytes = b"", authorization: str = "") -> dict[str, Any]:
        headers = {"Accept": "application/json"}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        request = WebRequest(
            url=url,
            headers=headers,
            body=body,
            authorization=authorization,
            seconds=_PATIENCE,
            certificates=config.root_ca,
            insecure=config.insecure,
        )
        try:
            answer = await self._answer(config, request)
        except WebError as error:
            raise Failure(UNAVAILABLE, f"the login provider does not answer: {error}") from None
        if body and answer.status in (400, 401):
            raise NotSignedIn("the provider refused this login; start it again")
        if answer.status != 200:
            raise Failure(UNAVAILABLE, f"the login provider answered with HTTP status {answer.status}")
        try:
            return msgspec.json.decode(answer.body, type=dict[str, Any])
        except msgspec.DecodeError:
            raise Failure(UNAVAILABLE, "the login provider does not answer with JSON") from None

    async def _answer(self, config: OidcConfig, request: WebRequest) -> WebAnswer:
        own = self._dex.config()
        if own is not None and own.provider == config and request.url.startswith(config.issuer):
            return await self._dex.ask(request.url.removeprefix(config.issuer), request)
        if self._web is None:
            raise WebError("this server has no way out to a provider")
        return await self._web.ask(request)


def _verified(token: str, keys: Any) -> dict[str, Any]:
    from joserfc import jwt
    from joserfc.errors import JoseError

    try:
        return jwt.decode(token, keys, algorithms=list(ALGORITHMS)).claims
    except (JoseError, ValueError, TypeError):
        raise NotSignedIn("invalid session: the provider did not sign this token") from None


def _named(entries: Entries) -> OidcConfig | None:
    return parse(entries.config("argocd-cm"), entries.secret)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
