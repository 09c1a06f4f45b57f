"""Answers calls of grpc-web: finds the method, reads the message, asks the route of REST, writes what it answered.

Put in front of the web application by `syncline.server.app`; whatever is not gRPC passes by. Who asks, what they may do
and what went wrong is said by `syncline.server.requests.dispatch`, as for REST. An error is told in headers with HTTP
200, or in the last frame where an answer has begun.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import orjson
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from syncline.server import table
from syncline.server.grpcweb import frames, methods, schema
from syncline.server.grpcweb.codec import Codec
from syncline.server.grpcweb.frames import UNIMPLEMENTED
from syncline.server.grpcweb.methods import Method
from syncline.server.grpcweb.translate import request_of
from syncline.server.requests.answers import HEADERS
from syncline.server.requests.dispatch import Dispatcher, read_body
from syncline.server.requests.failures import INTERNAL, Failure, failure_of
from syncline.server.requests.routing import Endpoint
from syncline.tasks import OnFailure

_KIND: Final = "application/grpc-web+proto"
_HEADERS: Final = {**HEADERS, "Content-Type": _KIND}
_SAID: Final = ("application/grpc-web", _KIND)
_END: Final[dict[str, Any]] = {}


class GrpcWeb:
    """The web application with grpc-web in front of it."""

    def __init__(self, app: ASGIApp, dispatcher: Dispatcher, on_failure: OnFailure) -> None:
        self._app = app
        self._dispatcher = dispatcher
        self._on_failure = on_failure
        self._methods = methods.endpoints(methods.METHODS, table.ENDPOINTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a call, or pass a request on."""
        if scope["type"] == "http":
            request = Request(scope, receive)
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind.startswith("application/grpc"):
                response = await self._answer(request, kind)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _answer(self, request: Request, kind: str) -> Response:
        name = request.url.path.removeprefix("/")
        try:
            if kind not in _SAID:
                raise _unknown("this server speaks grpc-web over HTTP/1.1 alone", "use --grpc-web")
            method, endpoint = self._methods.get(name, (None, None))
            if method is None or endpoint is None or request.method != "POST":
                raise _unknown(*methods.REFUSED.get(name, (f"{_shown(name)} is not served here", "")))
            return await self._called(request, method, endpoint)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:  # noqa: BLE001 - whoever asked gets an answer, whatever happened
            return Response(headers={**_HEADERS, **frames.status(*self._status(name, error))})

    async def _called(self, request: Request, method: Method, endpoint: Endpoint) -> Response:
        # Strangers have nothing read or decoded that they sent.
        await self._dispatcher.require_session(endpoint, request)
        codec = Codec(schema.shipped())
        message = frames.message_of(await read_body(request, endpoint.limit))
        wanted = request_of(request, method, endpoint, codec.decode(method.request, message))
        answered = await self._dispatcher.route(endpoint)(wanted)
        if isinstance(answered, StreamingResponse):
            return await self._streamed(answered, method, codec)
        if not answered.body:
            return answered  # whoever asked is gone
        found = orjson.loads(answered.body)
        if answered.status_code != 200:
            raise _told(found)
        content = frames.data(await codec.encode_slowly(method.response, found)) + frames.trailers()
        return Response(content, headers=_HEADERS)

    async def _streamed(self, answered: StreamingResponse, method: Method, codec: Codec) -> Response:
        """Return a stream of frames; what fails at once is told at once, for Argo CD's clients read no last frame."""
        lines = _lines(answered)
        first: dict[str, Any] = await anext(lines, _END)
        if "error" in first:
            await lines.aclose()
            raise _told(first["error"])

        async def results() -> AsyncGenerator[bytes, None]:
            found = first
            try:
                async with aclosing(lines):
                    while "error" not in found:
                        # An empty line is a sign of life, for which grpc-web has no frame.
                        yield frames.data(codec.encode(method.response, found["result"])) if found else b""
                        if (found := await anext(lines, _END)) is _END:
                            yield frames.trailers()
                            return
                raise _told(found["error"])
            except Exception as error:  # noqa: BLE001 - the answer has begun, so whoever reads gets it as the last frame
                yield frames.trailers(*self._status(method.name, error))

        return StreamingResponse(results(), headers=_HEADERS)

    def _status(self, name: str, error: Exception) -> tuple[int, str]:
        """Return the number and the words for an error; a bug is told to those who run the server."""
        failure = failure_of(error)
        if failure is None:
            self._on_failure(name, error)
            failure = Failure(INTERNAL, "an internal error; the log of the server says more")
        return failure.code, f"{failure.message}; {failure.hint}" if failure.hint else failure.message


def _unknown(message: str, hint: str) -> Failure:
    return Failure(UNIMPLEMENTED, message, hint=hint, status=501)


def _told(found: Any) -> Failure:
    """Return the failure that a route answered with."""
    return Failure(found["code"], found["message"], hint=found.get("hint", ""), status=500)


async def _lines(answered: StreamingResponse) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the lines of a stream of REST as values; an empty one is an empty value."""
    try:
        async for line in answered.body_iterator:
            text = line if isinstance(line, str) else bytes(line).decode()
            yield orjson.loads(text.strip() or "{}")
    finally:
        # Whoever stops reading here stops there, too: somebody may be listening for them.
        close = getattr(answered.body_iterator, "aclose", None)
        if close is not None:
            await close()


def _shown(name: str) -> str:
    return name[:100] if name.isascii() and name.isprintable() and name else "this"
