"""Goes wrong by chance, and the same way again with the same seed: the wire between a controller and its cluster.

Each run switches some classes of faults on; `calm` ends all of them, after which everything has to come right.
Classes that are not of the wire (outages, clocks, a second controller) are played by `tests.support.simulation.run`.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

import orjson

from syncline.model.errors import SourceError
from syncline.ports.source import CommitNote, RevisionRequest
from syncline.ports.transport import Request, Response, Transport, TransportError
from tests.support.answers import PassedOn
from tests.support.fake_source import MemorySource, MemoryTree, Open

CLASSES = (
    "lost before",
    "two at once",
    "lost after",
    "late watches",
    "failed after",
    "outage",
    "refused",
    "git",
    "overload",
    "clock",
    "slow",
    "silent watches",
    "cut watches",
    "conflict",
)
LATE = 15.0
SILENCE = 45.0
OUTAGE = 60.0
SLOW = 20.0
"""The longest a watch lags, says nothing before it is given up, the cluster is away, or a request takes."""


def chosen(seed: int, chance: random.Random) -> frozenset[str]:
    """Return the classes of a run: two by turn, so that few runs see all, and up to two more by chance."""
    turn = 2 * seed % len(CLASSES)
    return frozenset(CLASSES[turn : turn + 2]) | frozenset(chance.sample(CLASSES, chance.randint(0, 2)))


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


class Cut(PassedOn):
    """A stream that may break between two pieces, lag behind, or say nothing more."""

    def __init__(self, inner: Response, wire: "Faulty") -> None:
        super().__init__(inner)
        self._wire = wire
        self._lagged = -LATE

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in super().chunks():
            await self._suffer()
            yield chunk

    async def _suffer(self) -> None:
        wire, now = self._wire, asyncio.get_running_loop().time()
        if wire.down or wire.happens("cut watches", 0.05):
            raise TransportError("simulated: the stream broke")
        if wire.happens("silent watches", 0.02):
            await asyncio.sleep(SILENCE)
            raise TransportError("simulated: the watch went silent")
        # Not again before what queued up behind has passed, so that nothing is ever later than this.
        if now - self._lagged > 2 * LATE and wire.happens("late watches", 0.2):
            self._lagged = now
            await asyncio.sleep(wire.chance.uniform(0.1, LATE))


class Faulty:
    """A transport with faults; `count` hears of every request, also of those that fail on the way."""

    def __init__(
        self, inner: Transport, chance: random.Random, classes: frozenset[str], count: Callable[[], Awaitable[None]]
    ) -> None:
        self._inner = inner
        self._count = count
        self._classes = classes
        self.chance = chance
        self.calm = False
        self.down = False

    def happens(self, kind: str, probability: float) -> bool:
        """Whether a fault of a class happens now."""
        if self.calm or kind not in self._classes:
            return False
        return self.chance.random() < probability

    async def send(self, request: Request, *, timeout: float | None = None) -> Response:
        await self._count()
        if "two at once" in self._classes and request.method != "GET":
            # Two that disagree answer each other as fast as the server does; one that takes no time would never end.
            await asyncio.sleep(self.chance.uniform(0.05, 0.1))
        if self.happens("slow", 0.07):
            await asyncio.sleep(self.chance.uniform(0.1, SLOW))
        if self.down or self.happens("lost before", 0.06):
            raise TransportError("simulated: cannot reach the cluster")
        writes = request.method != "GET"
        # A run has few writes and each has to be seen to fail, among all the lists and watches.
        if self.happens("overload", 0.15 if writes else 0.05):
            return Refusal(self.chance.choice((429, 503)), "TooManyRequests")
        if self.happens("refused", 0.15 if writes else 0.04):
            return Refusal(500, "InternalError")
        if writes and self.happens("conflict", 0.08):
            return Refusal(409, "Conflict")
        response = await self._inner.send(request, timeout=timeout)
        if self.happens("slow", 0.07):
            # What is answered is older than what was asked for meanwhile.
            await asyncio.sleep(self.chance.uniform(0.1, SLOW))
        if writes and self.happens("failed after", 0.08):
            await response.close()
            return Refusal(self.chance.choice((500, 504)), "Timeout")
        if writes and self.happens("lost after", 0.08):
            await response.close()
            raise TransportError("simulated: the answer was lost")
        return Cut(response, self)

    async def close(self) -> None:
        await self._inner.close()


class FaultySource(Open):
    """A repository that cannot be had now and then."""

    def __init__(self, inner: MemorySource, chance: random.Random, *, on: bool) -> None:
        self._inner = inner
        self._chance = chance
        self.calm = not on

    def _fail(self) -> None:
        if not self.calm and self._chance.random() < 0.3:
            raise SourceError("simulated: the repository does not answer")

    async def resolve(self, request: RevisionRequest) -> str:
        self._fail()
        return await self._inner.resolve(request)

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> MemoryTree:
        self._fail()
        return await self._inner.tree(repo_url, sha, path, project=project)

    async def references(self, repo_url: str, project: str = "") -> Mapping[str, str]:
        self._fail()
        return await self._inner.references(repo_url, project)

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        self._fail()
        return await self._inner.describe(repo_url, sha)
