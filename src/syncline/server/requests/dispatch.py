"""Carries a request to its route and the answer back: who asks, from where, what it may hold, what went wrong.

Everything that protects routes is here, once: the host name, the size and kind of the body, requests that another
site made a browser send, the session, and the rights that an endpoint declares. `syncline.server.app` makes routes of
it; a bug in a route is told to `on_failure` and answered without its words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from syncline.server.access.identify import identify, shown_token
from syncline.server.access.origins import require_json, require_own_page
from syncline.server.backend import Backend
from syncline.server.requests.answers import HEADERS, json_answer
from syncline.server.requests.call import Call
from syncline.server.requests.failures import EXHAUSTED, INTERNAL, INVALID, UNAVAILABLE, Failure, failure_of
from syncline.server.requests.routing import Endpoint
from syncline.tasks import OnFailure

_PATIENCE = 120.0
_SLOWEST_BODY = 20.0
_FIRST_READ = 30.0
_PAUSE = 0.05


class Dispatcher:
    """Serves endpoints with one backend."""

    def __init__(self, backend: Backend, on_failure: OnFailure) -> None:
        self._backend = backend
        self._on_failure = on_failure

    def route(self, endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers the requests of an endpoint."""

        async def answer(request: Request) -> Response:
            begun = self._backend.world.clock.monotonic()
            response = await self._answer(endpoint, request)
            self._backend.meter.answered(endpoint, response.status_code, self._backend.world.clock.monotonic() - begun)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return answer

    async def _answer(self, endpoint: Endpoint, request: Request) -> Response:
        try:
            call = await self._call(endpoint, request)
            async with asyncio.timeout(_PATIENCE):
                await call.enforce()
            async with asyncio.timeout(None if endpoint.stream else _PATIENCE):
                found = await endpoint.handler(call)
            return found if isinstance(found, Response) else json_answer(found)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:  # noqa: BLE001 - whoever asked gets an answer, whatever happened
            failure = failure_of(error)
            if failure is None:
                self._on_failure(f"{endpoint.method} {endpoint.path}", error)
                failure = Failure(INTERNAL, "an internal error; the log of the server says more")
            return json_answer(failure.stream_body() if endpoint.stream else failure.body(), failure.status)

    async def _call(self, endpoint: Endpoint, request: Request) -> Call:
        self._require_host(request)
        if not endpoint.early:
            await self._until_read()
        who, by_cookie = None, False
        await self._provider_ready(endpoint, request)
        if not endpoint.open:
            who, by_cookie = identify(request, self._backend.tokens, self._backend.accounts)
        if by_cookie or endpoint.open:
            self._require_own_page(endpoint, request, by_cookie=by_cookie)
        if endpoint.open and request.method == "GET":
            who = self._if_known(request)
        body = None if endpoint.raw else await self._body(endpoint, request)
        return Call(endpoint, request, self._backend, who, body)

    async def require_session(self, endpoint: Endpoint, request: Request) -> None:
        """Raise `NotSignedIn` for whoever may not ask an endpoint at all; its body was not read by then."""
        self._require_host(request)
        if endpoint.open:
            return
        await self._until_read()
        await self._provider_ready(endpoint, request)
        identify(request, self._backend.tokens, self._backend.accounts)

    async def _provider_ready(self, endpoint: Endpoint, request: Request) -> None:
        """Have what a token of the provider is checked with; without its provider one can still sign in otherwise."""
        try:
            await self._backend.provider.ready_for(shown_token(request)[0])
        except Failure:
            if not endpoint.open:
                raise

    def _require_own_page(self, endpoint: Endpoint, request: Request, *, by_cookie: bool) -> None:
        """Refuse what another site sent; signing in needs no cookie, but must not be done to somebody either."""
        if by_cookie or (not endpoint.raw and request.headers.get("origin")):
            require_own_page(request)

    def _if_known(self, request: Request) -> Any:
        """Return who asks an open route, where that is known: some tell them more."""
        try:
            return identify(request, self._backend.tokens, self._backend.accounts)[0]
        except Failure:
            return None

    async def _until_read(self) -> None:
        """Wait until accounts, policies and Applications are known: half of them would be a wrong answer."""
        clock = self._backend.world.clock
        deadline = clock.monotonic() + _FIRST_READ
        while not self._backend.is_read():
            if clock.monotonic() >= deadline:
                raise Failure(UNAVAILABLE, "the cluster is still being read", hint="try again in a moment")
            await clock.sleep(_PAUSE)

    def _require_host(self, request: Request) -> None:
        """Refuse other host names, so that no page elsewhere reads from here by a name of its own for this machine."""
        hosts = self._backend.reached.hosts
        name = request.headers.get("host", "")
        bare = name.rpartition(":")[0] if name.rpartition(":")[2].isdigit() else name
        if hosts and bare not in hosts:
            raise Failure(INVALID, "this server does not answer to that host name")

    async def _body(self, endpoint: Endpoint, request: Request) -> Any:
        text = await read_body(request, endpoint.limit)
        require_json(request, has_body=bool(text))
        if not text:
            return None
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            raise Failure(INVALID, "the body is not JSON") from None


async def read_body(request: Request, limit: int, grown: Callable[[int], None] = lambda _size: None) -> bytes:
    """Return the body of a request; raises for one that is too long, or too slow in coming.

    `grown` is told how large it is so far, and may raise too.
    """
    told = request.headers.get("content-length", "")
    if told.isdigit() and int(told) > limit:
        raise _too_long(limit)
    found = bytearray()
    try:
        async with asyncio.timeout(_SLOWEST_BODY):
            async for chunk in request.stream():
                found += chunk
                if len(found) > limit:
                    raise _too_long(limit)
                grown(len(found))
    except TimeoutError:
        raise Failure(INVALID, "the body of the request was too slow in coming", status=408) from None
    return bytes(found)


def _too_long(limit: int) -> Failure:
    return Failure(EXHAUSTED, f"the body has more than {limit:,} bytes", status=413)
