"""Runs programs on a terminal of a chosen size, as people do, and keeps what the terminal shows."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.program import PATIENCE, until

CONTROL_C = b"\x03"


class Terminal:
    """A program on a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self._process = process
        self._master = master
        self._written = bytearray()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # nobody holds the other side any more
                return
            if not data:
                return
            self._written += data

    @property
    def written(self) -> str:
        """All that reached the terminal so far, with its control sequences."""
        return bytes(self._written).decode(errors="replace").replace("\r\n", "\n")

    def says(self, pattern: str) -> re.Match[str]:
        """Wait for words, wherever they stand."""

        def look() -> re.Match[str] | None:
            found = re.search(pattern, self.written)
            if found is None and self._process.poll() is not None and not self._reader.is_alive():
                pytest.fail(f"it ended with {self._process.returncode} before it said {pattern!r}\n{self.written}")
            return found

        return until(look, lambda: f"it never said {pattern!r}\n{self.written}")

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def ended(self) -> int:
        """Wait for the end, and for its last words; return the exit code."""
        code = self._process.wait(PATIENCE)
        self._reader.join(10)
        return code

    def end(self) -> None:
        """Make sure that it is gone."""
        if self._process.poll() is None:
            self.press(CONTROL_C)
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(10)
        os.close(self._master)


@contextmanager
def on_terminal(
    *command: str | Path, environment: Mapping[str, str], folder: Path, columns: int = 80, rows: int = 24
) -> Iterator[Terminal]:
    """Run a program with a terminal of its own that Ctrl-C reaches it through; it is gone afterwards."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    process = subprocess.Popen(
        ["python3", "-c", _WITH_TERMINAL, *map(str, command)],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={"TERM": "xterm-256color", **environment},
        cwd=folder,
        start_new_session=True,
    )
    os.close(slave)
    terminal = Terminal(process, master)
    try:
        yield terminal
    finally:
        terminal.end()


# A session of its own does not have a terminal yet; the signal of Ctrl-C goes to whoever has it.
_WITH_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
