"""Refuses requests that a page elsewhere made a browser send.

A browser adds the cookie to any request it sends here. So whatever changes something and rests on the cookie has to
show that our own page sent it: by an `Origin` of ours, or by a header that no other site may set; and it says that it
is JSON, which a form cannot. A token in `Authorization` is nothing that a browser adds.
"""

from __future__ import annotations

from typing import Final

from starlette.requests import Request

from syncline.server.requests.failures import DENIED, INVALID, Failure

OWN_HEADER: Final = "x-syncline-request"
_SAFE = ("GET", "HEAD", "OPTIONS")


def require_json(request: Request, *, has_body: bool) -> None:
    """Raise 415 for a body that is not said to be JSON."""
    if has_body and not _is_json(request):
        raise Failure(INVALID, "the body has to be JSON", hint="send Content-Type: application/json", status=415)


def require_own_page(request: Request) -> None:
    """Raise 403 or 415 for a request with the cookie that changes something and was not sent by our own page."""
    if request.method in _SAFE:
        return
    if not _is_json(request) and OWN_HEADER not in request.headers:
        raise Failure(INVALID, "this needs Content-Type: application/json", status=415)
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Failure(DENIED, "this was sent by a page of another site")
    origin = request.headers.get("origin")
    if origin is None and OWN_HEADER not in request.headers:
        raise Failure(DENIED, "this needs an Origin of this server", hint=f"or the header {OWN_HEADER}")
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        raise Failure(DENIED, "this was sent by a page of another site")


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == "application/json"
