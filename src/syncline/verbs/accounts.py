"""The local accounts of an installation: `accounts.<name>` of argocd-cm, and when their tokens were issued."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.nearest import instead
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.errors import NotFound

_PREFIX = "accounts."


class AccountToken(msgspec.Struct, frozen=True, rename="camel"):
    """A token: its id, and when it was issued and expires, in seconds since 1970; the token itself is kept nowhere."""

    id: str = ""
    iat: int = 0
    exp: int = 0


class Account(msgspec.Struct, frozen=True):
    """An account: whether it may be used, and for what (`login`, `apiKey`)."""

    name: str
    enabled: bool = True
    capabilities: tuple[str, ...] = ()


async def accounts(cluster: Cluster, namespace: str) -> list[Account]:
    """Return all accounts, `admin` first."""
    content = await _data(cluster, namespace, "ConfigMap", "argocd-cm")
    admin = Account("admin", str(content.get("admin.enabled", "true")).lower() != "false", ("login",))
    names = sorted(
        name for key in content if key.startswith(_PREFIX) and "." not in (name := key.removeprefix(_PREFIX))
    )
    return [admin, *(_account(name, content) for name in names if name != "admin")]


def _account(name: str, content: Mapping[str, Any]) -> Account:
    words = str(content.get(f"{_PREFIX}{name}") or "").split(",")
    enabled = str(content.get(f"{_PREFIX}{name}.enabled", "true")).lower() != "false"
    return Account(name, enabled, tuple(word.strip() for word in words if word.strip()))


def named(found: list[Account], name: str) -> Account:
    """Return one account; raises a sentence that names those there are."""
    known = {one.name: one for one in found}
    if name not in known:
        raise NotFound(f"no account named {name}", hint=instead(name, list(known)))
    return known[name]


async def tokens(cluster: Cluster, namespace: str, name: str) -> list[AccountToken] | None:
    """Return the tokens of an account; None where the Secret that lists them may not be read."""
    key = "admin.tokens" if name == "admin" else f"{_PREFIX}{name}.tokens"
    try:
        content = await _data(cluster, namespace, "Secret", "argocd-secret")
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return None
    try:
        return msgspec.json.decode(base64.b64decode(content.get(key) or "") or b"[]", type=list[AccountToken])
    except (msgspec.DecodeError, binascii.Error):
        return None


async def _data(cluster: Cluster, namespace: str, kind: str, name: str) -> Mapping[str, Any]:
    resource = (await cluster.discover()).find(GroupKind("", kind))
    found = await cluster.get(resource, namespace, name) if resource is not None else None
    return (found or {}).get("data") or {}
