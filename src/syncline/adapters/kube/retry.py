"""Tries a request again where that is safe and likely to help.

A transport around another one, put between client and HTTP by `syncline.wiring`. Reads are repeated after a
lost connection, a cut answer, 429 or a 5xx of overload; writes only when the server says with 429, or 503 and
Retry-After, that it turned the request away before looking at it. A watch is repeated only while it has not
begun. Where nothing listens at all it gives up soon.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

import msgspec

from syncline.ports.clock import Chance, Clock
from syncline.ports.transport import Request, Response, Transport, TransportError

_OVERLOADED = frozenset({429, 502, 503, 504})
_LONGEST_WAIT = 30.0
_REFUSED_ATTEMPTS = 2
"""Where nothing listens a person wants to hear that at once; controllers ask again by themselves."""


class RetryBackoff(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how long: waits double from `first`, each shortened by chance so that callers spread out."""

    attempts: int = 5
    first: float = 0.2
    longest: float = 5.0

    def wait(self, failures: int, chance: Chance) -> float:
        """Return the seconds to wait after that many failures in a row."""
        longest: float = min(self.longest, self.first * 2.0 ** (failures - 1))
        return chance.uniform(longest / 2, longest)


class Retrying:
    """Sends through another transport, again where it may."""

    def __init__(self, inner: Transport, *, clock: Clock, chance: Chance, backoff: RetryBackoff | None = None) -> None:
        self._inner = inner
        self._clock = clock
        self._chance = chance
        self._backoff = backoff or RetryBackoff()

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send one request, up to the number of attempts; the last answer or error is the caller's."""
        reads = request.method in ("GET", "HEAD")
        for failures in range(1, self._backoff.attempts + 1):
            last = failures == self._backoff.attempts
            try:
                response = await self._attempt(request, timeout, whole=reads and timeout is not None)
            except TransportError as error:
                if last or not reads or (error.refused and failures >= _REFUSED_ATTEMPTS):
                    raise
                wait = self._backoff.wait(failures, self._chance)
            else:
                if last or response.status not in _OVERLOADED:
                    return response
                asked = _retry_after(response.headers)
                if not _may_repeat(response.status, asked, reads=reads):
                    return response
                await response.close()
                wait = max(self._backoff.wait(failures, self._chance), min(asked or 0.0, _LONGEST_WAIT))
            await self._clock.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    async def close(self) -> None:
        """Release the inner transport."""
        await self._inner.close()

    async def _attempt(self, request: Request, timeout: float | None, *, whole: bool) -> Response:
        response = await self._inner.send(request, timeout=timeout)
        if not whole:
            return response
        try:
            # Inside the attempt, so that an answer that is cut off half way is asked for again.
            return _Received(response.status, response.headers, await response.read())
        finally:
            await response.close()


def _may_repeat(status: int, asked: float | None, *, reads: bool) -> bool:
    if reads:
        return status in _OVERLOADED
    return status == 429 or (status == 503 and asked is not None)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else None


class _Received:
    """An answer that has arrived whole."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self._body = body

    async def read(self) -> bytes:
        return self._body

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._body

    async def close(self) -> None:
        return None
