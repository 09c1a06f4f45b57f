"""One worker process: starts it, hands it scripts, kills it when an answer stays out.

Used by `syncline.adapters.scripts.evaluator`. Answers come in the order of the scripts, so when the worker ends it was
the first unanswered script that ended it. The worker gets an empty environment: jq shows its own to scripts.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import struct
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

import orjson

from syncline import in_flight, tasks
from syncline.model.script import Evaluated

_LENGTH = struct.Struct(">I")
_START_SECONDS = 60.0
_END_SECONDS = 5.0
_MAX_ANSWER = 64 * 1024 * 1024
_OUT_OF_MEMORY = frozenset((-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGTRAP, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLimits:
    """What one script may cost: processor time, time on the clock, and memory of Lua and of the whole worker."""

    seconds: float = 1.0
    wall_seconds: float = 5.0
    lua_memory: int = 32 * 1024 * 1024
    memory: int = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class ScriptAnswer:
    """A result, whether the script used up its time or memory, and whether it would do so again."""

    evaluated: Evaluated
    over_limit: bool = False
    certain: bool = True


class WorkerEnded(Exception):
    """The worker is gone; `blame` says what the script did, empty when it was not the script.

    It is not `certain` where the machine may just have been slow.
    """

    def __init__(self, blame: str, *, certain: bool = True) -> None:
        super().__init__(blame)
        self.blame = blame
        self.certain = certain


class CannotStart(Exception):
    """No worker can be started on this machine right now."""


class ScriptWorker:
    """A running worker; one batch at a time."""

    def __init__(self, process: asyncio.subprocess.Process, limits: ScriptLimits) -> None:
        self._process = process
        self._limits = limits
        self._unread = bytearray()

    @classmethod
    async def start(cls, limits: ScriptLimits) -> ScriptWorker:
        """Start a worker and wait until it is ready; raises CannotStart."""
        try:
            with in_flight.staying():
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-I",
                    "-m",
                    "syncline.adapters.scripts.worker",
                    *map(str, (limits.seconds, limits.memory, limits.lua_memory)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.DEVNULL,
                    env={"TZ": "UTC", "LC_ALL": "C.UTF-8"},
                    start_new_session=True,
                )
        except OSError:
            raise CannotStart from None
        worker = cls(process, limits)
        try:
            await worker._frame(_START_SECONDS)
        except WorkerEnded:
            await worker.kill()
            raise CannotStart from None
        except BaseException:
            await worker.kill()
            raise
        return worker

    @property
    def alive(self) -> bool:
        """Whether the process has not ended, as far as is known."""
        return self._process.returncode is None

    async def answers(self, scripts: Sequence[bytes]) -> AsyncGenerator[ScriptAnswer, None]:
        """Yield one answer per encoded script; raises WorkerEnded at the script that ended the worker."""
        sending = tasks.start(self._send(b"[" + b",".join(scripts) + b"]"), name="send scripts")
        try:
            for _ in scripts:
                value, error, over_limit = orjson.loads(await self._frame(self._limits.wall_seconds))
                yield ScriptAnswer(Evaluated(value=value, error=error), over_limit)
            await sending
        finally:
            sending.cancel()

    async def _send(self, content: bytes) -> None:
        stream = self._process.stdin
        if stream is not None:
            # A worker that is gone is noticed by whoever waits for its answers.
            with contextlib.suppress(ConnectionError):
                stream.write(_LENGTH.pack(len(content)) + content)
                await stream.drain()

    async def _frame(self, seconds: float) -> bytes:
        """Return the next frame; many come in one read when scripts are quick."""
        while (content := self._cut()) is None:
            stream = self._process.stdout
            try:
                with in_flight.asked():
                    async with asyncio.timeout(seconds):
                        piece = await stream.read(262144) if stream is not None else b""
            except TimeoutError:
                await self.kill()
                raise WorkerEnded(f"it did not answer within {seconds:g} s", certain=False) from None
            if not piece:
                await self._ended()
                raise WorkerEnded(self._blame())
            self._unread += piece
        return content

    def _cut(self) -> bytes | None:
        if len(self._unread) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._unread)
        end = _LENGTH.size + length
        if length > _MAX_ANSWER or len(self._unread) < end:
            return b'[null,"the result is too large",true]' if length > _MAX_ANSWER else None
        content = bytes(self._unread[_LENGTH.size : end])
        del self._unread[:end]
        return content

    def _blame(self) -> str:
        code = self._process.returncode
        if code == -signal.SIGPROF:
            return f"it ran for more than {self._limits.seconds:g} s"
        if code in _OUT_OF_MEMORY:
            return f"it needs more than {self._limits.memory >> 20} MB"
        return ""

    async def kill(self) -> None:
        """End the process and wait until nothing of it is left."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        if self.alive:
            # Not by the process's own method, which would take the exit code away from the event loop.
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_END_SECONDS):
                await self._ended()
        # The event loop does this itself a moment later, unless it is closed before.
        self._process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 - nothing public closes it

    async def _ended(self) -> None:
        """Wait for the end; the event loop counts a process as ended only when its pipes were read to their end."""
        while self._process.stdout is not None and await self._process.stdout.read(262144):
            pass
        await self._process.wait()
