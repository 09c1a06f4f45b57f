"""Asks each server once in a command: what it answered counts for everybody who wants to know, and so does silence.

`syncline.wiring` puts these in front of the readers of repositories, charts and single files that commands render with;
a controller asks again each time. That a server could not be reached is kept on disk for a minute too: whoever runs a
command again and again does not wait for it each time, and is told.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from syncline import tasks
from syncline.model.errors import SourceError
from syncline.ports.clock import Clock
from syncline.ports.source import ChartRequest, Charts, CommitNote, RevisionRequest, Source, Tree
from syncline.ports.store import Store

_SECONDS = 60.0
Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class _Silence(msgspec.Struct, frozen=True):
    """What was said of a server that gave no answer, and when, in seconds since 1970."""

    at: float
    what: str
    hint: str = ""


class Files(Protocol):
    """Reads single files of servers."""

    async def read(self, url: str) -> bytes:
        """Return the content of a file."""
        ...


class SilentServers:
    """What could not be fetched lately, in a store that outlives the process; without one, nothing is kept."""

    def __init__(self, store: Store | None, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def ask(
        self,
        about: str,
        question: Callable[[], Awaitable[Answer]],
        is_silence: Callable[[SourceError], bool] = lambda _error: True,
    ) -> Answer:
        """Return the answer to a question; one that nobody answered within the last minute is not asked again.

        `is_silence` tells errors of a server that gave no answer from those of one that did.
        """
        if self._store is None:
            return await question()
        now = self._clock.now().timestamp()
        known = await self._known(self._store, about, now)
        if known is not None:
            again = f"remembered, and asked again in {round(_SECONDS - (now - known.at))} s"
            raise SourceError(known.what, hint="; ".join(filter(None, (known.hint, again))))
        try:
            return await question()
        except SourceError as error:
            if is_silence(error) and not error.is_refused:
                # A disk that is full costs time, nothing else.
                with contextlib.suppress(OSError):
                    await self._store.put(about, msgspec.json.encode(_Silence(now, error.what, error.hint)))
            raise

    @staticmethod
    async def _known(store: Store, about: str, now: float) -> _Silence | None:
        found = await store.get(about)
        try:
            known = msgspec.json.decode(found, type=_Silence) if found else None
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return known if known is not None and 0 <= now - known.at < _SECONDS else None


class NobodyAsked(SilentServers):
    """For commands that contact nobody: every server is silent."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(None, clock)

    async def ask(
        self,
        about: str,
        question: Callable[[], Awaitable[Answer]],
        is_silence: Callable[[SourceError], bool] = lambda _error: True,
    ) -> Answer:
        """Raise that nothing is fetched."""
        del about, question, is_silence
        raise SourceError("failed to list refs: nothing is fetched here", hint="fetch it with --fetch")


class _Once(Generic[Asked, Answer]):
    """Answers by question; a question that is being asked is joined."""

    def __init__(self, ask: Callable[[Asked], Coroutine[Any, Any, Answer]]) -> None:
        self._ask = ask
        self._tasks: dict[Asked, asyncio.Task[Answer]] = {}

    async def answer(self, asked: Asked) -> Answer:
        task = self._tasks.get(asked)
        if task is None:
            task = self._tasks[asked] = tasks.start(self._ask(asked), name="ask a server once")
        return await asyncio.shield(task)


def _unanswered(error: SourceError) -> bool:
    return error.is_unanswered


class SourceAskedOnce:
    """Repositories: `elsewhere` tells those of other machines, of which silence is kept on disk."""

    def __init__(self, source: Source, silent: SilentServers, elsewhere: Callable[[str], bool]) -> None:
        self._source = source
        self._silent = silent
        self._elsewhere = elsewhere
        self._revisions = _Once(self._ask)

    async def resolve(self, request: RevisionRequest) -> str:
        """Return the commit SHA a revision text stood for when it was first asked for."""
        return await self._revisions.answer(request)

    async def _ask(self, request: RevisionRequest) -> str:
        if not self._elsewhere(request.repo_url):
            return await self._source.resolve(request)
        about = f"git {request.repo_url}"
        return await self._silent.ask(about, lambda: self._source.resolve(request), _unanswered)

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> Tree:
        """Return the files of a commit below `path`."""

        def read() -> Awaitable[Tree]:
            return self._source.tree(repo_url, sha, path, project=project, permitted=permitted)

        if not self._elsewhere(repo_url):
            return await read()
        return await self._silent.ask(f"git {repo_url} {sha}", read, _unanswered)

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        """Return the note of a commit, or None where it cannot be told."""
        return await self._source.describe(repo_url, sha)


class ChartsAskedOnce:
    """Charts and artifacts."""

    def __init__(self, charts: Charts, silent: SilentServers) -> None:
        self._charts = charts
        self._silent = silent
        self._versions = _Once(self._ask)

    async def resolve(self, request: ChartRequest) -> str:
        """Return the exact version a request stood for when it was first made."""
        return await self._versions.answer(request)

    async def _ask(self, request: ChartRequest) -> str:
        about = f"chart {request.repo_url} {request.chart} {request.version}"
        return await self._silent.ask(about, lambda: self._charts.resolve(request))

    async def tree(self, request: ChartRequest) -> Tree:
        """Return the files of a chart, unpacked."""
        about = f"files of chart {request.repo_url} {request.chart} {request.version}"
        return await self._silent.ask(about, lambda: self._charts.tree(request))


class FilesAskedOnce:
    """Single files."""

    def __init__(self, files: Files, silent: SilentServers) -> None:
        self._files = files
        self._silent = silent
        self._contents = _Once(self._ask)

    async def read(self, url: str) -> bytes:
        """Return the content that a file had when it was first read."""
        return await self._contents.answer(url)

    async def _ask(self, url: str) -> bytes:
        return await self._silent.ask(f"file {url}", lambda: self._files.read(url))
