"""Reaches a sandbox in the same process, through the transport port.

Handed out by `syncline.sandbox.server.Sandbox.transport`; the one Kubernetes client sits on top of it. Bodies cross
as bytes, so nothing is shared between caller and server. Every request gives the event loop a turn first, as a socket
would; a cancelled request that was not carried out yet never is.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from syncline.ports.transport import Request, TransportError
from syncline.sandbox import errors
from syncline.sandbox.access import impersonation
from syncline.sandbox.access.rbac import User
from syncline.sandbox.api import answers
from syncline.sandbox.api.answers import ServerResponse

if TYPE_CHECKING:
    from syncline.sandbox.server import Sandbox


class InProcessResponse:
    """An answer as the transport port wants it."""

    def __init__(self, answer: ServerResponse) -> None:
        self._answer = answer
        self._stream = answer.stream
        self.status = answer.status
        self.headers: Mapping[str, str] = dict(answer.headers)

    async def read(self) -> bytes:
        """Return the whole body."""
        if self._stream is None:
            return self._answer.body
        return b"".join([chunk async for chunk in self._stream])

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives."""
        if self._stream is None:
            yield self._answer.body
            return
        async for chunk in self._stream:
            yield chunk

    async def close(self) -> None:
        """End a watch; anything else is over already."""
        await self._answer.close()


class InProcessTransport:
    """Carries requests to one sandbox as one user."""

    def __init__(self, sandbox: Sandbox, user: User) -> None:
        self._sandbox = sandbox
        self._user = user
        self._closed = False

    async def send(self, request: Request, *, timeout: float | None = None) -> InProcessResponse:
        """Send one request; only faults that were put in make it last."""
        if self._closed:
            raise TransportError("the connection to the sandbox was closed")
        await asyncio.sleep(0)
        headers = {name.lower(): value for name, value in request.headers.items()}
        try:
            named = headers.pop("impersonate-user", "")
            user = impersonation.acting(self._sandbox.backend, self._user, named, ())
        except errors.StatusError as error:
            return InProcessResponse(answers.failure(error))
        answering = self._sandbox.respond(request.method, request.path, headers, request.body, user)
        try:
            async with asyncio.timeout(timeout):
                return InProcessResponse(await answering)
        except TimeoutError:
            raise TransportError(f"the sandbox did not answer within {timeout} seconds") from None
        except ConnectionResetError as error:
            raise TransportError(f"the sandbox cut the connection: {error}") from None

    async def close(self) -> None:
        """Refuse further requests."""
        self._closed = True
