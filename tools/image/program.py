"""The third layer: Syncline as a wheel installs it, with the web page, from a commit or from a folder.

Called by `tools.image.build`. The wheel is built by hatchling as for any other use; the page comes out of the cache
where the same sources were built before.
"""

from __future__ import annotations

import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass

from tools.image import bytecode, cache
from tools.image.packages import not_reproducible
from tools.image.problem import ImageProblem
from tools.image.settings import ENTRYPOINT, PYTHON_PACKAGES

_BUILT = "src/syncline/server/built"
_SCRIPT = """#!/usr/bin/python3.11 -sP
import sys

from syncline.cli.main import main

sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Source:
    """A source tree in a folder of its own, the commit it is of and that commit's time."""

    folder: pathlib.Path
    revision: str
    time: int


def export(source: pathlib.Path | None, commit: str, target: pathlib.Path) -> Source:
    """Copy a source tree: that of a commit of this repository, or a folder with all that git does not ignore."""
    if source is None:
        try:
            revision = _git(cache.ROOT, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").decode().strip()
        except ImageProblem:
            raise ImageProblem(f"{commit} is not a commit of this repository: name one that git log shows") from None
        with tarfile.open(fileobj=io.BytesIO(_git(cache.ROOT, "archive", revision))) as tar:
            tar.extractall(target, filter="data")
        return Source(target, revision, _time(cache.ROOT, revision))
    if not (source / "pyproject.toml").is_file():
        raise ImageProblem(f"{source} is not a source tree of Syncline: it has no pyproject.toml")
    for name in _git(source, "ls-files", "-z", "-co", "--exclude-standard").decode().split("\0"):
        path = source / name
        if name and path.is_file() and not path.is_symlink():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / name)
    # Without a revision: a folder can differ from every commit.
    return Source(target, "", _time(source, "HEAD"))


def _time(folder: pathlib.Path, revision: str) -> int:
    chosen = os.environ.get("SOURCE_DATE_EPOCH")
    return int(chosen) if chosen else int(_git(folder, "log", "-1", "--format=%ct", revision))


def _git(folder: pathlib.Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, check=False)
    if done.returncode:
        text = done.stderr.decode(errors="replace").strip()
        raise ImageProblem(f"git {arguments[0]} failed in {folder}: {text or f'exit code {done.returncode}'}")
    return done.stdout


def program_root(source: Source, host: pathlib.Path, scratch: pathlib.Path) -> tuple[pathlib.Path, str]:
    """Return the root folder of the third layer and the version of Syncline in it."""
    wheel = _wheel(source, scratch)
    root = scratch / "root"
    packages = root / PYTHON_PACKAGES
    packages.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as zipped:
        zipped.extractall(packages)
    for path in not_reproducible(packages):
        path.unlink()
    script = root / ENTRYPOINT[0].lstrip("/")
    script.parent.mkdir(parents=True)
    script.write_text(_SCRIPT)
    script.chmod(0o755)
    bytecode.compile_tree(host, root, PYTHON_PACKAGES)
    return root, wheel.name.split("-")[1]


def _wheel(source: Source, scratch: pathlib.Path) -> pathlib.Path:
    page = _page_folder(source.folder)
    if page.is_dir():
        shutil.copytree(page, source.folder / _BUILT)
    target = scratch / "wheel"
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(source.time)}
    done = subprocess.run(command, cwd=source.folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ImageProblem(f"the wheel of Syncline could not be built: {done.stderr.strip()[-600:]}")

    def fill(folder: pathlib.Path) -> None:
        shutil.copytree(source.folder / _BUILT, folder, dirs_exist_ok=True)

    cache.made_once(page.name, fill)
    [wheel] = target.glob("syncline-*.whl")
    return wheel


def _page_folder(source: pathlib.Path) -> pathlib.Path:
    """Return the folder of the cache for the page that these sources give."""
    files = [path for path in sorted((source / "web").rglob("*")) if path.is_file()]
    files += [source / "requirements-web.lock", source / "tools/build_page.py"]
    parts = (part for path in files for part in (str(path.relative_to(source)), path.read_bytes()))
    return cache.cache_folder() / f"page-{cache.digest_of(parts)}"
