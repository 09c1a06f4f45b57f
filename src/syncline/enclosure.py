"""Runs programs where there is neither a network nor any file but those they are given.

Asked by `syncline.processes` for programs that read what strangers wrote. `syncline.enclosure_warden` does the work in
a process of its own, started with the first program. Where the machine forbids namespaces, `refusal` says so and
programs run without; `syncline doctor` tells people.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
import os
import pathlib
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from syncline import enclosure_warden, tasks

LOOK_EVERY = enclosure_warden.LOOK_EVERY
LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
_READY_SECONDS = 10.0
_ELF = b"\x7fELF\x02\x01"
_HEAD = 64 * 1024
_INTERPRETER = 3
"""The kind of a program header that names the loader of shared libraries."""


class NotShutIn(Exception):
    """The program was not started; the text says why."""


@dataclass(frozen=True, slots=True)
class Files:
    """What a program finds on disk; everything where there is nothing in it."""

    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()


class Running:
    """A program that was started; as much of `asyncio.subprocess.Process` as its reader needs."""

    def __init__(self, channel: socket.socket, output: _Pipe, errors: _Pipe) -> None:
        self.stdout, self.stderr = output.reader, errors.reader
        self.returncode: int | None = None
        self.processor_seconds: float | None = None
        self._pipes = output, errors
        self._channel = channel
        self._answer: asyncio.Future[bytes] = tasks.start(_line(channel), name="answer of the warden")

    async def wait(self) -> int:
        """Wait for its end, and learn what it has used; raises `NotShutIn` where it was never started."""
        answer = await asyncio.shield(self._answer)
        found = orjson.loads(answer) if answer else {"code": -9}
        if "failed" in found:
            raise NotShutIn(found["failed"])
        self.returncode = int(found["code"])
        self.processor_seconds = found.get("processor")
        return self.returncode

    def kill(self) -> None:
        """End it with all that it has started."""
        with contextlib.suppress(OSError):
            self._channel.shutdown(socket.SHUT_WR)

    async def close(self) -> None:
        """Let go of its pipes; ends it where it still runs."""
        self.kill()
        for pipe in self._pipes:
            pipe.transport.close()
        self._answer.cancel()
        await asyncio.wait((self._answer,))
        self._channel.close()


@dataclass(frozen=True, slots=True)
class _Pipe:
    """The end of a pipe that we read."""

    reader: asyncio.StreamReader
    transport: asyncio.ReadTransport


class Enclosure:
    """The warden and the way to it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._refusal: str | None = None

    async def refused(self) -> str:
        """Return the refusal without holding up the loop while the warden starts; at once where it is known."""
        known = self._refusal
        return await asyncio.to_thread(self.refusal) if known is None else known

    def refusal(self) -> str:
        """Say why programs cannot be shut in here; empty where they can. The first call starts the warden."""
        with self._lock:
            if self._refusal is None:
                self._refusal = self._begin() if sys.platform == "linux" else "only Linux has namespaces"
            return self._refusal

    async def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: str,
        files: Files,
        memory: int = 0,
        file_size: int = 0,
    ) -> Running:
        """Start a program; what keeps it from running is told by its `wait`."""
        order = {
            "argv": list(argv),
            "environment": dict(environment),
            "folder": folder,
            "writable": list(files.writable),
            "readable": list(files.readable),
            "memory": memory,
            "file_size": file_size,
        }
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        (output, output_end), (errors, errors_end) = os.pipe(), os.pipe()
        running = Running(ours, await _pipe(output), await _pipe(errors))
        paper = _paper(orjson.dumps(order))
        try:
            self._hand_over([theirs.fileno(), output_end, errors_end, paper])
        except BaseException:
            await running.close()
            raise
        finally:
            theirs.close()
            for one in (output_end, errors_end, paper):
                os.close(one)
        return running

    def _hand_over(self, descriptors: list[int]) -> None:
        """Give a program's pipes to the warden; one that is gone, as when memory ran out, is started again."""
        for _attempt in range(2):
            if refusal := self.refusal():
                raise NotShutIn(refusal)
            with self._lock, contextlib.suppress(OSError):
                if self._control is not None:
                    socket.send_fds(self._control, [b"+"], descriptors)
                    return
            self.end()
        raise NotShutIn("the warden does not stay")

    def _begin(self) -> str:
        ours, theirs = socket.socketpair()
        program = str(pathlib.Path(enclosure_warden.__file__).resolve())
        with theirs:
            self._process = subprocess.Popen(
                (sys.executable, "-I", "-S", program, str(theirs.fileno())),
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                start_new_session=True,
            )
        self._control = ours
        atexit.unregister(self.end)
        atexit.register(self.end)
        ours.settimeout(_READY_SECONDS)
        try:
            answer = ours.recv(4096)
        except OSError:
            answer = b""
        ours.settimeout(None)
        return answer.decode("utf-8", "replace").strip() if answer else "the warden does not start"

    def end(self) -> None:
        """End the warden and all programs; the next program starts another."""
        with self._lock:
            if self._control is not None and self._process is not None:
                self._control.close()
                self._process.wait()
            self._control = self._process = self._refusal = None


THE_ENCLOSURE = Enclosure()


def _paper(text: bytes) -> int:
    """Return a file in memory that holds a text: it is whole when it is handed over, however long it is."""
    paper = os.memfd_create("order")
    while text:
        text = text[os.write(paper, text) :]
    return paper


async def _pipe(descriptor: int) -> _Pipe:
    reader = asyncio.StreamReader(limit=1024 * 1024)
    end = os.fdopen(descriptor, "rb", 0)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), end)
    return _Pipe(reader, transport)


async def _line(channel: socket.socket) -> bytes:
    """Return the first answer on a channel; empty where it was closed."""
    loop = asyncio.get_running_loop()
    found = b""
    while not found.endswith(b"\n"):
        piece = await loop.sock_recv(channel, 4096)
        if not piece:
            break
        found += piece
    return found.partition(b"\n")[0]


processor_seconds = enclosure_warden.processor_seconds
put_behind = enclosure_warden.put_behind


@functools.lru_cache(maxsize=64)
def libraries_of(program: str) -> tuple[str, ...] | None:
    """Return the folders that a program needs to be started; None where that cannot be told.

    A script may need anything, and a program whose loader is not at a usual place has its libraries elsewhere too.
    """
    try:
        with pathlib.Path(program).open("rb") as file:
            head = file.read(_HEAD)
        if not head.startswith(_ELF):
            return None
        (start,) = struct.unpack_from("<Q", head, 32)
        size, count = struct.unpack_from("<HH", head, 54)
        headers = [struct.unpack_from("<IIQQQQ", head, start + size * number) for number in range(count)]
    except (OSError, struct.error):
        return None
    for kind, _flags, place, _address, _physical, length in headers:
        if kind == _INTERPRETER:
            loader = head[place : place + length].decode("utf-8", "replace")
            known = loader.startswith(tuple(f"{folder}/" for folder in LIBRARIES))
            return tuple(path for path in LIBRARIES if pathlib.Path(path).exists()) if known else None
    return ()
