"""How soon a large repository can be read: 10,000 files over HTTP from a real git, at first and one commit later.

Raw is what git alone costs in the same run: a shallow bare clone; then a listing of references and a shallow fetch.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial

from bench.rows import Row
from syncline.adapters.git.source import GitSource
from syncline.ports.source import RevisionRequest
from tests.support import git_http, this_machine

_APPS = 500
_FILES = 20
_ROUNDS = 5


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = pathlib.Path(name)
        repository = git_http.Repository(folder / "repositories" / "mono")
        repository.git("config", "uploadpack.allowFilter", "true")
        _fill(repository)
        with git_http.serve(folder / "repositories") as server:
            return _measure(repository, server.url("mono"), folder)


def _measure(repository: git_http.Repository, url: str, folder: pathlib.Path) -> list[Row]:
    first: list[float] = []
    following: list[float] = []
    raw_first: list[float] = []
    raw_next: list[float] = []
    for number in range(_ROUNDS):
        source = GitSource(str(folder / f"cache{number}"), reach=this_machine.REACH)
        bare = str(folder / f"bare{number}")
        first.append(_time(partial(_read_now, source, url)))
        raw_first.append(_time(partial(_git, "clone", "--quiet", "--bare", "--depth=1", url, bare)))
        repository.commit({f"app{number}/file0.yaml": f"changed: {number}\n"})
        following.append(_time(partial(_read_now, source, url)))
        raw_next.append(_time(partial(_look_and_fetch, bare, url)))
    return [
        Row(
            name=f"first read of one app among {_APPS * _FILES} files",
            figure=min(first) * 1e3,
            unit="ms",
            raw=min(raw_first) * 1e3,
            raw_is="git clone --bare --depth=1",
            at_most=1000,
        ),
        Row(
            name="read of the next commit",
            figure=min(following) * 1e3,
            unit="ms",
            raw=min(raw_next) * 1e3,
            raw_is="git ls-remote, git fetch --depth=1",
            at_most=100,
        ),
    ]


def _read_now(source: GitSource, url: str) -> None:
    asyncio.run(_read(source, url))


async def _read(source: GitSource, url: str) -> int:
    """Resolve the branch and read all files of one app."""
    sha = await source.resolve(RevisionRequest(url, "main"))
    tree = await source.tree(url, sha, "app7")
    return sum(len(tree.read(file.path)) for file in tree.files())


def _fill(repository: git_http.Repository) -> None:
    """Make one commit of many files, quickly."""
    parts = ["commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 1\nx\n"]
    for app in range(_APPS):
        for file in range(_FILES):
            text = f"kind: ConfigMap\nmetadata:\n  name: app{app}-{file}\ndata:\n  key: '{app * 7919 + file}'\n"
            parts.append(f"M 100644 inline app{app}/file{file}.yaml\ndata {len(text)}\n{text}\n")
    command = ["git", "fast-import", "--quiet"]
    subprocess.run(command, cwd=repository.folder, input="".join(parts).encode(), check=True)
    repository.git("reset", "--hard", "--quiet", "main")


def _git(*arguments: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_TERMINAL_PROMPT": "0"}
    subprocess.run(["git", *arguments], env=environment, check=True, capture_output=True)


def _look_and_fetch(bare: str, url: str) -> None:
    _git("ls-remote", "--quiet", url)
    _git("--git-dir", bare, "fetch", "--quiet", "--depth=1", url, "main")


def _time(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun
