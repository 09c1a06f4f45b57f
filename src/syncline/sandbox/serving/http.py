"""Serves a sandbox over HTTP on loopback, for kubectl and every other client.

Used by the command line and by tests: `async with serve(sandbox) as served`. A bearer token says who asks: that of the
door, or one of a service account; whoever shows none is system:anonymous, and a wrong one is refused. Without TLS the
door's token may be the first part of the path instead (`/access/TOKEN/api/v1/…`): kubectl keeps bearer tokens to itself
there, but not the path of the server. Never serve without TLS on an address that others can reach.
"""

from __future__ import annotations

import contextlib
import hmac
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import msgspec

from syncline.sandbox import errors
from syncline.sandbox.access import impersonation, tokens
from syncline.sandbox.access.rbac import ANONYMOUS, User
from syncline.sandbox.api import answers, requests
from syncline.sandbox.server import Sandbox

if TYPE_CHECKING:
    from aiohttp import web

    from syncline.sandbox.serving.tls import Authority

PATH_PREFIX = "/access/"
"""What stands before the token in the path of a server address."""
_MAX_BODY = 8 * 1024 * 1024


class Served(msgspec.Struct, frozen=True):
    """Where a sandbox can be reached, and with what."""

    address: str
    token: str
    authority: str = ""
    """The certificate that clients trust, as PEM; empty without TLS."""


@contextlib.asynccontextmanager
async def serve(
    sandbox: Sandbox,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    preferred: int = 0,
    token: str = "",
    user: User = User(),  # noqa: B008 - frozen
    tls: bool = False,
    authority: Authority | None = None,
) -> AsyncIterator[Served]:
    """Serve until the block is left; without a token a random one is made, and with TLS an authority for it alone.

    Without a port, `preferred` is taken if it is free. An authority that is given signs the certificate instead.
    """
    from aiohttp import web

    identity = None
    if tls:
        from syncline.sandbox.serving.tls import make

        identity = make(host, sandbox.backend.clock.now(), authority)
        sandbox.trust(identity.authority)

    ids = sandbox.backend.ids
    token = token or f"{ids.uid()}{ids.uid()}".replace("-", "")
    sandbox.backend.doors[token] = (user.name, user.groups)
    app = web.Application(client_max_size=_MAX_BODY)
    app.router.add_route("*", "/{path:.*}", _Handler(sandbox, token, user, in_path=not tls).handle)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1.0)
    await runner.setup()
    try:
        context = identity.context if identity else None
        try:
            await web.TCPSite(runner, host, port or preferred, ssl_context=context).start()
        except OSError:
            if port or not preferred:
                raise
            await web.TCPSite(runner, host, 0, ssl_context=context).start()
        found = runner.addresses[0]
        address = f"{'https' if identity else 'http'}://{found[0]}:{found[1]}"
        yield Served(address, token, identity.authority if identity else "")
    finally:
        del sandbox.backend.doors[token]
        sandbox.watches.cut()
        await runner.cleanup()


class _Handler:
    """Carries HTTP requests to the sandbox."""

    def __init__(self, sandbox: Sandbox, token: str, user: User, *, in_path: bool) -> None:
        self._sandbox = sandbox
        self._expected = f"Bearer {token}".encode()
        self._prefix = f"{PATH_PREFIX}{token}".encode() if in_path else b""
        self._user = user

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one request."""
        from aiohttp import web

        try:
            path, user = self._admitted(request)
            user = self._acting(request, user)
        except errors.StatusError as error:
            refused = answers.failure(error)
            return web.Response(status=refused.status, body=refused.body, headers=refused.headers)
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            refused = answers.failure(errors.too_large(requests.MAX_BODY))
            return web.Response(status=refused.status, body=refused.body, headers=refused.headers)
        try:
            answer = await self._sandbox.respond(request.method, path, headers, body, user)
        except ConnectionResetError:
            if request.transport is not None:
                request.transport.abort()
            return web.Response(status=500)
        except Exception as error:  # noqa: BLE001 - a bug here, told as a real server tells its own
            refused = answers.failure(errors.internal(error))
            return web.Response(status=refused.status, body=refused.body, headers=refused.headers)
        if answer.session is not None:
            from syncline.sandbox.serving import streaming

            return await streaming.converse(request, answer.session)
        if answer.stream is None:
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        return await self._stream(request, answer)

    def _admitted(self, request: web.Request) -> tuple[str, User]:
        """Return the path without the token, and who asks; a service account's own token goes before the path's."""
        path = request.raw_path
        length = len(self._prefix)
        begun = bool(length) and hmac.compare_digest(path.encode()[:length], self._prefix)
        begun = begun and path[length : length + 1] in ("/", "?", "")
        path = (path[length:] or "/") if begun else path
        given = request.headers.get("Authorization", "")
        if hmac.compare_digest(given.encode(), self._expected):
            return path, self._user
        shown = given.removeprefix("Bearer ") if given.startswith("Bearer ") else ""
        found = tokens.user_of(self._sandbox.backend, shown) if shown else None
        if found is None and not begun:
            if shown:
                raise errors.unauthorized()
            return path, ANONYMOUS
        return path, found or self._user

    def _acting(self, request: web.Request, user: User) -> User:
        """Return whom a request is carried out as: `kubectl --as` needs the right to impersonate."""
        name = request.headers.get("Impersonate-User", "")
        return impersonation.acting(self._sandbox.backend, user, name, request.headers.getall("Impersonate-Group", []))

    async def _stream(self, request: web.Request, answer: answers.ServerResponse) -> web.StreamResponse:
        from aiohttp import web

        response = web.StreamResponse(status=answer.status, headers=dict(answer.headers))
        response.enable_chunked_encoding()
        await response.prepare(request)
        stream = answer.stream
        try:
            if stream is not None:
                async for chunk in stream:
                    await response.write(chunk)
        except ConnectionResetError:
            pass
        finally:
            await answer.close()
        return response
