"""Streams as Argo CD frames them: a line `{"result": …}` for each, or events where a browser asks for those.

Used by routes that stream. A stream that has nothing to say sends a sign of life, so that nobody in between gives it
up; an error that comes after the first line is a line of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from starlette.responses import StreamingResponse

from syncline import tasks
from syncline.server.requests.answers import HEADERS, encoded
from syncline.server.requests.call import Call
from syncline.server.requests.failures import INTERNAL, Failure, failure_of

_SIGN_OF_LIFE = 15.0
_CHECK_EVERY = 5.0
"""So long somebody may go on reading whose session has ended."""


class Encoded(msgspec.Struct, frozen=True):
    """A result that is JSON already: hundreds of clients read the same one."""

    text: bytes


def stream(call: Call, results: AsyncIterator[Any]) -> StreamingResponse:
    """Return an answer that sends each result as it comes, for as long as whoever asked is still permitted to read."""
    events = "text/event-stream" in call.request.headers.get("accept", "")
    kind = "text/event-stream" if events else "application/json"
    headers = {**HEADERS, "X-Accel-Buffering": "no"}
    return StreamingResponse(_framed(call, results, events=events), media_type=kind, headers=headers)


async def _framed(call: Call, results: AsyncIterator[Any], *, events: bool) -> AsyncIterator[bytes]:
    clock = call.backend.world.clock
    checked = told = clock.monotonic()
    try:
        async for result in _with_pauses(results):
            now = clock.monotonic()
            # In a pause, as a rule: when an event comes, hundreds of others wait for it too.
            if result is None or now - checked > _CHECK_EVERY:
                checked = now
                call.require_still_signed_in()
            # Followed for hours: rights, and the project of what is followed, may be others by then.
            await call.enforce()
            if result is not None:
                told = now
                yield _frame(result if isinstance(result, Encoded) else {"result": result}, events=events)
            elif now - told >= _SIGN_OF_LIFE:
                told = now
                yield b":\n\n" if events else b"\n"
    except Exception as error:  # noqa: BLE001 - the answer has begun, so whoever reads gets it as a line
        found = failure_of(error) or Failure(INTERNAL, "an internal error ended this stream")
        yield _frame({"error": found.stream_body()["error"]}, events=events)


def _frame(value: dict[str, Any] | Encoded, *, events: bool) -> bytes:
    text = b'{"result":' + value.text + b"}" if isinstance(value, Encoded) else encoded(value)
    return b"data: " + text + b"\n\n" if events else text + b"\n"


async def _with_pauses(results: AsyncIterator[Any]) -> AsyncIterator[Any]:
    """Yield results as they come, and None where none came for a while."""
    following: asyncio.Task[Any] | None = None
    try:
        while True:
            if following is None:
                following = tasks.start(_next(results), name="next of a stream")
            done, _ = await asyncio.wait({following}, timeout=_CHECK_EVERY)
            if not done:
                yield None
                continue
            task, following = following, None
            if (result := task.result()) is _END:
                return
            yield result
    finally:
        if following is not None:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
        close = getattr(results, "aclose", None)
        if close is not None:
            await close()


_END = object()


async def _next(results: AsyncIterator[Any]) -> Any:
    return await anext(results, _END)
