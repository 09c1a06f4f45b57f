"""Whom a request is carried out as: the headers of `kubectl --as`, which need the right to impersonate.

Asked by `syncline.sandbox.serving.http` and `syncline.sandbox.serving.transport`. As with a real API server a service
account is impersonated by the right on service accounts, and gets its groups without anybody naming them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from syncline.sandbox.access import rbac
from syncline.sandbox.access.rbac import ANONYMOUS, Attempt, User

if TYPE_CHECKING:
    from syncline.sandbox.backend import Backend

_ACCOUNT = "system:serviceaccount:"
_EVERYBODY = "system:authenticated"


def acting(backend: Backend, user: User, name: str, groups: Sequence[str]) -> User:
    """Return whom a user acts as; raises what a server answers where that is not permitted."""
    if not name:
        return user
    namespace, colon, account = name.removeprefix(_ACCOUNT).partition(":")
    if name.startswith(_ACCOUNT) and colon:
        wanted = Attempt(verb="impersonate", plural="serviceaccounts", namespace=namespace, name=account)
        own: tuple[str, ...] = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")
    else:
        wanted, own = Attempt(verb="impersonate", plural="users", name=name), ()
    rbac.check_attempt(backend, user, wanted)
    for group in groups:
        rbac.check_attempt(backend, user, Attempt(verb="impersonate", plural="groups", name=group))
    if name == ANONYMOUS.name and not groups:
        return ANONYMOUS
    return User(name, tuple(dict.fromkeys((*(groups or own), _EVERYBODY))))
