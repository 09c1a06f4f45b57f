"""Runs Dex on the loopback address for as long as the server wants it, and asks it.

Implements `syncline.ports.auth.DexProgram`; built by `syncline.wiring`. Its configuration holds secrets: it is written
for this user alone, and is gone when Dex has ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from syncline import private_folders, processes, tasks
from syncline.net import downloads, urls
from syncline.ports.auth import DexError
from syncline.ports.web import WebAnswer, WebRequest

_HOST = "127.0.0.1"
_UNTIL_IT_ANSWERS = 30.0
_UNTIL_ENDED = 5.0
_PAUSE = 0.05
_LAST_WORDS = 8 * 1024
_PASSED_ON = ("PATH", "HOME", "SSL_CERT_FILE", "SSL_CERT_DIR")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


def found_dex(named: str) -> Dex | None:
    """Return the program that was named, else the one on PATH; None where there is none."""
    path = shutil.which(named) if named else processes.found_on_path("dex")
    return Dex(path) if path else None


class Dex:
    """The program."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def start(self, config: Mapping[str, Any]) -> StartedDex:
        """Run it, and return once it answers."""
        port = _free_port()
        folder = Path(tempfile.mkdtemp(prefix="syncline-dex-"))
        try:
            file = folder / "dex.json"
            private_folders.write(file, orjson.dumps({**config, "web": {"http": f"{_HOST}:{port}"}}))
            process = await asyncio.create_subprocess_exec(
                self._path,
                "serve",
                str(file),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.PIPE,
                env=_environment(),
                start_new_session=True,
            )
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise DexError(f"{self._path} cannot be run: {error.strerror}") from None
        started = StartedDex(process, port, folder)
        try:
            await started.until_it_answers()
        except BaseException:
            await started.stop()
            raise
        return started


class StartedDex:
    """One that runs."""

    def __init__(self, process: asyncio.subprocess.Process, port: int, folder: Path) -> None:
        self._process = process
        self._port = port
        self._folder = folder
        self._said = b""
        self._listening = tasks.start(self._listen(), name="what Dex says")

    async def ask(self, path: str, request: WebRequest) -> WebAnswer:
        """Return its answer, straight from the loopback address."""
        asked = downloads.DownloadRequest(
            url=f"http://{_HOST}:{self._port}{path}",
            method=request.method or ("POST" if request.body else "GET"),
            headers=request.headers,
            body=request.body,
            seconds=request.seconds,
            redirects=False,
        )
        # Whatever proxy this machine uses, there is nothing between us and our own child.
        door = downloads.Door(authorization=request.authorization, direct=True, reach=urls.Reach(loopback=True))
        try:
            answer = await downloads.fetch(asked, door)
        except (downloads.DownloadFailed, urls.RefusedAddress):
            raise DexError("Dex does not answer") from None
        return WebAnswer(answer.status, answer.headers, answer.body)

    async def until_it_answers(self) -> None:
        """Wait until it answers, whatever that is; raises `DexError` with its last words where it never does."""
        try:
            async with asyncio.timeout(_UNTIL_IT_ANSWERS):
                while True:
                    with contextlib.suppress(DexError):
                        await self.ask("/", WebRequest(url="/", seconds=_UNTIL_IT_ANSWERS))
                        return
                    if self._process.returncode is not None:
                        raise DexError(f"Dex ended: {await self.ended()}")
                    await asyncio.sleep(_PAUSE)
        except TimeoutError:
            raise DexError(f"Dex does not answer within {_UNTIL_IT_ANSWERS:g} s") from None

    async def ended(self) -> str:
        """Return the last line that it wrote."""
        await self._process.wait()
        await asyncio.wait({self._listening})
        lines = self._said.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"

    async def stop(self) -> None:
        """Ask it to end, then end it with whatever it has started."""
        try:
            await self._end()
        finally:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(_UNTIL_ENDED):
                await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()

    async def _listen(self) -> None:
        """Read on, so that it never waits for us; the end is kept."""
        stream = self._process.stderr
        while stream is not None and (piece := await stream.read(4096)):
            self._said = (self._said + piece)[-_LAST_WORDS:]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((_HOST, 0))
        return int(found.getsockname()[1])


def _environment() -> dict[str, str]:
    """Return what Dex may know of ours, with a word that values of its configuration are no names of variables."""
    proxies = (*_PROXIES, *map(str.lower, _PROXIES))
    kept = {name: os.environ[name] for name in (*_PASSED_ON, *proxies) if name in os.environ}
    return {**kept, "DEX_EXPAND_ENV": "false"}
