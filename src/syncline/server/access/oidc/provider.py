"""One OpenID Connect provider: what it says of itself, its keys, codes for tokens, and whether a token is good.

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
from syncline.ports.web import Web, WebError, WebRequest
from syncline.server.access.oidc.settings import InvalidOidc, OidcConfig, parse
from syncline.server.access.secret_entries import config_of, secret_entry
from syncline.server.failures import INVALID, UNAVAILABLE, Failure, NotSignedIn

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


class Provider:
    """The provider that is configured, if any."""

    def __init__(self, world: World, live: LiveCluster, web: Web | None) -> None:
        self._world = world
        self._live = live
        self._web = web
        self._known: _Known | None = None
        self._asked = -_ASK_AGAIN
        self._lock = asyncio.Lock()

    def config(self) -> OidcConfig | None:
        """Return what is configured; None where nothing is. Raises `InvalidOidc`."""
        namespace = self._world.settings.namespace
        found = config_of(self._live, namespace, "argocd-cm")
        return parse(found, lambda name, key: secret_entry(self._live, namespace, name, key))

    def required(self) -> OidcConfig:
        """Return what is configured; raises a failure that says what is missing."""
        try:
            found = self.config()
        except InvalidOidc as error:
            raise Failure(INVALID, str(error)) from None
        if found is None:
            raise Failure(INVALID, "single sign-on is not configured", hint="set oidc.config in argocd-cm")
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
        from joserfc import jwt
        from joserfc.errors import JoseError

        try:
            config, known = self.config(), self._known
        except InvalidOidc as error:
            raise NotSignedIn(f"invalid session: {error}") from None
        if config is None or known is None or known.config != config:
            raise NotSignedIn("invalid session: the token is of another issuer")
        try:
            claims = jwt.decode(token, known.keys, algorithms=list(ALGORITHMS)).claims
        except (JoseError, ValueError, TypeError):
            raise NotSignedIn("invalid session: the provider did not sign this token") from None
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
            if known is not None and known.config == config and now - self._asked < _ASK_AGAIN:
                return known
            self._asked = now
            self._known = await self._fetched(config)
            return self._known

    def _at_hand(self, config: OidcConfig, key_id: str) -> _Known | None:
        """Return what was read of late, if a key is in it or none is asked for."""
        known = self._known
        if known is None or known.config != config or self._world.clock.monotonic() - known.at >= _KEPT_FOR:
            return None
        return known if not key_id or key_id in known.ids else None

    async def _fetched(self, config: OidcConfig) -> _Known:
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        address = f"{config.issuer.rstrip('/')}/.well-known/openid-configuration"
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
        return _Known(config, metadata, keys, ids, self._world.clock.monotonic())

    async def _json(self, config: OidcConfig, url: str, body: bytes = b"", authorization: str = "") -> dict[str, Any]:
        if self._web is None:
            raise Failure(UNAVAILABLE, "this server has no way out to a provider")
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
            answer = await self._web.ask(request)
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


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0
