"""Says what a branch does, for a server: with the tools and the access of its installation, and not one bit more.

Handed to the server by the command line. Both commits are written to folders without links and compared as
`syncline preview` compares them, in a thread with a loop of its own: rules over a large repository take seconds, and
deliveries go on meanwhile. Git, charts and renders are asked for on the server's own loop, where they belong. What
somebody pushes to a branch may name any repository: only those are read that whoever asks knows already.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from syncline import tasks
from syncline.api.applications import RenderFlags
from syncline.api.preview import Sides, compared
from syncline.api.repository.memory import CheckMemory
from syncline.api.repository.snapshot import Lent, Taken, snapshot
from syncline.controller.sources.render_stores import MemoryRenders, StoredRenders
from syncline.controller.sources.renders import RenderCache
from syncline.model.errors import SourceError
from syncline.model.logins import without_logins
from syncline.model.sources import repository_urls
from syncline.ports.source import ChartRequest, Charts, CommitNote, RevisionRequest, Tree
from syncline.wiring import RenderTools

if TYPE_CHECKING:
    from syncline.controller.world import World
    from syncline.model.desired import Desired
    from syncline.model.preview import Preview
    from syncline.model.settings.settings import Settings
    from syncline.ports.render import Explainer, RenderRequest
    from syncline.server.insight.branches import Revisions, Told, Wish

_MAX_FILES = 50_000
_MAX_BYTES = 500_000_000
_SHORT = 10
_RENDERS = 2
T = TypeVar("T")


class Over(Protocol):
    """Has something done on another loop, and hands the result back."""

    def __call__(self, work: Coroutine[Any, Any, T], /) -> asyncio.Future[T]:
        """Have it done."""
        ...


async def look_at_branch(world: World, wish: Wish, revisions: Revisions, told: Told) -> Preview:
    """Return what a branch does to every app of its repository."""
    trees = [
        await world.source.tree(wish.repo_url, sha, "", project=wish.project, permitted=wish.permitted)
        for sha in (revisions.base, revisions.head)
    ]
    home = asyncio.get_running_loop()

    def over(work: Coroutine[Any, Any, T]) -> asyncio.Future[T]:
        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, home))

    apart = _Apart(lambda: _compared(world, wish, trees, _Borrowed(world, wish, over), told))
    thread = tasks.start(asyncio.to_thread(apart), name="compare two commits")
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        apart.give_up()
        await asyncio.wait({thread})
        raise


class _Apart:
    """Runs work on a loop of its own, in whatever thread calls it, until somebody gives it up."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, Preview]]) -> None:
        self._work = work
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._given_up = False

    def __call__(self) -> Preview:
        """Run it."""
        return asyncio.run(self._main())

    async def _main(self) -> Preview:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if self._given_up:
            raise asyncio.CancelledError
        return await self._work()

    def give_up(self) -> None:
        """End it at its next wait."""
        self._given_up = True
        if self._loop is not None and self._task is not None:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                self._loop.call_soon_threadsafe(self._task.cancel)


async def _compared(world: World, wish: Wish, trees: Sequence[Tree], ports: _Borrowed, told: Told) -> Preview:
    lasting = StoredRenders(world.store) if world.store is not None else None
    renders = RenderCache(ports, memory=MemoryRenders(), lasting=lasting)
    charts = ports.charts(world.charts) if world.charts is not None else None
    # Nobody asks what explains a render for anything here.
    tools = RenderTools(ports, charts, renders, cast("Explainer", ports), {})
    flags = RenderFlags(local=True, clusters=wish.clusters, source_repos=wish.permitted)
    name = wish.repo_url.rstrip("/").removesuffix(".git").rpartition("/")[2] or "repository"
    own = repository_urls.spelling(wish.repo_url)
    with tempfile.TemporaryDirectory(prefix="syncline-") as scratch:
        before, after = (Path(scratch, side, _plain(name)) for side in ("base", "head"))
        for tree, folder in zip(trees, (before, after), strict=True):
            _write(tree, folder)
        lent = Lent(tools, (wish.repo_url,))

        async def look(folder: Path) -> Taken:
            return await snapshot(folder, flags, progress=told, lent=lent)

        sides = Sides(before, after, trees[0].revision[:_SHORT], trees[1].revision[:_SHORT])
        return await compared(sides, look, lambda url: repository_urls.spelling(url) == own, CheckMemory())


