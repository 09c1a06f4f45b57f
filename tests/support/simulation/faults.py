"""Goes wrong by chance, and the same way again with the same seed: the wire between a controller and its cluster.

Each run switches some classes of faults on; `calm` ends all of them, after which everything has to come right.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping

import orjson

from syncline.ports.transport import Request, Response, Transport, TransportError

CLASSES = ("lost before", "lost after", "refused", "overload", "slow", "cut watches", "conflict")


class Refusal:
    """An error answer that never reached the server's store."""

    def __init__(self, status: int, reason: str) -> None:
        self.status = status
        self.headers: Mapping[str, str] = {}
        self._body = orjson.dumps(
            {"kind": "Status", "code": status, "reason": reason, "message": f"simulated {reason}", "status": "Failure"}
        )

    async def read(self) -> bytes:
        return self._body

    async def chunks(self) -> AsyncIterator[bytes]:
        yield self._body

    async def close(self) -> None:
        pass


class Cut:
    """A stream that may break between two pieces."""

    def __init__(self, inner: Response, wire: "Faulty") -> None:
        self._inner = inner
        self._wire = wire
        self.status = inner.status
        self.headers = inner.headers

    async def read(self) -> bytes:
        return await self._inner.read()

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner.chunks():
            if self._wire.happens("cut watches", 0.05):
                raise TransportError("simulated: the stream broke")
            yield chunk

    async def close(self) -> None:
        await self._inner.close()


class Faulty:
    """A transport with faults."""

    def __init__(self, inner: Transport, chance: random.Random, classes: frozenset[str]) -> None:
        self._inner = inner
        self._chance = chance
        self._classes = classes
        self.calm = False

    def happens(self, kind: str, probability: float) -> bool:
        """Whether a fault of a class happens now."""
        if self.calm or kind not in self._classes:
            return False
        return self._chance.random() < probability

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        if self.happens("slow", 0.1):
            await asyncio.sleep(self._chance.uniform(0.1, 20.0))
        if self.happens("lost before", 0.06):
            raise TransportError("simulated: cannot reach the cluster")
        if self.happens("overload", 0.05):
            return Refusal(self._chance.choice((429, 503)), "TooManyRequests")
        if self.happens("refused", 0.04):
            return Refusal(500, "InternalError")
        if request.method != "GET" and self.happens("conflict", 0.08):
            return Refusal(409, "Conflict")
        response = await self._inner.send(request, timeout=timeout)
        if request.method != "GET" and self.happens("lost after", 0.08):
            await response.close()
            raise TransportError("simulated: the answer was lost")
        return Cut(response, self)

    async def close(self) -> None:
        await self._inner.close()
