"""Single sign-on: off to the provider, back with a code, and out again.

A login begins with a random state, nonce and PKCE verifier, and ends in the browser it began in, once. What the
provider says of a failure is never shown: it could say anything.
"""

from __future__ import annotations

import hmac
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from starlette.responses import RedirectResponse, Response

from syncline.server.access.identify import shown_token
from syncline.server.access.oidc.pending import COOKIE, GOOD_FOR
from syncline.server.access.oidc.settings import InvalidOidc
from syncline.server.access.redirects import own_path
from syncline.server.answers.kinds import Redirect
from syncline.server.requests.call import Call
from syncline.server.requests.failures import NotSignedIn
from syncline.server.requests.permissions import Open
from syncline.server.requests.routing import Endpoint, Query
from syncline.server.routes.people.session import with_cookie, without_cookie

_PATH = "/auth"


async def log_in(call: Call) -> Response:
    """Send the browser to the provider."""
    config, metadata = await call.backend.provider.metadata()
    begun = call.backend.pending.begin(own_path(call.text("return_url", "/"), config.url))
    asked = {
        "response_type": "code",
        "client_id": config.client_id,
        "redirect_uri": config.callback,
        "scope": " ".join(dict.fromkeys(["openid", *config.scopes])),
        "state": begun.state,
        "nonce": begun.nonce,
        "code_challenge": begun.challenge,
        "code_challenge_method": "S256",
    }
    if config.claims:
        asked["claims"] = msgspec.json.encode({"id_token": config.claims}).decode()
    joint = "&" if "?" in metadata.authorization_endpoint else "?"
    response = RedirectResponse(f"{metadata.authorization_endpoint}{joint}{urlencode(asked)}", status_code=303)
    response.set_cookie(
        COOKIE,
        begun.browser,
        max_age=int(GOOD_FOR),
        path=_PATH,
        secure=call.backend.reached.tls,
        httponly=True,
        samesite="lax",
    )
    return response


async def come_back(call: Call) -> Response:
    """Take the code of the provider, and sign its owner in."""
    begun = call.backend.pending.finish(call.text("state"), call.request.cookies.get(COOKIE, ""))
    if begun is None:
        raise NotSignedIn("this login is over, or began in another browser: start it again")
    code = call.text("code")
    if call.text("error") or not code:
        raise NotSignedIn("the provider refused this login")
    token = await call.backend.provider.exchanged(code, begun.verifier)
    nonce = str(call.backend.provider.claims(token).get("nonce") or "")
    if not hmac.compare_digest(nonce.encode(), begun.nonce.encode()):
        raise NotSignedIn("the provider answered another login than this one")
    # As every token that is shown: whoever may not come in is told now.
    call.backend.tokens.check(token)
    response = with_cookie(call, RedirectResponse(begun.return_to, status_code=303), token)
    response.delete_cookie(COOKIE, path=_PATH, secure=call.backend.reached.tls, httponly=True, samesite="lax")
    return response


async def log_out(call: Call) -> Response:
    """End the session, and send the browser to where the provider ends its own."""
    token = shown_token(call.request)[0]
    if call.request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none"):
        await call.backend.tokens.revoke(token)
    return without_cookie(call, RedirectResponse(_after_logout(call, token), status_code=303))


def _after_logout(call: Call, token: str) -> str:
    try:
        config = call.backend.provider.config()
    except InvalidOidc:
        config = None
    if config is None or not config.logout_url.startswith(("https://", "http://")):
        return "/login"
    back = quote(config.url, safe="")
    return config.logout_url.replace("{{token}}", quote(token, safe="")).replace("{{logoutRedirectURL}}", back)


def described(call: Call) -> dict[str, Any]:
    """Return what a login page and the command line have to know of the provider; nothing of it is secret."""
    try:
        config = call.backend.provider.config()
    except InvalidOidc as error:
        return {"ssoProblem": str(error)}
    if config is None:
        return {}
    own = call.backend.dex.config()
    if own is not None and own.provider == config:
        return {"dexConfig": {"connectors": [{"name": one.name, "type": one.type} for one in own.connectors]}}
    return {
        "oidcConfig": {
            "name": config.name,
            "issuer": config.issuer,
            "clientID": config.client_id,
            "cliClientID": config.cli_client_id,
            "scopes": list(config.scopes),
            "idTokenClaims": dict(config.claims) or None,
            "enablePKCEAuthentication": True,
        }
    }


ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{_PATH}/login",
        handler=log_in,
        about="Log in by the provider of the installation.",
        answer=Redirect(),
        permission=Open("it is how a session begins"),
        query=(Query("return_url", "The page of this server to come back to."),),
    ),
    Endpoint(
        method="GET",
        path=f"{_PATH}/callback",
        handler=come_back,
        about="Where the provider sends browsers back to.",
        answer=Redirect(),
        permission=Open("it is how a session begins; state and code are the proof"),
        query=(Query("code"), Query("state"), Query("error")),
    ),
    Endpoint(
        method="GET",
        path=f"{_PATH}/logout",
        handler=log_out,
        about="End the session.",
        answer=Redirect(),
        permission=Open("a browser whose session has ended is sent on as well"),
    ),
)
