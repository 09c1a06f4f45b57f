"""What is below `/api/dex`: Dex itself, which this server runs and stands in front of.

Requests and answers are passed on with the headers that logins need and no others; the session of this server is not
for Dex.
"""

from __future__ import annotations

from starlette.responses import Response

from syncline.ports.web import WebError, WebRequest
from syncline.server.access.identify import COOKIE
from syncline.server.access.oidc.dex_config import PATH
from syncline.server.access.oidc.settings import InvalidOidc
from syncline.server.answers.kinds import Text
from syncline.server.requests.call import Call
from syncline.server.requests.dispatch import read_body
from syncline.server.requests.failures import NOT_FOUND, UNAVAILABLE, Failure
from syncline.server.requests.permissions import Open
from syncline.server.requests.routing import Endpoint

_ASKED = ("accept", "accept-language", "authorization", "content-type", "user-agent")
_ANSWERED = ("content-type", "location", "set-cookie", "www-authenticate")
_LARGEST = 1024 * 1024
_PATIENCE = 60.0
# Forms lead on to wherever the login goes: a provider, or the machine of whoever logs in.
_POLICY = (
    "default-src 'none'; script-src {script}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)


async def ask_dex(call: Call) -> Response:
    """Pass a request on to Dex."""
    try:
        config = call.backend.dex.config()
        if config is None:
            raise Failure(NOT_FOUND, "nothing is served at this path")
        call.backend.dex.require_running()
    except InvalidOidc as error:
        raise Failure(UNAVAILABLE, str(error)) from None
    request = call.request
    headers = {name: request.headers[name] for name in _ASKED if name in request.headers}
    if cookies := _cookies(call):
        headers["cookie"] = cookies
    raw = request.scope.get("raw_path") or request.url.path.encode()
    query = request.scope.get("query_string") or b""
    path = raw.decode("ascii").removeprefix(PATH) + (f"?{query.decode('ascii')}" if query else "")
    body = await read_body(request, _LARGEST)
    asked = WebRequest(url=path, method=request.method, headers=headers, body=body, seconds=_PATIENCE)
    try:
        answer = await call.backend.dex.ask(path, asked)
    except WebError as error:
        raise Failure(UNAVAILABLE, str(error)) from None
    told = {name: answer.headers[name] for name in _ANSWERED if name in answer.headers}
    script = "'unsafe-inline'" if config.posts_forms else "'none'"
    return Response(
        answer.body, answer.status, headers={**told, "Content-Security-Policy": _POLICY.format(script=script)}
    )


def _cookies(call: Call) -> str:
    """Return the cookies that are not sessions of ours."""
    kept = {name: value for name, value in call.request.cookies.items() if not name.startswith((COOKIE, "syncline."))}
    return "; ".join(f"{name}={value}" for name, value in kept.items())


ENDPOINTS = tuple(
    Endpoint(
        method=method,
        path=f"{PATH}/{{path:path}}",
        handler=ask_dex,
        about="Dex, of dex.config.",
        answer=Text("*/*"),
        permission=Open("it is how a session begins; Dex asks for the proof"),
        raw=True,
    )
    for method in ("GET", "POST")
)
