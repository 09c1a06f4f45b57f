"""Local accounts as argocd-cm and argocd-secret describe them: hashes, capabilities, when a password was set, tokens.

Read from the live view, so that a change in the cluster counts at once. Used by `syncline.server.access.sessions` for
logins, `syncline.server.access.tokens` for whoever shows a token, and the routes of accounts.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import msgspec

from syncline.apimachinery import duration, times
from syncline.apimachinery.keys import ObjectKey
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.verbs.accounts import AccountToken

LOGIN: Final = "login"
API_KEY: Final = "apiKey"
ADMIN: Final = "admin"
LONGEST_NAME: Final = 32
_PREFIX = "accounts."


class LocalAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One account with what proves it; the hash is never shown."""

    name: str
    enabled: bool
    capabilities: tuple[str, ...]
    hashed: str = ""
    changed: datetime | None = None
    tokens: tuple[AccountToken, ...] = ()

    def can(self, capability: str) -> bool:
        """Whether the account is for that."""
        return self.enabled and capability in self.capabilities


class Accounts:
    """The accounts in force."""

    def __init__(self, world: World, live: LiveCluster) -> None:
        self._world = world
        self._live = live
        self._of: tuple[int, int] | None = None
        self._secret: dict[str, bytes] = {}
        self._accounts: dict[str, LocalAccount] = {}

    def find(self, name: str) -> LocalAccount | None:
        """Return one account; None where nothing names it."""
        self._read()
        return self._accounts.get(name)

    def all(self) -> list[LocalAccount]:
        """Return all accounts, `admin` first."""
        self._read()
        return list(self._accounts.values())

    def _read(self) -> None:
        """Read the accounts again where something of them has changed: every request asks for one."""
        found = (self._live.index.version(self._map_key("argocd-cm")), self._live.index.version(self.secret_key))
        if found == self._of:
            return
        self._of, self._secret = found, decoded(self._live.index.get(self.secret_key))
        self._accounts = {one.name: one for one in self._listed()}

    def _listed(self) -> list[LocalAccount]:
        content, secret = self._config(), self._secret
        names = {key.removeprefix(_PREFIX) for key in content if key.startswith(_PREFIX)}
        others = sorted(name for name in names if "." not in name and name != ADMIN)
        return [self._admin(content, secret), *(_account(name, content, secret) for name in others)]

    def secret(self) -> Mapping[str, bytes]:
        """Return the entries of argocd-secret, decoded; what cannot be decoded is left out."""
        self._read()
        return self._secret

    @property
    def secret_key(self) -> ObjectKey:
        """The key of argocd-secret."""
        return ObjectKey("", "Secret", self._world.settings.namespace, "argocd-secret")

    def session_seconds(self) -> float:
        """Return how long a login lasts."""
        return go_duration(self._config().get("users.session.duration", ""), 24 * 3600.0)

    def anonymous(self) -> bool:
        """Whether people may look without login."""
        return self._config().get("users.anonymous.enabled", "").lower() == "true"

    def group_claims(self) -> str:
        """Return the claims of a provider's token that hold groups, as argocd-rbac-cm lists them."""
        return self._map("argocd-rbac-cm").get("scopes", "")

    def _config(self) -> Mapping[str, str]:
        return self._map("argocd-cm")

    def _map(self, name: str) -> Mapping[str, str]:
        found = self._live.index.get(self._map_key(name)) or {}
        data = found.get("data")
        return {str(key): str(value) for key, value in data.items()} if isinstance(data, dict) else {}

    def _map_key(self, name: str) -> ObjectKey:
        return ObjectKey("", "ConfigMap", self._world.settings.namespace, name)

    @staticmethod
    def _admin(content: Mapping[str, str], secret: Mapping[str, bytes]) -> LocalAccount:
        more = [word.strip() for word in content.get(f"{_PREFIX}{ADMIN}", "").split(",")]
        return LocalAccount(
            name=ADMIN,
            enabled=content.get("admin.enabled", "true").lower() != "false",
            capabilities=tuple(dict.fromkeys([LOGIN, *filter(None, more)])),
            hashed=secret.get("admin.password", b"").decode(errors="replace"),
            changed=_time(secret.get("admin.passwordMtime", b"")),
            tokens=_tokens(secret.get("admin.tokens", b"")),
        )


def _account(name: str, content: Mapping[str, str], secret: Mapping[str, bytes]) -> LocalAccount:
    key = f"{_PREFIX}{name}"
    return LocalAccount(
        name=name,
        enabled=content.get(f"{key}.enabled", "true").lower() != "false",
        capabilities=tuple(word.strip() for word in content.get(key, "").split(",") if word.strip()),
        hashed=secret.get(f"{key}.password", b"").decode(errors="replace"),
        changed=_time(secret.get(f"{key}.passwordMtime", b"")),
        tokens=_tokens(secret.get(f"{key}.tokens", b"")),
    )


def decoded(secret: Mapping[str, Any] | None) -> dict[str, bytes]:
    """Return the entries of a Secret; what cannot be decoded is left out."""
    found: dict[str, bytes] = {}
    for name, value in ((secret or {}).get("data") or {}).items():
        try:
            found[str(name)] = base64.b64decode(str(value), validate=True)
        except (binascii.Error, ValueError):
            continue
    return found


def _time(text: bytes) -> datetime | None:
    try:
        return times.parse(text.decode()) if text else None
    except (times.InvalidTime, UnicodeDecodeError):
        return None


def _tokens(text: bytes) -> tuple[AccountToken, ...]:
    try:
        return tuple(msgspec.json.decode(text or b"[]", type=list[AccountToken]))
    except msgspec.DecodeError:
        return ()


def go_duration(text: str, otherwise: float) -> float:
    """Return the seconds of a duration as Go writes it (`1h30m`); `otherwise` for one that cannot be read."""
    try:
        return duration.parse(text) / 1e9 if text else otherwise
    except duration.InvalidDuration:
        return otherwise
