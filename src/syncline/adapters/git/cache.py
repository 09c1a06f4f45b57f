"""One bare repository on our disk per repository of the world, filled commit by commit.

Owned by `syncline.adapters.git.source`. A commit is fetched alone, without history, and kept under a
reference of its own, so that the next fetch transfers only what changed; its files follow in batches, as far as they
are read (`syncline.adapters.git.blobs`). Local repositories are fetched from
too, instead of being opened in place: their owner may rewrite or collect them at any moment, and their
configuration is not ours to obey. A cache can be deleted at any time; one that is damaged is deleted here.
"""

from __future__ import annotations

import asyncio
import pathlib
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from syncline import private_folders
from syncline.adapters.git import folder_lock, messages, process
from syncline.adapters.git.addresses import Address
from syncline.adapters.git.remote import GitRemote
from syncline.model.errors import SourceError

if TYPE_CHECKING:
    import pygit2


_BATCH = 10_000
# Said at each call instead of being written down: libgit2 does not open repositories that are marked as partial.
_PARTIAL = ("remote.origin.promisor=true", "remote.origin.partialclonefilter=blob:none")


class Cache:
    """The cache of one repository; fetches take turns, also with other programs of the same user."""

    def __init__(self, folder: str, address: Address, remote: GitRemote) -> None:
        self._folder = pathlib.Path(folder) / address.key
        self.path = str(self._folder / str(_latest(self._folder)))
        self.large = str(self._folder / "large")
        """Where large files are kept, by their digests."""
        self.address = address
        """How the repository is reached now: credentials may change under a cache."""
        self.whole: set[str] = set()
        """Ids of the folders whose files are all here."""
        self.remote = remote
        self.opening = asyncio.Lock()
        """Held by whoever opens a commit, so that it is opened once."""
        self._turn = asyncio.Lock()

    async def ensure(self, sha: str) -> None:
        """Make sure that a commit is in the cache; raises `SourceError` when the repository does not give it."""
        async with self._turn:
            if await asyncio.to_thread(self._has, sha):
                return
            try:
                await self._fetch(sha)
            except process.GitFailed as failure:
                if not messages.is_damage(str(failure)):
                    raise self._refused(sha, str(failure)) from None
                await self._rebuild(sha)

    async def renew(self, sha: str) -> None:
        """Throw a damaged cache away and fetch the commit again."""
        async with self._turn:
            await self._rebuild(sha)

    async def complete(self) -> None:
        """Fetch the whole history of all branches and tags."""
        async with self._turn:
            try:
                await self._fetch_all()
            except process.GitFailed as failure:
                raise messages.unreachable(self.address, str(failure)) from None

    def fill(self, blobs: Sequence[str]) -> None:
        """Fetch files by their ids, in a thread of its own: whoever reads a tree waits for it, wherever he runs."""
        with ThreadPoolExecutor(1, thread_name_prefix="blobs") as thread:
            thread.submit(asyncio.run, self._fill(blobs)).result()

    async def _fill(self, blobs: Sequence[str]) -> None:
        for start in range(0, len(blobs), _BATCH):
            try:
                # Nothing of what we have helps the server to send less: do not ask it to compare.
                await self._git(
                    "fetch", "--filter=blob:none", refspecs=blobs[start : start + _BATCH], negotiation="noop"
                )
            except process.GitFailed as failure:
                raise messages.unreachable(self.address, str(failure)) from None

    def repository(self) -> pygit2.Repository | None:
        """Open the cache for reading; None when there is none yet."""
        import pygit2

        if not self._begun():
            return None
        try:
            return pygit2.Repository(self.path)
        except pygit2.GitError:
            return None

    def _move_on(self) -> None:
        """Leave the damaged folder for a new one: libgit2 keeps what it once opened under a path."""
        self.path = str(self._folder / str(_latest(self._folder) + 1))
        self.whole.clear()
        for damaged in self._folder.iterdir():
            if damaged.is_dir():
                shutil.rmtree(damaged, ignore_errors=True)

    def _begun(self) -> bool:
        """Whether the folder was made by us and was not emptied since."""
        try:
            return pathlib.Path(self.path, "HEAD").read_bytes().startswith(b"ref: refs/")
        except OSError:
            return False

    def _begin(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        private_folders.make(pathlib.Path(self.path))

    def _clear(self) -> None:
        """Take away locks that a git left which was killed: whoever is here now is alone."""
        for left in pathlib.Path(self.path).glob("*.lock"):
            left.unlink(missing_ok=True)

    def _has(self, sha: str) -> bool:
        import pygit2

        repository = self.repository()
        try:
            return repository is not None and repository.get(sha) is not None
        except (pygit2.GitError, ValueError, OSError):
            return False

    async def _rebuild(self, sha: str) -> None:
        await asyncio.to_thread(self._move_on)
        try:
            await self._fetch(sha)
        except process.GitFailed as failure:
            raise self._refused(sha, str(failure)) from None

    async def _fetch(self, sha: str) -> None:
        """Fetch one commit without history; where the server gives out branches and tags only, all of them."""
        try:
            filters = () if self.address.local else ("--filter=blob:none",)
            await self._git("fetch", "--depth=1", *filters, refspecs=(f"+{sha}:refs/commits/{sha}",))
        except process.GitFailed as failure:
            if not messages.is_unknown_commit(str(failure)):
                raise
            await self._fetch_all()
            if not await asyncio.to_thread(self._has, sha):
                raise

    async def _fetch_all(self) -> None:
        shallow = await asyncio.to_thread(pathlib.Path(self.path, "shallow").exists)
        history = [*(["--unshallow"] if shallow else []), *([] if self.address.local else ["--filter=blob:none"])]
        await self._git("fetch", *history, refspecs=("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"))

    async def _git(
        self, command: str, *options: str, refspecs: Sequence[str], negotiation: str = "consecutive"
    ) -> None:
        await asyncio.to_thread(private_folders.shut, self._folder.parent)
        async with folder_lock.held(self._folder):
            await self._fetch_alone(command, options, refspecs, negotiation)

    async def _fetch_alone(
        self, command: str, options: Sequence[str], refspecs: Sequence[str], negotiation: str
    ) -> None:
        """Run a command of git while nobody else, in this process or another, changes the cache."""
        if not await asyncio.to_thread(self._begun):
            await asyncio.to_thread(self._begin)
            await process.run(("init", "--quiet", "--bare", "--template=", "--", self.path))
        await asyncio.to_thread(self._clear)
        settings = (f"fetch.negotiationAlgorithm={negotiation}", *(() if self.address.local else _PARTIAL))
        arguments = (
            f"--git-dir={self.path}",
            *(text for setting in settings for text in ("-c", setting)),
            *("-c", "{origin}"),
            command,
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            *options,
            "--",
            "origin",
            *refspecs,
        )
        await self.remote.run(self.address, arguments)

    def _refused(self, sha: str, text: str) -> SourceError:
        if messages.is_unknown_commit(text):
            hint = f"{self.address} has no such commit: was the branch force-pushed and the commit collected?"
            if self.address.local and _is_shallow(self.address.url):
                hint = f"{self.address} is a shallow clone without this commit: run git fetch --unshallow in it"
            return SourceError(f"unable to resolve '{sha}' to a commit SHA", hint=hint)
        return messages.unreachable(self.address, text)


def _latest(folder: pathlib.Path) -> int:
    try:
        return max((int(entry.name) for entry in folder.iterdir() if entry.name.isdecimal()), default=0)
    except OSError:
        return 0


def _is_shallow(folder: str) -> bool:
    return any(pathlib.Path(folder, name).exists() for name in ("shallow", ".git/shallow"))
