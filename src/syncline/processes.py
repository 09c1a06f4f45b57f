"""Runs another program once: an argv list, no shell, no terminal, limits on time, output and memory.

Called by those adapters that need git, helm, kubectl or a credential plugin; what an exit code or a text means is
theirs to say. A call that runs over its limits, or whose caller goes away, is killed together with all its children:
each program leads a process group of its own. A program that reads what strangers wrote is run in
`syncline.enclosure`, where this machine has the means for one. One that has used a lot of processor goes on behind
the others, and how much each has used is told to whoever pays for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from syncline import enclosure, tasks
from syncline.enclosure import THE_ENCLOSURE, Files, NotShutIn, Running

_Process: TypeAlias = asyncio.subprocess.Process | Running
_MAX_ERRORS = 64 * 1024
_DRAIN_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """What one call may cost; no memory limit where it is 0, or where the system cannot set one from outside."""

    seconds: float = 90.0
    output: int = 64 * 1024 * 1024
    memory: int = 0
    file_size: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its code (below 0: the signal), what it printed, and the end of what it complained about."""

    code: int
    output: bytes
    errors: bytes

    def complaint(self) -> str:
        """Return what it wrote to standard error, as text."""
        return self.errors.decode("utf-8", "replace")


class NotStarted(Exception):
    """The program is not there or may not be run."""


class OverLimit(Exception):
    """The program was killed; the text, after its name, says which limit it ran over."""


def found_on_path(name: str) -> str:
    """Return where a program is on PATH; empty where it is not.

    Entries of PATH that are not absolute mean another folder wherever we stand, and one inside the repository that we
    stand in holds what its authors put there: neither is looked into. Programs beside our own interpreter are ours.
    """
    repository = _repository_of(Path.cwd())
    for folder in _absolute(os.environ.get("PATH", os.defpath)):
        program = shutil.which(name, path=folder)
        if program and not (repository is not None and _is_foreign(Path(program), repository)):
            return program
    return ""


def _absolute(path: str) -> list[str]:
    return [folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()]


def _repository_of(folder: Path) -> Path | None:
    """Return the top of the Git working tree that a folder is in."""
    return next((parent for parent in (folder, *folder.parents) if (parent / ".git").exists()), None)


def _is_foreign(program: Path, repository: Path) -> bool:
    # The virtual environment that we run in is often inside the repository that it was made for.
    inside = program.resolve().is_relative_to(repository) or program.is_relative_to(repository)
    return inside and not program.is_relative_to(sys.prefix)


async def run(
    argv: Sequence[str],
    *,
    environment: Mapping[str, str],
    folder: str | None = None,
    limits: ProcessLimits | None = None,
    files: Files | None = None,
    on_used: Callable[[float], None] | None = None,
) -> Ended:
    """Run a program to its end; raises `NotStarted` or `OverLimit`. With `files` it is shut in with these alone.

    `on_used` is told the processor seconds it took, however it ended.
    """
    limits = limits or ProcessLimits()
    if "PATH" in environment:
        environment = {**environment, "PATH": os.pathsep.join(_absolute(environment["PATH"]))}
    shut_in = files is not None and not await THE_ENCLOSURE.refused()
    start: Coroutine[Any, Any, _Process]
    if files is not None and shut_in:
        start = THE_ENCLOSURE.start(
            argv,
            environment=environment,
            folder=folder or "/",
            files=files,
            memory=limits.memory,
            file_size=limits.file_size,
        )
    else:
        start = _start(argv, environment, folder)
    starting: asyncio.Task[_Process] = tasks.start(start, name="start a program")
    try:
        # A start that is given up half-way would leave the program's children behind.
        process = await asyncio.shield(starting)
    except (OSError, ValueError, NotShutIn) as error:
        raise NotStarted(str(error)) from None
    except asyncio.CancelledError:
        with contextlib.suppress(OSError, ValueError, NotShutIn):
            await _end(await starting)
        raise
    began = asyncio.get_running_loop().time()
    watching = _watched(process)
    try:
        return await _ended(process, limits)
    finally:
        used = await watching()
        if on_used is not None:
            # Where nobody knows, time on the clock counts.
            on_used(asyncio.get_running_loop().time() - began if used is None else used)


def _watched(process: _Process) -> Callable[[], Coroutine[Any, Any, float | None]]:
    """Put a program behind the others once it has used much; returns what ends this and tells what was used."""
    if isinstance(process, Running):
        running = process

        async def from_warden() -> float | None:
            return running.processor_seconds

        return from_warden
    child, used = process, [0.0]
    watch = tasks.start(_put_behind(child, used), name="watch a program")

    async def until_now() -> float | None:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
        return used[0] or None

    return until_now


async def _put_behind(process: asyncio.subprocess.Process, used: list[float]) -> None:
    is_behind = False
    # Once it has been waited for, its number may be another's.
    while process.returncode is None and (now := enclosure.processor_seconds(process.pid)) is not None:
        used[0] = max(used[0], now)
        is_behind = is_behind or enclosure.put_behind(process.pid)
        await asyncio.sleep(enclosure.LOOK_EVERY)


async def _start(argv: Sequence[str], environment: Mapping[str, str], folder: str | None) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        cwd=folder,
        start_new_session=True,
    )


async def _ended(process: _Process, limits: ProcessLimits) -> Ended:
    try:
        if not isinstance(process, Running):
            _restrict(process.pid, limits)
        output, errors = await asyncio.wait_for(_outputs(process, limits), limits.seconds)
    except TimeoutError:
        await _end(process)
        raise OverLimit(f"gave no answer within {limits.seconds:g} seconds") from None
    except NotShutIn as error:
        raise NotStarted(str(error)) from None
    except BaseException:
        await _end(process)
        raise
    finally:
        if isinstance(process, Running):
            await process.close()
    return Ended(process.returncode or 0, output, errors)


def _restrict(pid: int, limits: ProcessLimits) -> None:
    """Set limits from outside: code that runs between fork and exec is unsafe in a program with threads."""
    import resource

    if not hasattr(resource, "prlimit"):
        return
    wanted = ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_FSIZE, limits.file_size))
    with contextlib.suppress(ProcessLookupError, PermissionError):
        for kind, limit in wanted:
            if limit:
                resource.prlimit(pid, kind, (limit, limit))


async def _outputs(process: _Process, limits: ProcessLimits) -> tuple[bytes, bytes]:
    output, errors = process.stdout, process.stderr
    if output is None or errors is None:
        raise NotStarted("the program was started without pipes")
    telling = tasks.start(_told(errors), name="read errors")
    try:
        printed = await _printed(output, limits.output)
        told = await telling
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
    await process.wait()
    return printed, told


async def _printed(stream: asyncio.StreamReader, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while piece := await stream.read(65536):
        left -= len(piece)
        if left < 0:
            raise OverLimit(f"printed more than {limit} bytes")
        parts.append(piece)
    return b"".join(parts)


async def _told(stream: asyncio.StreamReader) -> bytes:
    """Keep the end of the complaints: the cause comes last."""
    kept = b""
    while piece := await stream.read(65536):
        kept = (kept + piece)[-_MAX_ERRORS:]
    return kept


async def _end(process: _Process) -> None:
    """Kill a program and whatever it started; its group is still there when itself has ended and a child hangs."""
    if isinstance(process, Running):
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError, NotShutIn):
        async with asyncio.timeout(_DRAIN_SECONDS):
            # The event loop counts a process as ended only when its pipes were read to their end.
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(65536):
                    pass
            await process.wait()
