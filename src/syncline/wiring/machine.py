"""Builds what this machine gives: its clock, its folder of caches, its script workers, its programs' versions."""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from syncline.adapters.render.found import FoundProgram
    from syncline.ports.clock import Clock
    from syncline.ports.evaluate import Evaluator

T = TypeVar("T")
_SCRIPT_SECONDS = 1.0


def clock() -> Clock:
    """Return the machine's clock."""
    from syncline.adapters.clock import SystemClock

    return SystemClock()


def virtual_clock() -> Clock:
    """Return the clock of a loop in virtual time."""
    from syncline.adapters.virtual_time import LoopClock

    return LoopClock()


class FastForward:
    """Time that jumps until it has caught up with the clock on the wall, and then runs as that does.

    To be made on a loop in virtual time; `ahead` is how many seconds of it are expected to be jumped over.
    """

    def __init__(self, ahead: float) -> None:
        from datetime import timedelta

        from syncline.adapters.virtual_time import LoopClock

        self._clock = LoopClock(clock().now() - timedelta(seconds=ahead))

    @property
    def clock(self) -> Clock:
        """The clock of whatever is played."""
        return self._clock

    @contextmanager
    def real_time(self) -> Iterator[None]:
        """Let time run at the real rate in a block, from the time that it really is."""
        import asyncio

        from syncline.adapters.virtual_time import HybridLoop

        loop = asyncio.get_running_loop()
        if not isinstance(loop, HybridLoop):
            raise TypeError("only time that jumps can stop jumping")
        with loop.real_work():
            self._clock.catch_up(clock().now())
            yield


def run_in_virtual_time(main: Coroutine[Any, Any, T], *, rate: float = 1.0) -> T:
    """Run to the end on a loop whose time jumps wherever nothing real is waited for, and else passes at this rate."""
    import asyncio

    from syncline.adapters.virtual_time import HybridLoop

    with asyncio.Runner(loop_factory=lambda: HybridLoop(rate)) as runner:
        return runner.run(main)


def cache_folder() -> Path:
    """Return where caches live: lost at any time without harm."""
    base = os.environ.get("SYNCLINE_CACHE") or os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "syncline"


def usable_cache_folder() -> Path:
    """Return where caches can be written: a temporary folder of this process where theirs cannot."""
    return _usable(cache_folder())[0]


def cache_trouble() -> str:
    """Return the sentence that says why caches do not outlive this process; empty where they do."""
    return _usable(cache_folder())[1]


@functools.lru_cache(maxsize=8)
def _usable(folder: Path) -> tuple[Path, str]:
    import atexit
    import shutil
    import tempfile

    from syncline import private_folders

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        private_folders.shut(folder)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-") as probe:
            probe.write(b"x")
            probe.flush()
    except OSError as error:
        instead = tempfile.mkdtemp(prefix="syncline-cache-")
        atexit.register(shutil.rmtree, instead, ignore_errors=True)
        return Path(instead), (
            f"the cache folder {folder} cannot be written ({error.strerror or error}), so caches end with this "
            "process: free space there, make it writable or set SYNCLINE_CACHE to another folder"
        )
    return folder, ""


def evaluator(seconds: float = _SCRIPT_SECONDS) -> Evaluator:
    """Return the runner of users' Lua and jq scripts, each for so long at most; close it when done."""
    from syncline.adapters.scripts.evaluator import ScriptEvaluator
    from syncline.adapters.scripts.process import ScriptLimits

    return ScriptEvaluator(limits=ScriptLimits(seconds=seconds, wall_seconds=5.0 * max(1.0, seconds)))


@asynccontextmanager
async def evaluating(seconds: float = _SCRIPT_SECONDS) -> AsyncIterator[Evaluator]:
    """Yield a runner of users' scripts, each for so long at most; its workers end with the block."""
    runner = evaluator(seconds)
    try:
        yield runner
    finally:
        await runner.close()


async def not_shut_in() -> str:
    """Say why helm, kubectl and jsonnet cannot be shut in on this machine; empty where they are."""
    from syncline.adapters import versions as asking

    return await asking.not_shut_in()


async def versions(names: Sequence[str]) -> dict[str, str]:
    """Return what programs say about their version; empty where there is none."""
    from syncline.adapters.versions import versions as ask

    found = {name: program.path for name, program in programs_found().items()}
    return await ask(names, found)


def programs_found() -> dict[str, FoundProgram]:
    """Return the programs that render, by name: where each is and why that one."""
    from syncline.adapters.render.found import FoundVersions, find

    known = FoundVersions(usable_cache_folder() / "programs.json")
    return {name: find(name, known) for name in ("helm", "kubectl")}
