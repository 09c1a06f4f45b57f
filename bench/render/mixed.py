"""200 mixed apps from cold beside the bare tools; 1,000 apps that did not change; one of 1,000 that did.

The raw cost of the cold render is that of the very same helm and kubectl calls in the checkout, as many at once as the
machine has processors, with nothing read, copied or parsed. Both are measured in turns, and the best round of each
counts. The goal is held against processor time, which other programs of the machine disturb least. What the unchanged
apps cost is the controller's own look-up: trees, inputs, memory; and from disk, as after a restart.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import resource
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from bench.render import apps
from bench.render.apps import App
from bench.rows import Row
from syncline.adapters.git.tree import GitTree, open_commit
from syncline.adapters.render.renderer import ToolRenderer
from syncline.adapters.store import FileStore
from syncline.controller.sources.render_stores import MemoryRenders, StoredRenders
from syncline.controller.sources.renders import Look, RenderCache
from syncline.model.desired import Desired
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_ROUNDS = 2
_URL = "https://git.example/shop.git"
_MANY = 1_000


def rows() -> list[Row]:
    """Make the repository and measure."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_rows(pathlib.Path(folder)))


async def _rows(folder: pathlib.Path) -> list[Row]:
    repository = folder / "repository"
    found, sha = apps.make(repository)
    bare = cold = (float("inf"), float("inf"))
    for _ in range(_ROUNDS):
        bare = min(bare, await _spent(lambda: _bare(repository, found)))
        cold = min(cold, await _spent(lambda: _cold(repository, sha, found)))
    raw_is, ratio = "the bare tool calls", cold[0] / bare[0]
    measured = [
        Row(name="200 mixed apps cold, processor", figure=cold[0], unit="s", raw=bare[0], raw_is=raw_is),
        Row(name="200 mixed apps cold, beside the bare tools", figure=ratio, unit="×", at_most=1.15),
        Row(name="200 mixed apps cold", figure=cold[1], unit="s", raw=bare[1], raw_is=raw_is),
    ]
    return [*measured, *await _again(folder, repository, sha, found)]


async def _spent(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """Return the processor time and the time of some work."""
    before = _processor_time()
    seconds = await _timed(work)
    return _processor_time() - before, seconds


def _processor_time() -> float:
    """Return the seconds of this process, of children that ended, and of those that live with their children."""
    ended = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    total = sum(one.ru_utime + one.ru_stime for one in ended)
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


async def _timed(work: Callable[[], Awaitable[object]]) -> float:
    start = time.perf_counter()
    await work()
    return time.perf_counter() - start


async def _bare(repository: pathlib.Path, found: Sequence[App]) -> None:
    turns = asyncio.Semaphore(os.cpu_count() or 1)

    async def run(app: App) -> None:
        if not app.command:
            return
        async with turns:
            program = str(pathlib.Path(sys.executable).with_name(app.command[0]))
            process = await asyncio.create_subprocess_exec(
                program,
                *app.command[1:],
                cwd=repository / app.path,
                stdout=asyncio.subprocess.PIPE,
                env={"HOME": "/nonexistent", "KUBECONFIG": "/nonexistent"},
            )
            printed, _ = await process.communicate()
            if process.returncode or not printed:
                raise RuntimeError(f"{app.command} failed in {app.path}")

    await asyncio.gather(*map(run, found))


async def _cold(repository: pathlib.Path, sha: str, found: Sequence[App]) -> None:
    renderer = ToolRenderer()

    async def render(app: App) -> None:
        tree = await asyncio.to_thread(_tree, repository, sha, app)
        desired = await renderer.render(app.request(_URL), tree)
        if not desired.objects:
            raise RuntimeError(f"{app.path} made nothing")

    await asyncio.gather(*map(render, found))


def _tree(repository: pathlib.Path, sha: str, app: App) -> GitTree:
    return GitTree(open_commit(str(repository / ".git"), sha), app.path)


async def _again(folder: pathlib.Path, repository: pathlib.Path, sha: str, found: Sequence[App]) -> list[Row]:
    """Render 1,000 apps of these folders once, then measure what a commit beside them and one in them costs."""
    disk = StoredRenders(FileStore(str(folder / "renders")))
    counted = _Counted()
    renders = RenderCache(counted, memory=MemoryRenders(), lasting=disk)
    many = [(app, app.request(_URL, f"{app.name}-{number}")) for number in range(_MANY // len(found)) for app in found]

    async def look(at: str, kept: RenderCache) -> None:
        trees: dict[str, GitTree] = {}
        for app, request in many:
            tree = trees.get(app.path) or trees.setdefault(app.path, _tree(repository, at, app))
            await kept.render(Look(request, tree))

    for app in found:
        counted.ready[app.path] = await counted.render(app.request(_URL), _tree(repository, sha, app))
    await look(sha, renders)
    counted.ready.clear()
    (repository / "README").write_text("a commit beside all apps\n")
    beside = apps.commit(repository)
    counted.count = 0
    unchanged = await _timed(lambda: look(beside, renders))
    successor = RenderCache(counted, memory=MemoryRenders(), lasting=disk)
    restarted = await _timed(lambda: look(beside, successor))
    if counted.count:
        raise RuntimeError(f"{counted.count} renders where nothing had changed")
    first = many[0][0]
    (repository / first.path / "values.yaml").write_text("image: {repository: other, tag: x}\nreplicas: 1\nport: 1\n")
    many[:] = [entry for number, entry in enumerate(many) if entry[0] is not first or number == 0]
    touched = apps.commit(repository)
    await look(touched, renders)
    return [
        Row(name="1,000 unchanged apps after a commit", figure=unchanged, unit="s", at_most=1.0),
        Row(name="1,000 unchanged apps after a restart, from disk", figure=restarted, unit="s", at_most=1.0),
        Row(name="renders for one touched app of 1,000", figure=float(counted.count), unit="", at_most=1.0),
    ]


class _Counted(ToolRenderer):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.ready: dict[str, Desired] = {}
        """Renders of folders, to fill memory and disk with many apps of the same few folders."""

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Count and render."""
        self.count += 1
        return self.ready.get(request.source.path) or await super().render(request, tree, refs)
