"""`dex.config` of argocd-cm as what Dex is started with, and as a provider like any other.

Called by `syncline.server.access.oidc.dex`. As with Argo CD, Dex is found below `/api/dex` of the server, keeps
everything in memory, and knows two clients: this server, whose secret comes from the key of the installation, and
programs on people's machines, which have none.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from syncline.apimachinery import yaml
from syncline.server.access.oidc.settings import DEFAULT_SCOPES, InvalidOidc, OidcConfig, Secrets, looked_up

PATH: Final = "/api/dex"
CLIENT, CLI_CLIENT = "argo-cd", "argo-cd-cli"
_FEDERATED = "federated:id"
_REFERENCE = re.compile(r"\$[-._a-zA-Z0-9]+(:[-._a-zA-Z0-9]+)?")
_OURS = ("issuer", "storage", "web", "grpc", "telemetry")
"""What an installation does not choose: where Dex is found, and that it listens nowhere else."""
_COME_BACK = frozenset(
    {"authproxy", "bitbucket-cloud", "cf", "gitea", "github", "gitlab", "google", "linkedin"}
    | {"microsoft", "oauth", "oidc", "openshift", "saml"}
)
"""Connectors that send the browser elsewhere, and have to know where to send it back to."""


class Connector(msgspec.Struct, frozen=True):
    """A way to log in that Dex offers."""

    name: str
    type: str


class DexConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What Dex runs with, and what the server tells of it. Its texts hold secrets."""

    content: Mapping[str, Any]
    provider: OidcConfig
    connectors: tuple[Connector, ...]
    hidden: tuple[str, ...] = ()
    """Values that are told to nobody."""

    def __repr__(self) -> str:
        return f"DexConfig({self.provider.issuer!r})"

    @property
    def posts_forms(self) -> bool:
        """Whether pages of Dex send themselves off by script, as those of SAML do."""
        return any(one.type == "saml" for one in self.connectors)


def parse(config: Mapping[str, str], secrets: Secrets, key: str) -> DexConfig | None:
    """Return the configuration; None where there is none, or `oidc.config` names another provider."""
    text = config.get("dex.config", "")
    if not text.strip() or config.get("oidc.config", "").strip():
        return None
    url = config.get("url", "").rstrip("/")
    if not url.startswith(("https://", "http://")):
        raise InvalidOidc("argocd-cm needs url: the address that browsers find this server by")
    if not key:
        # The secret between us and Dex is made of it.
        raise InvalidOidc("argocd-secret has no server.secretkey, which logins by Dex need")
    try:
        found = yaml.load(text.encode(), source="dex.config of argocd-cm")
    except yaml.YamlError:
        raise InvalidOidc("dex.config of argocd-cm is not YAML") from None
    if not isinstance(found, dict):
        raise InvalidOidc("dex.config of argocd-cm is not a mapping")
    hidden: list[str] = []
    filled = _filled(found, secrets, hidden)
    secret = base64.urlsafe_b64encode(hashlib.sha256(key.encode()).digest()).decode()[:40]
    connectors = [_connector(one, f"{url}{PATH}/callback") for one in _list(filled, "connectors")]
    homes = [url, *_additional(config.get("additionalUrls", ""))]
    content = {
        **{name: value for name, value in filled.items() if name not in _OURS},
        "issuer": f"{url}{PATH}",
        "storage": {"type": "memory"},
        "oauth2": {"skipApprovalScreen": True, **_mapping(filled.get("oauth2"))},
        "connectors": connectors,
        "staticClients": [*_clients(homes, secret), *_list(filled, "staticClients")],
    }
    return DexConfig(
        content=content,
        provider=OidcConfig(
            issuer=f"{url}{PATH}",
            client_id=CLIENT,
            cli_client_id=CLI_CLIENT,
            name="Dex",
            secret=secret,
            scopes=(*DEFAULT_SCOPES, _FEDERATED),
            url=url,
        ),
        connectors=tuple(Connector(str(one.get("name") or ""), str(one.get("type") or "")) for one in connectors),
        hidden=(secret, *hidden),
    )


def _clients(homes: list[str], secret: str) -> list[dict[str, Any]]:
    callbacks = [f"{home.rstrip('/')}/auth/callback" for home in homes]
    return [
        {"id": CLIENT, "name": "Argo CD", "secret": secret, "redirectURIs": callbacks},
        # Without addresses Dex takes any port of localhost, and nothing else.
        {"id": CLI_CLIENT, "name": "Argo CD CLI", "public": True},
    ]


def _connector(one: Any, callback: str) -> dict[str, Any]:
    if not isinstance(one, dict) or not one.get("type"):
        raise InvalidOidc("each of the connectors of dex.config needs a type, an id and a name")
    if one["type"] not in _COME_BACK:
        return one
    return {**one, "config": {**_mapping(one.get("config")), "redirectURI": callback}}


def _filled(value: Any, secrets: Secrets, hidden: list[str]) -> Any:
    """Return a value with the entries of Secrets that it names; other texts may begin with a dollar, as hashes do."""
    if isinstance(value, dict):
        return {name: _filled(member, secrets, hidden) for name, member in value.items()}
    if isinstance(value, list):
        return [_filled(member, secrets, hidden) for member in value]
    if isinstance(value, str) and _REFERENCE.fullmatch(value):
        found = looked_up(value, secrets)
        if not found:
            raise InvalidOidc("dex.config names a Secret entry that is not there")
        hidden.append(found)
        return found
    return value


def _list(found: Mapping[str, Any], name: str) -> list[Any]:
    value = found.get(name)
    if value is not None and not isinstance(value, list):
        raise InvalidOidc(f"{name} of dex.config is not a list")
    return value or []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _additional(text: str) -> list[str]:
    try:
        found = yaml.load(text.encode(), source="additionalUrls of argocd-cm") if text.strip() else []
    except yaml.YamlError:
        return []
    return [str(one) for one in found] if isinstance(found, list) else []
