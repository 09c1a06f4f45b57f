"""Finds helm and kubectl and runs them for a render: no network, no configuration, no cluster of anybody.

Held by `syncline.adapters.render.renderer` and handed to the tools. The programs are those beside the Python
interpreter (the wheels of the extra `tools`), else those on PATH. No more run at once than the machine has
processors.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import shutil
import sys
from collections.abc import Sequence

from syncline import processes
from syncline.adapters.render.workspace import Workspace
from syncline.model.errors import RenderError

LIMITS = processes.Limits(seconds=90.0, output=50_000_000, memory=4 * 1024 * 1024 * 1024, file_size=200_000_000)
_NOWHERE = "http://127.0.0.1:9"
"""A proxy that never answers: whatever a tool would fetch by itself fails at once."""


class ProgramFailed(Exception):
    """A program ended badly; `complaint` is what it wrote to standard error, with the repository's own paths."""

    def __init__(self, complaint: str) -> None:
        super().__init__(complaint)
        self.complaint = complaint


class Programs:
    """The tools at hand."""

    def __init__(self, *, limits: processes.Limits = LIMITS, parallel: int = 0) -> None:
        self._limits = limits
        self.turns = asyncio.Semaphore(parallel or os.cpu_count() or 1)
        self._found: dict[str, str] = {}

    @property
    def fingerprint(self) -> str:
        """Which programs would be run: their paths, sizes and dates."""
        return " ".join(_identity(self._path(name)) for name in ("helm", "kubectl"))

    async def run(self, name: str, arguments: Sequence[str], workspace: Workspace, folder: str = "") -> bytes:
        """Run a program in a folder of the workspace; raises `ProgramFailed` or `RenderError`."""
        path = self._path(name)
        if not path:
            hint = "install it, or Syncline with its extra `tools`"
            raise RenderError(f"the program {name} is neither beside Python nor on PATH", hint=hint)
        try:
            ended = await processes.run(
                (path, *arguments),
                environment=_environment(workspace),
                folder=str(workspace.repository / folder),
                limits=self._limits,
            )
        except processes.NotStarted:
            raise RenderError(f"the program {path} cannot be started", hint="install it again") from None
        except processes.OverLimit as over:
            raise RenderError(f"{name} {over} and was ended", hint="what it renders is too large") from None
        if ended.code != 0:
            raise ProgramFailed(workspace.plain(ended.complaint()))
        return ended.output

    def _path(self, name: str) -> str:
        if name not in self._found:
            beside = pathlib.Path(sys.executable).with_name(name)
            self._found[name] = str(beside) if os.access(beside, os.X_OK) else shutil.which(name) or ""
        return self._found[name]


def _environment(workspace: Workspace) -> dict[str, str]:
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


def _identity(path: str) -> str:
    if not path:
        return "none"
    try:
        found = pathlib.Path(path).stat()
    except OSError:
        return "none"
    return f"{path}:{found.st_size}:{found.st_mtime_ns}"
