"""What the server sends back: status, headers, and a body or a stream of bytes.

Made by `syncline.sandbox.api.requests`; carried by `syncline.sandbox.serving.transport` or
`syncline.sandbox.serving.http`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import orjson

from syncline.sandbox.errors import StatusError

JSON = "application/json"


class ServerResponse:
    """One answer; `stream` is set for watches and followed logs, `session` to switch protocols, `body` for all else."""

    __slots__ = ("body", "headers", "session", "status", "stream")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        *,
        content_type: str = JSON,
        stream: AsyncGenerator[bytes] | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        self.status = status
        self.body = body
        self.stream = stream
        self.session: Any = None
        self.headers: list[tuple[str, str]] = [("content-type", content_type)] if content_type else []
        self.headers.append(("cache-control", "no-cache, private"))
        self.warn(warnings)

    def warn(self, warnings: Sequence[str]) -> None:
        """Say these texts with the answer."""
        self.headers += [("warning", f"299 - {orjson.dumps(text).decode()}") for text in warnings]

    async def close(self) -> None:
        """End the stream, if there is one."""
        if self.stream is not None:
            await self.stream.aclose()


def json(value: Any, status: int = 200, *, content_type: str = JSON, warnings: Sequence[str] = ()) -> ServerResponse:
    """Answer with a JSON document."""
    return ServerResponse(status, orjson.dumps(value), content_type=content_type, warnings=warnings)


def failure(error: StatusError) -> ServerResponse:
    """Answer with a Status object."""
    answer = json(error.status(), error.code, warnings=error.warnings)
    if error.retry_after:
        answer.headers.append(("retry-after", str(error.retry_after)))
    return answer


def path_not_found() -> ServerResponse:
    """Answer as the real server does where nothing is served."""
    return ServerResponse(404, b"404 page not found\n", content_type="text/plain; charset=utf-8")


def service_unavailable() -> ServerResponse:
    """Answer as the real server does for a group whose own server is away."""
    return ServerResponse(503, b"service unavailable\n", content_type="text/plain; charset=utf-8")
