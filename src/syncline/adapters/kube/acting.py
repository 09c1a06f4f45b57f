"""Carries requests as somebody else, by the API's own impersonation; used by `syncline.adapters.kube.client`.

The connection belongs to whoever opened it and is not closed here.
"""

from __future__ import annotations

import msgspec

from syncline.ports.transport import Request, Response, Transport

_HEADER = "Impersonate-User"


class ActingTransport:
    """A transport whose requests all name the user they are made as."""

    def __init__(self, inner: Transport, user: str) -> None:
        self._inner = inner
        self._user = user

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send a request as that user."""
        acting = msgspec.structs.replace(request, headers={**request.headers, _HEADER: self._user})
        return await self._inner.send(acting, timeout=timeout)

    async def close(self) -> None:
        """Leave the connection open: others use it."""
