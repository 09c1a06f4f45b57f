"""Who somebody is by a token of the provider: the name that policies speak of, and the groups.

As with Argo CD the name is `federated_claims.user_id` where Dex tells it, else `sub`; the groups are the values of the
claims that `scopes` of argocd-rbac-cm lists. Local accounts, roles and tokens of projects have their names in the same
policies, so nobody gets one of those from a provider: a person is named with `sso:` in front then, a group is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from syncline.apimachinery import yaml
from syncline.core.policy.rbac.reserved import is_reserved
from syncline.core.policy.rbac.rights import Who

_USUAL = ("groups",)
_GROUPS_AT_MOST = 1000
_FOREIGN: Final = "sso:"
IsAccount = Callable[[str], bool]
"""Whether a name is that of a local account, one that is disabled too."""


def who(claims: Mapping[str, Any], scopes: str, is_account: IsAccount) -> Who:
    """Return who shows these claims, which were checked; a claim of another form than a text says nothing."""
    federated = claims.get("federated_claims")
    known = federated.get("user_id") if isinstance(federated, Mapping) else None
    name = known if isinstance(known, str) and known else claims.get("sub")
    subject = name if isinstance(name, str) else ""

    def is_taken(text: str) -> bool:
        return is_reserved(text) or text.startswith(_FOREIGN) or is_account(text)

    groups: list[str] = []
    for claim in _listed(scopes):
        value = claims.get(claim)
        values = value if isinstance(value, list) else [value]
        groups += [one for one in values if isinstance(one, str) and one and not is_taken(one)]
    # In front of such a name too, so that two people never become one.
    own = f"{_FOREIGN}{subject}" if not subject or is_taken(subject) else subject
    return Who(own, tuple(dict.fromkeys(groups))[:_GROUPS_AT_MOST])


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
