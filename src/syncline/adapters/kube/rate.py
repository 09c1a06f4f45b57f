"""Holds requests back to a rate: a bucket of permits that refills with time.

A transport around another one, put below the retries by `syncline.adapters.kube.cluster_secret` and `syncline.wiring`
where the operator sets a rate. Watches are not counted: they are opened once and stay. Requests leave in the order in
which they came.
"""

from __future__ import annotations

from syncline.ports.clock import Clock
from syncline.ports.transport import Request, Response, Transport


class Limited:
    """Sends through another transport, at most `rate` requests per second after the first `burst`."""

    def __init__(self, inner: Transport, *, clock: Clock, rate: float, burst: int) -> None:
        self._inner = inner
        self._clock = clock
        self._gap = 1.0 / rate
        self._credit = max(burst, 1) * self._gap
        self._free_at = float("-inf")

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        """Send one request when it is its turn."""
        if timeout is not None and (wait := self._turn()) > 0:
            await self._clock.sleep(wait)
        return await self._inner.send(request, timeout=timeout)

    async def close(self) -> None:
        """Release the inner transport."""
        await self._inner.close()

    def _turn(self) -> float:
        """Take the next permit; return the seconds until it may be used."""
        now = self._clock.monotonic()
        self._free_at = max(self._free_at, now - self._credit) + self._gap
        return self._free_at - now
