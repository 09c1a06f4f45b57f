"""Finds out who sends a request: by the token in `Authorization`, in the cookie, or in the header of the command line.

A token that is shown and not good is refused even where people may look without login: claims that nobody checked
count for nothing.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from syncline.core.policy.rbac.rights import Who
from syncline.server.access.accounts import Accounts
from syncline.server.access.tokens import Tokens
from syncline.server.requests.failures import NotSignedIn

COOKIE: Final = "argocd.token"
_PARTS = 20


def shown_token(request: Request) -> tuple[str, bool]:
    """Return the token of a request, and whether a browser may have added it; empty where none is shown."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token:
        return token.strip(), False
    if token := request.headers.get("token", ""):
        return token, False
    return cookie_token(request), True


def cookie_token(request: Request) -> str:
    """Return the token in the cookie, which Argo CD cuts into several where it is long: `2:first`, then the rest."""
    first = request.cookies.get(COOKIE, "")
    count, colon, rest = first.partition(":")
    if not colon or not count.isdigit() or not 1 <= int(count) <= _PARTS:
        return first
    more = (request.cookies.get(f"{COOKIE}-{number}", "") for number in range(1, int(count)))
    return rest + "".join(more)


def identify(request: Request, tokens: Tokens, accounts: Accounts) -> tuple[Who, bool]:
    """Return who asks, and whether the cookie says so; raises `NotSignedIn`."""
    token, by_cookie = shown_token(request)
    if token:
        return tokens.check(token), by_cookie
    if accounts.anonymous():
        return Who(""), False
    raise NotSignedIn
