"""`oidc.config` of argocd-cm as a value: whom we ask, as whom, for what, and whom we trust.

Read by `syncline.server.access.oidc.provider` for each request. A value `$key` stands for
an entry of argocd-secret, `$secret:key` for one of a Secret that is labelled as a part of Argo CD.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import yaml

DEFAULT_SCOPES = ("openid", "profile", "email", "groups")
DEX_WORD = (
    "dex.config is not served: there is no bundled Dex; run Dex on its own and name it in oidc.config"
    " (issuer, clientID, clientSecret)"
)
Secrets = Callable[[str, str], str]
"""Returns an entry of a Secret by names of both; empty where it is not there. No name: argocd-secret."""


class InvalidOidc(Exception):
    """The configuration cannot be used; the text says why, without values."""


class OidcConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What is configured. `secret` is never shown."""

    issuer: str
    client_id: str
    name: str = "SSO"
    secret: str = ""
    cli_client_id: str = ""
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    claims: Mapping[str, Any] = {}
    audiences: tuple[str, ...] = ()
    root_ca: str = ""
    insecure: bool = False
    logout_url: str = ""
    url: str = ""
    """Where browsers find this server, which the provider sends them back to."""

    def __repr__(self) -> str:
        return f"OidcConfig({self.issuer!r})"

    @property
    def accepted(self) -> tuple[str, ...]:
        """For whom a token may be: our own clients, or whoever else is allowed."""
        return self.audiences or tuple(filter(None, (self.client_id, self.cli_client_id)))

    @property
    def callback(self) -> str:
        """The address that the provider sends browsers back to."""
        return f"{self.url.rstrip('/')}/auth/callback"


def parse(config: Mapping[str, str], secrets: Secrets) -> OidcConfig | None:
    """Return the configuration; None where there is none. Raises `InvalidOidc`."""
    text = config.get("oidc.config", "")
    if not text.strip():
        if config.get("dex.config", "").strip():
            raise InvalidOidc(DEX_WORD)
        return None
    try:
        found = yaml.load(text.encode(), source="oidc.config of argocd-cm")
    except yaml.YamlError:
        raise InvalidOidc("oidc.config of argocd-cm is not YAML") from None
    if not isinstance(found, dict):
        raise InvalidOidc("oidc.config of argocd-cm is not a mapping")
    issuer, client = _text(found, "issuer", secrets), _text(found, "clientID", secrets)
    if not issuer or not client:
        raise InvalidOidc("oidc.config of argocd-cm needs issuer and clientID")
    if not issuer.startswith(("https://", "http://127.0.0.1", "http://localhost", "http://[::1]")):
        raise InvalidOidc("the issuer of oidc.config has to be an https address")
    url = config.get("url", "")
    if not url.startswith(("https://", "http://")):
        raise InvalidOidc("argocd-cm needs url: the address that browsers find this server by")
    return OidcConfig(
        issuer=issuer,
        client_id=client,
        name=_text(found, "name", secrets) or "SSO",
        secret=_text(found, "clientSecret", secrets),
        cli_client_id=_text(found, "cliClientID", secrets),
        scopes=_texts(found, "requestedScopes") or DEFAULT_SCOPES,
        claims=claims if isinstance(claims := found.get("requestedIDTokenClaims"), dict) else {},
        audiences=_texts(found, "allowedAudiences"),
        root_ca=_text(found, "rootCA", secrets),
        insecure=config.get("oidc.tls.insecure.skip.verify", "").lower() == "true",
        logout_url=_text(found, "logoutURL", secrets),
        url=url,
    )


def _text(found: Mapping[str, Any], name: str, secrets: Secrets) -> str:
    value = found.get(name)
    text = "" if value is None else str(value).strip() if name != "rootCA" else str(value)
    if not text.startswith("$"):
        return text
    secret, colon, key = text[1:].partition(":")
    looked_up = secrets(secret, key) if colon else secrets("", secret)
    if not looked_up:
        raise InvalidOidc(f"{name} of oidc.config names a Secret entry that is not there")
    return looked_up


def _texts(found: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = found.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()
