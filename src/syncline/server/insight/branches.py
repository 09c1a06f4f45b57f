"""Looks at branches before they are merged, in the background, one after the other, for all who ask for the same.

Asked by the routes of checks. What a look is, is handed in (`syncline.api.branches`); kept here are the bounds: one
look at a time, a few that wait, a time limit for each, and the results of the last few.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import msgspec

from syncline import tasks
from syncline.controller.world import World
from syncline.model.cluster import KnownCluster
from syncline.model.errors import SynclineError
from syncline.model.preview import Preview
from syncline.ports.source import Historian, RevisionRequest
from syncline.server.requests.failures import EXHAUSTED, INTERNAL, UNAVAILABLE, Failure, failure_of
from syncline.tasks import OnFailure

_WAITING = 4
_KEPT = 12
_PATIENCE = 900.0
_FRESH_FOR = 20.0


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Which branch of which repository, against which; and what whoever asks may see besides.

    `permitted` are the repositories that files of the branch may lead to, `clusters` those its sets may deliver to.
    """

    repo_url: str
    head: str
    base: str = ""
    project: str = ""
    permitted: tuple[str, ...] = ()
    clusters: tuple[KnownCluster, ...] = ()

    @property
    def identity(self) -> tuple[object, ...]:
        """What wishes have to have in common to be served by one look."""
        marks = tuple((one.name, one.server, *sorted(one.labels.items())) for one in self.clusters)
        return self.repo_url, self.head, self.base, self.project, self.permitted, marks


class Revisions(msgspec.Struct, frozen=True):
    """The commits that are compared: where the branch parted from its base, and its head."""

    base: str
    head: str


Told = Callable[[int, int, str], None]
"""Is told how many Applications are rendered, of how many that are known so far, and which was last."""
LookAtBranch = Callable[[World, Wish, Revisions, Told], Awaitable[Preview]]


@dataclass(slots=True)
class Running:
    """One look: how far it is, then what it found."""

    wish: Wish
    revisions: Revisions
    done: int = 0
    known: int = 0
    last: str = ""
    seconds: float = 0.0
    made_at: float = 0.0
    found: Preview | None = None
    failure: Failure | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)

    @property
    def state(self) -> str:
        """How it stands: running, ready or failed."""
        if self.found is not None:
            return "ready"
        return "failed" if self.failure is not None else "running"

    def told(self, done: int, known: int, last: str) -> None:
        """Hear how far it is."""
        self.done, self.known, self.last = done, known, last


class Branches:
    """The looks that run, wait, or ended last."""

    def __init__(self, world: World, look: LookAtBranch | None, on_failure: OnFailure) -> None:
        self._world = world
        self._look = look
        self._on_failure = on_failure
        self._turn = asyncio.Semaphore(1)
        self._all: dict[tuple[object, ...], Running] = {}

    async def at(self, wish: Wish) -> Running:
        """Return the look that somebody wishes for, started where there is none, or the branch has moved since."""
        found = self._all.get(wish.identity)
        now = self._world.clock.monotonic()
        if found is not None and (found.state == "running" or now - found.made_at < _FRESH_FOR):
            return found
        revisions = await self._revisions(wish)
        found = self._all.get(wish.identity)
        if found is not None and found.state != "failed" and found.revisions == revisions:
            found.made_at = now
            return found
        return self._started(wish, revisions)

    async def branches(self, repo_url: str, project: str) -> list[str]:
        """List the branches of a repository, the default one first; nothing where that cannot be told."""
        source = self._world.source
        if not isinstance(source, Historian):
            return []
        try:
            return list(await source.branches(repo_url, project))
        except SynclineError:
            return []

    async def stop(self) -> None:
        """Give up what runs."""
        running = [one.task for one in self._all.values() if one.task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _revisions(self, wish: Wish) -> Revisions:
        source = self._world.source
        asked = (RevisionRequest(wish.repo_url, text, project=wish.project) for text in (wish.base, wish.head))
        base, head = [await source.resolve(one) for one in asked]
        if isinstance(source, Historian):
            base = await source.fork(wish.repo_url, head, base, wish.project)
        return Revisions(base, head)

    def _started(self, wish: Wish, revisions: Revisions) -> Running:
        if self._look is None:
            raise Failure(UNAVAILABLE, "this server does not look at branches")
        if sum(one.state == "running" for one in self._all.values()) > _WAITING:
            raise Failure(EXHAUSTED, "other branches are being looked at", hint="try again in a minute")
        self._forget()
        made = self._all[wish.identity] = Running(wish, revisions)
        made.task = tasks.start(self._run(made, self._look), name="a look at a branch")
        return made

    def _forget(self) -> None:
        """Leave the oldest results behind; a preview of a large repository is large."""
        ended = [name for name, one in self._all.items() if one.state != "running"]
        for name in ended[: max(0, len(ended) - _KEPT + 1)]:
            del self._all[name]

    async def _run(self, one: Running, look: LookAtBranch) -> None:
        clock = self._world.clock
        async with self._turn:
            begun = clock.monotonic()
            try:
                async with asyncio.timeout(_PATIENCE):
                    one.found = await look(self._world, one.wish, one.revisions, one.told)
            except Exception as error:  # noqa: BLE001 - whoever asked gets an answer, whatever happened
                one.failure = failure_of(error)
                if one.failure is None:
                    self._on_failure("a look at a branch", error)
                    one.failure = Failure(INTERNAL, "an internal error; the log of the server says more")
            finally:
                one.made_at = clock.monotonic()
                one.seconds = one.made_at - begun
