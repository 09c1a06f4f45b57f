"""`oidc.config` of argocd-cm as a value: whom we ask, as whom, for what, and whom we trust.

Read by `syncline.server.access.oidc.provider`. A value `$key` stands for an entry of argocd-secret, `$secret:key` for
one of a Secret that is labelled as a part of Argo CD.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery import yaml

DEFAULT_SCOPES = ("openid", "profile", "email", "groups")
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
    if not (entry := looked_up(text, secrets)):
        raise InvalidOidc(f"{name} of oidc.config names a Secret entry that is not there")
    return entry


def looked_up(reference: str, secrets: Secrets) -> str:
    """Return the entry that `$key` or `$secret:key` stands for; empty where it is not there."""
    secret, colon, key = reference[1:].partition(":")
    return secrets(secret, key) if colon else secrets("", secret)


def _texts(found: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = found.get(name)
    return tuple(map(str, value)) if isinstance(value, list) else ()
