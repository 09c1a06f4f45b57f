"""Starts `syncline`, kubectl and git as a user's shell would: real processes, their output, their exit codes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

T = TypeVar("T")
WEB = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens addresses of this machine, past any proxy."""
PATIENCE = 90.0
"""Seconds to wait for what should happen within two or three: machines that run tests are busy."""


class Answer(NamedTuple):
    """What a program that ended has to say."""

    code: int
    out: str
    err: str


class Machine:
    """A user's machine: a home of its own, so that nothing of the real one is read or written."""

    def __init__(self, home: Path) -> None:
        self.home = home
        kept = ("PATH", "LANG", "LC_ALL", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {"HOME": str(home), "SYNCLINE_CACHE": str(home / "cache")}

    def syncline(self, *arguments: str | Path, text: str = "") -> Answer:
        """Run `syncline` to its end."""
        return self.run(beside("syncline"), *arguments, text=text)

    def kubectl(self, kubeconfig: Path, *arguments: str | Path, text: str = "") -> Answer:
        """Run kubectl against one cluster."""
        return self.run(beside("kubectl"), "--kubeconfig", kubeconfig, *arguments, text=text)

    def run(self, *arguments: str | Path, text: str = "") -> Answer:
        """Run any program to its end."""
        done = subprocess.run(
            [str(argument) for argument in arguments],
            input=text,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=self.home,
            timeout=PATIENCE,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def running(self, *arguments: str | Path, descriptors: int = 0) -> Iterator[Running]:
        """Run `syncline` beside the test; what still runs at the end is interrupted, then killed.

        With `descriptors` it may have so many open at a time, and no more however it asks.
        """
        limited = ["sh", "-c", f'ulimit -n {descriptors} && exec "$0" "$@"'] if descriptors else []
        folder = Path(self.home / f"run-{time.monotonic_ns()}")
        folder.mkdir()
        with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
            command = [*limited, beside("syncline"), *map(str, arguments)]
            process = subprocess.Popen(command, stdout=out, stderr=err, env=self.environment, cwd=self.home)
            running = Running(process, folder)
            try:
                yield running
            finally:
                running.end()


class Running:
    """A `syncline` that is running."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._read = 0

    @property
    def out(self) -> str:
        """All it wrote to standard output so far."""
        return (self._folder / "out").read_text()

    @property
    def err(self) -> str:
        """All it wrote to standard error so far."""
        return (self._folder / "err").read_text()

    def mark(self) -> None:
        """Let the next `says` look only at what is written from now on."""
        self._read = len(self.out)

    def says(self, pattern: str) -> re.Match[str]:
        """Wait for words on standard output; the next call looks behind them."""

        def look() -> re.Match[str] | None:
            found = re.compile(pattern).search(self.out, self._read)
            if found is None and self._process.poll() is not None:
                pytest.fail(f"it ended with {self._process.returncode} before it said {pattern!r}\n{self._told()}")
            return found

        found = until(look, lambda: f"it never said {pattern!r}\n{self._told()}")
        self._read = found.end()
        return found

    def interrupt(self) -> int:
        """Press Ctrl-C and return the exit code; a quick end is part of the promise, a busy machine is granted more."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(20)

    def ended(self) -> int:
        """Wait for the end and return the exit code."""
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pytest.fail(f"it did not end\n{self._told()}")

    def end(self) -> None:
        """Make sure that it is gone."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _told(self) -> str:
        return f"standard output:\n{self.out}\nstandard error:\n{self.err}"


def beside(name: str) -> str:
    """Return a program of the same virtual environment, else the one on PATH."""
    here = Path(sys.executable).with_name(name)
    found = str(here) if here.exists() else shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is neither beside the interpreter nor on PATH: run make setup")
    return found


def until(look: Callable[[], T | None], otherwise: Callable[[], str]) -> T:
    """Look again and again until there is something to see."""
    limit = time.monotonic() + PATIENCE
    while time.monotonic() < limit:
        found = look()
        if found is not None and found is not False:
            return found
        time.sleep(0.1)
    pytest.fail(otherwise())
