"""A private folder on disk that holds just what one render may read, and is gone afterwards.

Opened by `syncline.adapters.render.helm.template` and `syncline.adapters.render.kustomize.build`; filled from trees, by
content. No link is ever written: a link of the repository becomes a copy of what it leads to inside the same commit,
and one that leads out is refused. So nothing a tool opens below this folder can be anything else.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TypeVar

from syncline import tasks
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.source import Tree, TreeFile

_MAX_LINKED_FOLDERS = 8
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much one render may have on disk."""

    files: int = 20_000
    bytes: int = 200_000_000


class Workspace:
    """The folder of one render: `repository` mirrors paths of the commit, `extra` holds what we write ourselves."""

    def __init__(self, folder: pathlib.Path, size: Size) -> None:
        self.folder = folder
        self.repository = folder / "repository"
        self.extra = folder / "extra"
        self.home = folder / "home"
        for made in (self.repository, self.extra, self.home):
            made.mkdir(mode=0o700)
        self.written: set[str] = set()
        self._size = size
        self._bytes = 0
        self._extra = 0

    def put_folder(self, tree: Tree, folder: str) -> None:
        """Copy every file below a folder of the commit."""
        (self.repository / _checked(folder)).mkdir(parents=True, exist_ok=True)
        self._copy(tree.below(folder), 0)

    def put_tree(self, tree: Tree, place: str, *, below: str = "") -> None:
        """Copy the files of another tree (of its folder `below`) to a place in this one."""
        for file in tree.files():
            name = file.path[len(below) + 1 :] if below else file.path
            if not file.is_link:
                self._write(f"{_checked(place)}/{_checked(name)}", tree.read(file.path))

    def put_content(self, path: str, content: bytes) -> None:
        """Write a file that came from elsewhere."""
        self._write(path, content)

    def put_file(self, tree: Tree, path: str) -> None:
        """Copy one file of the commit; raises `SourceError` where there is none."""
        self._write(path, tree.read(path))

    def put_extra(self, content: bytes, ending: str = ".yaml") -> pathlib.Path:
        """Write a file of ours under a name that says nothing; tools split paths at commas."""
        self._count(len(content))
        path = self.extra / f"{self._extra}{ending}"
        self._extra += 1
        path.write_bytes(content)
        return path

    def read(self, path: str) -> bytes:
        """Return a file of the copy; what a tool may have put in its place is not followed."""
        handle = os.open(self.repository / _checked(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            return file.read()

    def has_folder(self, path: str) -> bool:
        """Whether the copy has a folder of this name."""
        return (self.repository / _checked(path)).is_dir()

    def replace(self, path: str, content: bytes) -> None:
        """Write another content over a file that was copied."""
        (self.repository / _checked(path)).write_bytes(content)

    def plain(self, text: str) -> str:
        """Return a tool's words with paths as the repository has them."""
        return text.replace(f"{self.repository}/", "").replace(str(self.repository), ".").replace(str(self.folder), "")

    def _copy(self, tree: Tree, depth: int) -> None:
        for file in tree.files():
            if file.is_link:
                self._copy_linked(tree, file, depth)
            else:
                self._write(file.path, tree.read(file.path))

    def _copy_linked(self, tree: Tree, file: TreeFile, depth: int) -> None:
        try:
            self._write(file.path, tree.read(file.path))
            return
        except SourceError as error:
            if "symlink" in error.what:
                raise RenderError(error.what, place=Place(file.path), hint=error.hint) from None
        if depth >= _MAX_LINKED_FOLDERS:
            raise RenderError(f"symlink loop: {file.path}", place=Place(file.path))
        # A link that leads to nothing is left out, as in a checkout it could not be read either.
        with contextlib.suppress(SourceError):
            self._copy(tree.below(file.path), depth + 1)

    def _write(self, path: str, content: bytes) -> None:
        if path in self.written:
            return
        self._count(len(content))
        target = self.repository / _checked(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(content)
        self.written.add(path)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self._size.bytes:
            hint = "render a smaller folder"
            raise RenderError(f"this source has more than {self._size.bytes // 1_000_000}M of files to read", hint=hint)
        if len(self.written) + self._extra >= self._size.files:
            raise RenderError(
                f"this source has more than {self._size.files} files to read", hint="use a smaller folder"
            )


@contextlib.asynccontextmanager
async def opened(size: Size | None = None) -> AsyncIterator[Workspace]:
    """Make a workspace under a random name that only we can enter; remove it at the end whatever happens."""
    folder = _made()
    try:
        yield Workspace(folder, size or Size())
    finally:
        await in_thread(lambda: shutil.rmtree(folder, ignore_errors=True))


def _made() -> pathlib.Path:
    return pathlib.Path(tempfile.mkdtemp(prefix="syncline-render-")).resolve()


async def in_thread(fill: Callable[[], Made]) -> Made:
    """Work on a workspace in a thread; who is cancelled waits for it, else it would write on after the end."""
    working = tasks.start(tasks.in_own_thread(fill), name="fill a workspace")
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait((working,))
        raise


def _checked(path: str) -> str:
    """Refuse a name that a checkout would never have: a commit can be made by hand."""
    if path and any(step in ("", ".", "..") or "\0" in step for step in path.split("/")):
        raise RenderError(f"the repository has a file with the impossible name {path!r}")
    return path
