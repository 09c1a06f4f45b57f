"""Finds helm and kubectl and runs them for a render: no network, no configuration, no cluster of anybody, no file but
those of the render.

Held by `syncline.adapters.render.renderer` and handed to the tools. `syncline.adapters.render.found` says which ones
are run. About as many run at once as the machine has processors, shared between projects by the processor time they
use (`syncline.turns`): a program that loops for one project takes no place from another. Where a version is pinned, one
that differs is used all the same, and said.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import math
import os
import pathlib
import re
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TypeVar

from syncline import processes, tasks, turns
from syncline.adapters.render.found import VERSION, FoundProgram, FoundVersions, find, fits, identity_of
from syncline.adapters.render.pins import NAMES, PinFile
from syncline.adapters.render.workspace import Workspace
from syncline.enclosure import Files, libraries_of
from syncline.model.errors import RenderError
from syncline.model.fairness import FairLimits, Lane, Share, TurnFigures, Usage

LIMITS = processes.ProcessLimits(seconds=90.0, output=50_000_000, memory=4 * 1024 * 1024 * 1024, file_size=200_000_000)
LARGE = 200_000
"""So many bytes of YAML take long enough to read that others would notice."""
_FOLDERS_PER_PROGRAM = 3
_BUDGET, _WINDOW = 60.0, 600.0
"""Processor seconds that programs of one project may use in how many seconds before others come first."""
_NOWHERE = "http://127.0.0.1:9"
"""A proxy that never answers: whatever a tool would fetch by itself fails at once."""
_GO = {"GOGC": "400", "GOMEMLIMIT": "512MiB"}
"""helm and kubectl live for a moment: Go would spend a fifth of it on collecting garbage; large renders do collect."""
_ASK_VERSION = {
    "helm": ("version", "--short"),
    "kubectl": ("version", "--client"),
    "kustomize": ("version", "--client"),
}
_FOUND = ("helm", "kubectl")
_LACKING = re.compile(
    r"(?i)out of memory|cannot allocate memory|resource temporarily unavailable|too many open files|"
    r"no space left|input/output error|disk quota exceeded"
)
T = TypeVar("T")
_KUSTOMIZE_VERSION = re.compile(r"Kustomize Version: v(\d+\.\d+\.\d+)")


def limits(seconds: float) -> processes.ProcessLimits:
    """Return the usual limits with another one on time; 0 leaves the usual one."""
    return dataclasses.replace(LIMITS, seconds=seconds) if seconds > 0 else LIMITS


class ProgramFailed(Exception):
    """A program ended badly; `complaint` is what it wrote to standard error, with the repository's own paths.

    It is `passing` where somebody killed it, or the machine lacked something.
    """

    def __init__(self, complaint: str, *, killed: bool = False) -> None:
        super().__init__(complaint)
        self.complaint = complaint
        self.passing = killed or _LACKING.search(complaint) is not None


class Programs:
    """The tools at hand; `pins` are the versions people want (`helm` to `4.2`), by their first parts."""

    def __init__(
        self,
        *,
        limits: processes.ProcessLimits = LIMITS,
        parallel: int = 0,
        pins: Mapping[str, str] | PinFile | None = None,
        known: FoundVersions | None = None,
    ) -> None:
        self._parallel, self._budget = 0, _BUDGET
        self.usage = Usage()
        """Processor seconds of programs, by project."""
        self.turns = turns.Turns(FairLimits(width=1), self.usage)
        self.folders = turns.Turns(FairLimits(width=1), self.usage)
        """Taken for a whole render: while a program runs, the next folders are filled and outputs read."""
        self.parsing = turns.Turns(FairLimits(width=1, room=3, too_long=math.inf, budget=0.0))
        """Taken to read what is large: threads that compute all the time would leave little to everybody else."""
        self.share = Share()
        self.use(limits, parallel)
        self._pins = pins or {}
        self._known = known or FoundVersions()
        self._found: dict[str, FoundProgram] = {}
        self._versions: dict[str, str] = {}

    @property
    def fingerprint(self) -> str:
        """Which programs would be run: their paths, sizes and dates; and which versions are wanted instead."""
        wanted = ",".join(f"{name}={pin}" for name in NAMES if (pin := self._pins.get(name, "")))
        return " ".join(filter(None, (*(identity_of(self.path(name)) for name in _FOUND), wanted)))

    def use(self, limits: processes.ProcessLimits, parallel: int = 0, budget: float = _BUDGET) -> None:
        """Take other limits from the next program on; 0 lets as many run at once as there are processors.

        `budget` are the processor seconds of a project in ten minutes before others come first; 0 sets no limit.
        """
        self.limits = limits
        parallel = parallel or os.cpu_count() or 1
        if (parallel, budget) != (self._parallel, self._budget):
            self._parallel, self._budget = parallel, budget
            self.turns.use(_fair(parallel, budget))
            self.folders.use(_fair(parallel * _FOLDERS_PER_PROGRAM, budget))

    def on_behalf_of(self, project: str, *, awaited: bool = True) -> Programs:
        """Return the same programs, whose turns are those of a project."""
        mine = copy.copy(self)
        mine.share = Share(project, awaited, turns.worked_for().subject)
        return mine

    async def parse(self, size: int, work: Callable[[], T]) -> T:
        """Read so many bytes of files or output in a thread: what is large one at a time for each project."""
        if size < LARGE:
            return await tasks.in_own_thread(work)
        async with self.parsing.turn(self.share):
            return await tasks.in_own_thread(work)

    async def until_waiting(self) -> None:
        """Wait until a program waits for its turn."""
        await self.turns.until_waiting()

    def figures(self) -> TurnFigures:
        """Return what waits for room or for a program, what runs, and what projects have used."""
        waiting = self.turns.waiting() + self.folders.waiting()
        return TurnFigures(
            waiting={lane.name.lower(): waiting[lane] for lane in Lane},
            running=self.turns.running(),
            processor_seconds=dict(self.usage.total),
            waits=(*self.folders.waits(), *self.turns.waits()),
        )

    @contextlib.asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for room for one more render, and hold it."""
        try:
            async with self.folders.turn(self.share):
                yield
        except turns.GaveWay:
            raise _gave_way("the render") from None

    async def run(self, name: str, arguments: Sequence[str], workspace: Workspace, folder: str = "") -> bytes:
        """Run a program in a folder of the workspace; raises `ProgramFailed` or `RenderError`."""
        files = self._files(workspace, name, *(("helm",) if "--enable-helm" in arguments else ()))
        environment = plain_environment(workspace) | _GO
        command = (self._needed(name), *arguments)
        return await self.run_command(command, name, workspace, folder, environment=environment, files=files)

    async def run_python(self, module: str, arguments: Sequence[str], name: str, workspace: Workspace) -> bytes:
        """Run one of our own modules as a program that can be killed; `name` is for errors."""
        command = (sys.executable, "-I", "-m", module, *arguments)
        files = Files()
        if (libraries := libraries_of(sys.executable)) is not None:
            needed = (sys.base_prefix, sys.prefix, str(pathlib.Path(__file__).parents[2]), *libraries)
            files = Files((str(workspace.folder),), tuple(dict.fromkeys(needed)))
        return await self.run_command(command, name, workspace, files=files)

    async def run_command(
        self,
        command: Sequence[str],
        name: str,
        workspace: Workspace,
        folder: str = "",
        *,
        environment: Mapping[str, str] | None = None,
        limits: processes.ProcessLimits | None = None,
        files: Files | None = None,
    ) -> bytes:
        """Run a command in a folder of the workspace and return what it printed; `name` is for errors."""
        try:
            async with self.turns.turn(self.share) as turn:
                ended = await processes.run(
                    tuple(command),
                    environment=environment or plain_environment(workspace),
                    folder=str(workspace.repository / folder),
                    limits=limits or self.limits,
                    files=files,
                    on_used=turn.add,
                )
        except turns.GaveWay:
            raise _gave_way(name) from None
        except processes.NotStarted:
            what = f"the program {command[0]} cannot be started"
            raise RenderError(what, hint="install it again", passing=True) from None
        except processes.OverLimit as over:
            what = f"{name} {over} and was stopped"
            hint = "what it renders is too large"
            raise RenderError(what, hint=hint, passing=True, over_limit=True) from None
        if ended.code != 0:
            raise ProgramFailed(workspace.plain(ended.complaint()), killed=ended.code < 0)
        return ended.output

    async def pin_warnings(self, *names: str) -> tuple[str, ...]:
        """Return a sentence for each program whose version is not the pinned one."""
        found: list[str] = []
        for name in names:
            wanted = self._pins.get(name, "").removeprefix("v")
            if wanted and not fits(version := await self.version(name), wanted):
                found.append(
                    f"{name} {version or 'of an unknown version'} is in use, but {wanted} is pinned in [tools]"
                )
        passed_over = [self.found(name).trouble for name in names if name in _FOUND]
        trouble = self._pins.trouble if isinstance(self._pins, PinFile) else ""
        return tuple(filter(None, (*found, *passed_over, trouble)))

    async def version(self, name: str) -> str:
        """Return the version of a program (`3.17.3`), empty where it does not tell; asked once."""
        if name not in self._versions:
            path = self._needed("kubectl" if name == "kustomize" else name)
            try:
                environment = {"HOME": "/nonexistent", "PATH": ""}
                limits = processes.ProcessLimits(seconds=10.0, output=65536)
                ended = await processes.run((path, *_ASK_VERSION[name]), environment=environment, limits=limits)
                text = ended.output.decode("utf-8", "replace")
            except (processes.NotStarted, processes.OverLimit):
                text = ""
            version = (_KUSTOMIZE_VERSION if name == "kustomize" else VERSION).search(text)
            self._versions[name] = version[1] if version else ""
        return self._versions[name]

    def _files(self, workspace: Workspace, *names: str) -> Files:
        """Return what programs find on disk: themselves and the workspace; everything where one is a script."""
        found: list[str] = []
        for path in filter(None, map(self.path, names)):
            libraries = libraries_of(path)
            if libraries is None:
                return Files()
            found += (path, *libraries)
        return Files((str(workspace.folder),), tuple(dict.fromkeys(found)))

    def _needed(self, name: str) -> str:
        path = self.path(name)
        if not path:
            hint = "install it, or Syncline with its extra `tools`"
            what = f"the program {name} is not installed beside Python or on PATH"
            raise RenderError(what, hint=hint, passing=True)
        return path

    def path(self, name: str) -> str:
        """Return where a program is; empty where it is not."""
        return self.found(name).path

    def found(self, name: str) -> FoundProgram:
        """Return which program is run under a name, and why that one."""
        if name not in self._found:
            self._found[name] = find(name, self._known)
        return self._found[name]


def plain_environment(workspace: Workspace) -> dict[str, str]:
    """Return the environment of a program that may know nothing of this machine."""
    home = workspace.home
    return {
        "PATH": str(home / "bin"),
        "HOME": str(home),
        "TMPDIR": str(workspace.extra),
        "HELM_CACHE_HOME": str(home / "cache"),
        "HELM_CONFIG_HOME": str(home / "config"),
        "HELM_DATA_HOME": str(home / "data"),
        "KUBECONFIG": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "http_proxy": _NOWHERE,
        "https_proxy": _NOWHERE,
        "HTTP_PROXY": _NOWHERE,
        "HTTPS_PROXY": _NOWHERE,
        "ALL_PROXY": _NOWHERE,
    }


def _fair(parallel: int, budget: float) -> FairLimits:
    """Return how many run at a time: a few more than `parallel` where projects come that have nothing running."""
    room = max(2, parallel // 2)
    return FairLimits(width=parallel, room=room, most=parallel + 2 * room, reserved=room, budget=budget, window=_WINDOW)


def _gave_way(name: str) -> RenderError:
    what = f"{name} was stopped after a long time: every place was taken, and other projects waited"
    return RenderError(what, hint="make it render less at a time", passing=True, over_limit=True)
