"""Local accounts: listing them, their passwords and tokens, and what one may do."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import msgspec

from syncline.apimachinery import times
from syncline.apimachinery.keys import GroupVersionKind
from syncline.core.policy.rbac.words import ACTIONS, action_known
from syncline.ports.kube import ApiError, ApiResource
from syncline.server.access.accounts import ADMIN, API_KEY, LOGIN, LocalAccount
from syncline.server.answers import people
from syncline.server.answers.kinds import Empty
from syncline.server.requests.call import Call
from syncline.server.requests.failures import CONFLICT, INVALID, Failure
from syncline.server.requests.permissions import Filtered, Needs, SignedIn, Subject, Target
from syncline.server.requests.routing import Endpoint
from syncline.verbs.accounts import AccountToken
from syncline.verbs.errors import InvalidRequest, NotFound

_SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)
_MANAGER = "syncline-server"
_ATTEMPTS = 5
_DEFAULT_PATTERN = "^.{8,32}$"
_LONGEST_PASSWORD = 72


async def list_accounts(call: Call) -> dict[str, Any]:
    """Return the accounts that whoever asks may see; their own is among them."""
    seen = [one for one in call.backend.accounts.all() if _may_see(call, one.name)]
    return {"items": [_shown(one) for one in seen]}


def _may_see(call: Call, name: str) -> bool:
    return name == call.username or call.may("accounts", "get", name)


def _shown(account: LocalAccount) -> dict[str, Any]:
    return {
        "name": account.name,
        "enabled": account.enabled,
        "capabilities": list(account.capabilities),
        "tokens": [_token(one) for one in account.tokens],
    }


def _token(one: AccountToken) -> dict[str, Any]:
    return {"id": one.id, "issuedAt": str(one.iat), **({"expiresAt": str(one.exp)} if one.exp else {})}


async def get_account(call: Call) -> dict[str, Any]:
    """Return one account."""
    return _shown(call.of(_ACCOUNT))


def _target(call: Call, name: str) -> Target[LocalAccount]:
    """Return an account by its name; one may see and change one's own."""
    found = call.backend.accounts.find(name)
    missing = NotFound(f"account '{name}' does not exist") if found is None else None
    return Target(name, found, missing, permitted=name == call.username)


async def _find(call: Call) -> Target[LocalAccount]:
    return _target(call, call.path("name"))


_ACCOUNT = Subject("the account in the path", _find)
_OWN = "one's own account needs no right"


async def can_i(call: Call) -> dict[str, str]:
    """Return whether whoever asks may do something."""
    resource, action = call.path("resource"), call.path("action")
    if resource not in ACTIONS or not action_known(resource, action):
        raise InvalidRequest(f"{action} {resource} is nothing that policies know")
    # Any right may be asked about, so none is declared.
    may = call.backend.guard.may(call.who, resource, action, call.path("subresource"))
    return {"value": "yes" if may else "no"}


class NewPassword(msgspec.Struct, frozen=True, rename="camel"):
    """A new password, proven by that of whoever asks."""

    new_password: str
    current_password: str = ""
    name: str = ""


async def _find_in_body(call: Call) -> Target[LocalAccount]:
    return _target(call, call.body(NewPassword).name or call.username)


_IN_BODY = Subject("the account in the body, or the caller's own", _find_in_body)


async def update_password(call: Call) -> dict[str, Any]:
    """Set the password of an account."""
    wanted, account = call.body(NewPassword), call.of(_IN_BODY)
    name = account.name
    if not account.can(LOGIN):
        raise InvalidRequest(f"the account {name} is not for logins")
    if not await call.backend.sessions.proves(call.username, wanted.current_password):
        raise Failure(INVALID, "current password does not match")
    _require_good(call, wanted.new_password)
    prefix = ADMIN if name == ADMIN else f"accounts.{name}"
    entries = {
        f"{prefix}.password": await call.backend.passwords.hashed(wanted.new_password),
        f"{prefix}.passwordMtime": times.format_time(call.backend.world.clock.now()),
    }
    await _change(call, lambda _present: entries)
    return {}


def _require_good(call: Call, password: str) -> None:
    pattern = call.backend.config("argocd-cm").get("passwordPattern") or _DEFAULT_PATTERN
    try:
        good = re.fullmatch(pattern, password) is not None
    except re.error:
        good = re.fullmatch(_DEFAULT_PATTERN, password) is not None
    if not good or len(password.encode()) > _LONGEST_PASSWORD:
        raise Failure(
            INVALID, f"the new password does not match {pattern}, or is longer than {_LONGEST_PASSWORD} bytes"
        )


