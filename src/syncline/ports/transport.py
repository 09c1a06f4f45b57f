"""One HTTP exchange with a Kubernetes API server, without saying how it travels.

The one Kubernetes client (`syncline.adapters.kube`) hands requests in; `syncline.adapters.kube.http` carries them over
a socket and `syncline.sandbox.serving.transport` calls the embedded server in the same process. Bodies are bytes in
both directions, so nothing is shared between caller and server, and simulated faults can be put in between.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

import msgspec


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent: `path` holds the path and, after a `?`, the encoded query."""

    method: str
    path: str
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Response(Protocol):
    """What came back. Read it whole with `read`, or follow a watch with `chunks`; close it in either case."""

    @property
    def status(self) -> int:
        """HTTP status code."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Response headers, names in lower case."""
        ...

    async def read(self) -> bytes:
        """Return the whole body."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, in pieces of any size."""
        ...

    async def close(self) -> None:
        """Give the connection back, whether or not the body was read to its end."""
        ...


class Transport(Protocol):
    """Carries requests to one API server as one user."""

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send one request and return as soon as status and headers are there.

        `timeout` bounds the whole exchange in seconds; None is for watches. Raises `TransportError` when no answer
        came, in which case it is unknown whether the server acted on the request.
        """
        ...

    async def close(self) -> None:
        """Release connections; the transport cannot be used afterwards."""
        ...


class TransportError(Exception):
    """No answer from the API server: refused, timed out, cut off or not trusted. The text says which, in a sentence.

    `refused` says that nothing listens there: asking again soon hardly ever helps.
    """

    def __init__(self, sentence: str, *, refused: bool = False) -> None:
        super().__init__(sentence)
        self.refused = refused
