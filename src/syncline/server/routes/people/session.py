"""Signing in and out, and who one is."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import RedirectResponse, Response

from syncline.model.shown_tokens import unchecked
from syncline.server.access.accounts import ADMIN
from syncline.server.access.identify import COOKIE, shown_token
from syncline.server.access.oidc.identity import shown_name
from syncline.server.access.tokens import ISSUER
from syncline.server.answers import people
from syncline.server.answers.kinds import Empty, Redirect
from syncline.server.requests.answers import json_answer
from syncline.server.requests.call import Call
from syncline.server.requests.failures import NotSignedIn
from syncline.server.requests.permissions import Open, SignedIn
from syncline.server.requests.routing import Endpoint, Query

_PIECE = 3800
"""What a browser surely takes in one cookie, with its name and attributes."""


class Credentials(msgspec.Struct, frozen=True):
    """A name and a password."""

    username: str = ""
    password: str = ""
    token: str = ""


async def sign_in(call: Call) -> Response:
    """Return a token for a name and a password, and set the cookie."""
    given = call.body(Credentials)
    token = await call.backend.sessions.sign_in(given.username, given.password)
    return with_cookie(call, json_answer({"token": token}), token)


def with_cookie(call: Call, response: Response, token: str) -> Response:
    """Return an answer that signs its reader in; a long token is cut into several cookies, as Argo CD cuts it."""
    pieces = [token[start : start + _PIECE] for start in range(0, len(token), _PIECE)]
    if len(pieces) > 1:
        pieces[0] = f"{len(pieces)}:{pieces[0]}"
    for number, piece in enumerate(pieces):
        response.set_cookie(
            f"{COOKIE}-{number}" if number else COOKIE,
            piece,
            max_age=int(call.backend.accounts.session_seconds()),
            path="/",
            secure=call.backend.reached.tls,
            httponly=True,
            samesite="lax",
        )
    return response


def without_cookie(call: Call, response: Response) -> Response:
    """Return an answer that signs its reader out."""
    for name in [COOKIE, *(one for one in call.request.cookies if one.startswith(f"{COOKIE}-"))]:
        response.delete_cookie(name, path="/", secure=call.backend.reached.tls, httponly=True, samesite="lax")
    return response


async def sign_out(call: Call) -> Response:
    """End the session: its token is good no longer."""
    await call.backend.tokens.revoke(shown_token(call.request)[0])
    return without_cookie(call, json_answer({}))


async def user_info(call: Call) -> dict[str, Any]:
    """Return who asks; nobody is an answer too."""
    if not call.signed_in or not call.who.subject:
        return {}
    claims = unchecked(shown_token(call.request)[0])[1]
    known = {"iss": str(claims.get("iss") or ISSUER), "groups": list(call.who.groups)}
    return {"loggedIn": True, "username": shown_name(claims) or call.who.subject, **known}


async def sign_in_once(call: Call) -> Response:
    """Sign in by a link that was printed for one use, and go to the page."""
    account = call.backend.accounts.find(ADMIN)
    if account is None or not account.enabled or not call.backend.links.use(call.text("code")):
        if "text/html" in call.request.headers.get("accept", ""):
            # A person in a browser: whoever has a session already goes on, anybody else reads how to sign in.
            return RedirectResponse("/" if call.signed_in else "/login?link=used", status_code=303)
        raise NotSignedIn("this link was used already, or is of another run: take the one that was printed last")
    token = call.backend.sessions.session_of(ADMIN)
    return with_cookie(call, RedirectResponse("/", status_code=303), token)


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/api/v1/session",
        handler=sign_in,
        about="Sign in.",
        answer=people.NewlyMade,
        permission=Open("it is how a session begins"),
        body=Credentials,
        limit=8192,
    ),
    Endpoint(
        method="DELETE",
        path="/api/v1/session",
        handler=sign_out,
        about="Sign out.",
        answer=Empty,
        permission=SignedIn("it ends the caller's own session"),
    ),
    Endpoint(
        method="GET",
        path="/api/v1/session/userinfo",
        handler=user_info,
        about="Who one is.",
        answer=people.UserInfo,
        permission=Open("it describes only the caller, or says that no one is signed in"),
    ),
    Endpoint(
        method="GET",
        path="/login/once",
        handler=sign_in_once,
        about="Sign in by a link for one use.",
        answer=Redirect(),
        permission=Open("the code in the link is the proof"),
        query=(Query("code", "The code of the link."),),
    ),
)