def _plain(name: str) -> str:
    return "".join(one if one.isalnum() or one in "-_." else "-" for one in name).strip(".") or "repository"


def _write(tree: Tree, folder: Path) -> None:
    """Write the files of a commit; what a link leads to inside the commit stands in its place, nothing else."""
    folder.mkdir(parents=True)
    files = tree.files()
    if len(files) > _MAX_FILES or sum(one.size for one in files) > _MAX_BYTES:
        raise SourceError(
            f"the repository has more than {_MAX_FILES:,} files or {_MAX_BYTES // 1_000_000} MB",
            hint="look at it with syncline preview in a checkout",
        )
    for one in files:
        place = folder.joinpath(*one.path.split("/"))
        if ".git" in place.relative_to(folder).parts or ".." in place.relative_to(folder).parts:
            continue
        try:
            content = tree.read(one.path)
        except SourceError:
            if not one.is_link:
                raise
            continue  # A link to a folder, to nothing, or out of the repository.
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


class _Borrowed:
    """The ports of an installation as the other loop sees them: few renders at once, known repositories alone."""

    def __init__(self, world: World, wish: Wish, over: Over) -> None:
        self._world, self._wish, self._over = world, wish, over
        self._turn = asyncio.Semaphore(_RENDERS)

    def charts(self, charts: Charts) -> _BorrowedCharts:
        """Return the reader of charts."""
        return _BorrowedCharts(charts, self.require, self._over)

    def require(self, repo_url: str) -> None:
        """Refuse a repository that whoever asks does not know."""
        known = {repository_urls.spelling(one) for one in (self._wish.repo_url, *self._wish.permitted)}
        if repository_urls.spelling(repo_url) not in known:
            raise SourceError(
                f"repository {without_logins(repo_url)} is not fetched for a branch",
                hint="no app that you may see is delivered from there",
            )

    async def resolve(self, request: RevisionRequest) -> str:
        """Return the commit a revision text stands for right now."""
        self.require(request.repo_url)
        return await self._over(self._world.source.resolve(request))

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> Tree:
        """Return the files of a commit below `path`."""
        self.require(repo_url)
        return await self._over(self._world.source.tree(repo_url, sha, path, project=project, permitted=permitted))

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        """Return the note of a commit."""
        self.require(repo_url)
        return await self._over(self._world.source.describe(repo_url, sha))

    @property
    def fingerprint(self) -> str:
        """The programs in use."""
        return self._world.renderer.fingerprint

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Render one source, when it is its turn."""
        async with self._turn:
            return await self._over(self._world.renderer.render(request, tree, refs))

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        """Whether what an earlier render fetched besides its source is still what it was."""
        return await self._over(self._world.renderer.is_current(request, desired))

    def adjust(self, settings: Settings) -> None:
        """Leave the settings to the owner of the renderer."""


class _BorrowedCharts:
    """The reader of charts as the other loop sees it."""

    def __init__(self, charts: Charts, require: Callable[[str], None], over: Over) -> None:
        self._charts, self._require, self._over = charts, require, over

    async def resolve(self, request: ChartRequest) -> str:
        """Return the exact version a request stands for right now."""
        self._require(request.repo_url)
        return await self._over(self._charts.resolve(request))

    async def tree(self, request: ChartRequest) -> Tree:
        """Return the files of a chart."""
        self._require(request.repo_url)
        return await self._over(self._charts.tree(request))
