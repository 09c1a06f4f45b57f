"""Who somebody is by a token of the provider: the name that policies speak of, and the groups.

As with Argo CD the name is `federated_claims.user_id` where Dex tells it, else `sub`; the groups are the values of the
claims that `scopes` of argocd-rbac-cm lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery import yaml
from syncline.core.policy.rbac.rights import Who

_USUAL = ("groups",)
_GROUPS_AT_MOST = 1000


def who(claims: Mapping[str, Any], scopes: str) -> Who:
    """Return who shows these claims, which were checked."""
    federated = claims.get("federated_claims")
    known = federated.get("user_id") if isinstance(federated, dict) else None
    subject = str(known or claims["sub"])
    groups: list[str] = []
    for name in _listed(scopes):
        value = claims.get(name)
        groups += [value] if isinstance(value, str) else [str(one) for one in value] if isinstance(value, list) else []
    return Who(subject, tuple(dict.fromkeys(groups))[:_GROUPS_AT_MOST])


def shown_name(claims: Mapping[str, Any]) -> str:
    """Return what people call somebody: the address, else the name."""
    return next((str(claims[name]) for name in ("email", "preferred_username", "name") if claims.get(name)), "")


def _listed(scopes: str) -> tuple[str, ...]:
    if not scopes.strip():
        return _USUAL
    try:
        found = yaml.load(scopes.encode(), source="scopes of argocd-rbac-cm")
    except yaml.YamlError:
        return _USUAL
    return tuple(map(str, found)) if isinstance(found, list) else _USUAL