class NewToken(msgspec.Struct, frozen=True, rename="camel"):
    """A token to make; without `expires_in` seconds it never expires."""

    expires_in: int = 0
    id: str = ""
    name: str = ""


async def create_token(call: Call) -> dict[str, str]:
    """Make a token of an account; it is shown this once and kept nowhere."""
    account, wanted = call.of(_ACCOUNT), call.body(NewToken)
    if not account.can(API_KEY):
        raise InvalidRequest(f"the account {account.name} is not for tokens", hint="add apiKey to its capabilities")
    if wanted.id in {one.id for one in account.tokens}:
        raise Failure(CONFLICT, f"the account {account.name} has a token {wanted.id} already")
    if wanted.expires_in < 0:
        raise InvalidRequest("expiresIn is a number of seconds, or 0 for a token that never expires")
    subject = f"{account.name}:{API_KEY}"
    token, claims = call.backend.tokens.issue(subject, seconds=wanted.expires_in, token_id=wanted.id)
    made = AccountToken(id=claims.jti, iat=int(claims.iat), exp=int(claims.exp))
    await _change_tokens(call, account.name, lambda present: (*present, made))
    return {"token": token}


async def delete_token(call: Call) -> dict[str, Any]:
    """Delete a token of an account: it is good no longer."""
    account, gone = call.of(_ACCOUNT), call.path("id")
    if gone not in {one.id for one in account.tokens}:
        raise NotFound(f"the account {account.name} has no token {gone}")
    await _change_tokens(call, account.name, lambda present: tuple(one for one in present if one.id != gone))
    return {}


_Tokens = tuple[AccountToken, ...]


async def _change_tokens(call: Call, name: str, change: Callable[[_Tokens], _Tokens]) -> None:
    key = f"{ADMIN}.tokens" if name == ADMIN else f"accounts.{name}.tokens"

    def entries(present: dict[str, Any]) -> dict[str, str]:
        text = base64.b64decode((present.get("data") or {}).get(key) or "") or b"[]"
        kept = tuple(msgspec.json.decode(text, type=list[AccountToken]))
        return {key: msgspec.json.encode(change(kept)).decode()}

    await _change(call, entries)


async def _change(call: Call, entries: Callable[[dict[str, Any]], dict[str, str]]) -> None:
    """Write entries of argocd-secret that are worked out from what is stored, also when others write to it."""
    backend = call.backend
    for _ in range(_ATTEMPTS):
        present = await backend.home.get(_SECRETS, backend.namespace, "argocd-secret")
        if present is None:
            raise NotFound("there is no Secret argocd-secret to keep accounts in")
        data = {name: base64.b64encode(text.encode()).decode() for name, text in entries(present).items()}
        change = {"metadata": {"resourceVersion": present["metadata"]["resourceVersion"]}, "data": data}
        try:
            stored = await backend.home.patch(
                _SECRETS, backend.namespace, "argocd-secret", change, kind="merge", manager=_MANAGER
            )
        except ApiError as error:
            if error.reason != "Conflict":
                raise
            continue
        backend.live.note_write({**stored, "apiVersion": "v1", "kind": "Secret"})
        return
    raise Failure(CONFLICT, "argocd-secret keeps being changed by others", hint="try again")


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/v1/account",
        handler=list_accounts,
        about="List accounts.",
        answer=people.AccountList,
        permission=Filtered("accounts", "get", "accounts; the caller's own is always among them"),
    ),
    Endpoint(
        method="PUT",
        path="/api/v1/account/password",
        handler=update_password,
        about="Set a password.",
        answer=Empty,
        permission=Needs("accounts", "update", _IN_BODY, f"{_OWN}; the caller's password has to be sent along"),
        body=NewPassword,
        limit=8192,
    ),
    Endpoint(
        method="GET",
        path="/api/v1/account/can-i/{resource}/{action}/{subresource:path}",
        handler=can_i,
        about="Whether one may do something.",
        answer=people.CanI,
        permission=SignedIn("it says what the caller may do, and nothing else"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/account/{name}",
        handler=get_account,
        about="Get an account.",
        answer=people.AccountAnswer,
        permission=Needs("accounts", "get", _ACCOUNT, _OWN),
    ),
    Endpoint(
        method="POST",
        path="/api/v1/account/{name}/token",
        handler=create_token,
        about="Make a token.",
        answer=people.NewlyMade,
        permission=Needs("accounts", "update", _ACCOUNT, _OWN),
        body=NewToken,
    ),
    Endpoint(
        method="DELETE",
        path="/api/v1/account/{name}/token/{id}",
        handler=delete_token,
        about="Delete a token.",
        answer=Empty,
        permission=Needs("accounts", "update", _ACCOUNT, _OWN),
    ),
)
