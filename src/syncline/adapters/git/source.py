"""Reads repositories for the controller: `syncline.ports.source.Source` over git.

Built by `syncline.wiring`; `use` hands in what an installation lets it use. `resolve` asks the repository for its
references, once for everybody who asks at the same time; `tree` touches the network only for a commit that the cache
has not seen. Every text that comes from an Application is checked before git starts.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from syncline import tasks, turns
from syncline.adapters.git import (
    addresses,
    history,
    large_files,
    large_servers,
    messages,
    process,
    refs,
    signatures,
    submodules,
)
from syncline.adapters.git.addresses import Address
from syncline.adapters.git.blobs import Fetch
from syncline.adapters.git.cache import Cache
from syncline.adapters.git.commit import Beside, Commit
from syncline.adapters.git.large_files import LargeFiles
from syncline.adapters.git.open_commits import OpenCommits
from syncline.adapters.git.remote import GitRemote
from syncline.adapters.git.submodules import Submodule
from syncline.adapters.git.tokens import Tokens
from syncline.adapters.git.tree import GitTree, clean_path, open_commit
from syncline.model.errors import SourceError
from syncline.model.fairness import FairLimits, Share
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources import repository_urls
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.integrity import SignatureNote, VerificationMode
from syncline.model.sources.permitted import repo_permitted
from syncline.net import urls
from syncline.ports.source import CommitNote, RevisionRequest

_USUAL = ("main", "master", "trunk")
_MANY = 1_000_000
"""Bytes of a list of references that is read in a thread."""
_ROOM = 2
"""So many more looks than the settings say, for servers of which none is under way."""


@dataclass(frozen=True, slots=True)
class _Depth:
    """For which project a commit is read, which others it may lead to, and how many repositories are around it."""

    project: str
    permitted: tuple[str, ...]
    number: int = 0


class GitSource:
    """All repositories, cached below one folder; local ones only where they lie below `local_folders`.

    `mirrors` maps addresses to folders of this machine that are read in their place, whatever the spelling.
    """

    def __init__(
        self,
        cache_folder: str,
        *,
        local_folders: Sequence[str] = (),
        mirrors: Mapping[str, str] | None = None,
        reach: urls.Reach | None = None,
    ) -> None:
        self._cache_folder = cache_folder
        self._local_folders = tuple(local_folders)
        self._mirrors = repository_urls.mirrors(mirrors or {})
        self._submodules = True
        self._turns: turns.Turns | None = None
        """Looks at repositories, where their number is limited; servers take turns."""
        self._reach = reach or urls.Reach()
        self._tokens = Tokens()
        self._remote = GitRemote(self._reach, self._tokens)
        self._access = SourceAccess()
        self._caches: dict[str, Cache] = {}
        self._commits = OpenCommits()
        self._listings: dict[str, asyncio.Task[refs.References]] = {}

    def use(self, access: SourceAccess) -> None:
        """Use these credentials, host keys and certificates from the next request on."""
        self._access = access
        self._remote = GitRemote(self._reach, self._tokens, access.places())

    def adjust(self, settings: SourceSettings) -> None:
        """Follow the settings of an installation from the next request on."""
        self._submodules = settings.git_submodules
        at_once = settings.git_ls_remote_parallelism
        if at_once <= 0:
            self._turns = None
            return
        fair = FairLimits(width=at_once, room=_ROOM, budget=0.0)
        if self._turns is None:
            self._turns = turns.Turns(fair)
        self._turns.use(fair)

    async def resolve(self, request: RevisionRequest) -> str:
        """Return the commit SHA a revision text stands for right now."""
        address = self._address(request.repo_url, request.project)
        revision = request.revision.strip()
        refs.check(revision)
        if refs.is_full_sha(revision):
            return revision
        references = await self._references(address)
        found = references.find(revision, request.tag_prefix)
        if found is None and refs.is_short_sha(revision):
            found = await self._lengthened(address, revision, references)
        if found is None:
            raise refs.unresolved(revision, references, address, request.tag_prefix)
        return found

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> GitTree:
        """Return the files of a commit below `path`, with those of submodules that are permitted."""
        address = self._address(repo_url, project)
        if not refs.is_full_sha(sha):
            raise SourceError(f"invalid revision {addresses.scrub(sha)!r}", hint="resolve it to a commit SHA first")
        return await self._tree(address, repo_url, sha, clean_path(path), _Depth(project, tuple(permitted)))

    async def _tree(self, address: Address, url: str, sha: str, folder: str, depth: _Depth) -> GitTree:
        cache = self._cache(address)
        large = self._large_files(address, cache, depth.permitted)
        if large is None and (found := self._at_hand(cache, sha, folder)) is not None:
            return found
        await cache.ensure(sha)
        # Where the switch is off, a commit has no submodules.
        beside = Beside(large, None if self._submodules else {})
        try:
            return await self._opened(address, cache, sha, folder, beside)
        except submodules.SubmodulesMissing as wanted:
            found_inside = await self._inside(address, url, wanted.submodules, depth)
            return await self._opened(address, cache, sha, folder, replace(beside, submodules=found_inside))

    def _at_hand(self, cache: Cache, sha: str, folder: str) -> GitTree | None:
        """Return a folder of a commit that is open and whole, without a hop to a thread."""
        commit = self._commits.get(cache.path, sha, submodules=self._submodules)
        try:
            return None if commit is None else self._commits.folder(commit, folder)
        except (KeyError, ValueError, OSError, _git_error()):
            self._commits.drop(cache.path, sha)
            return None

    async def _opened(self, address: Address, cache: Cache, sha: str, folder: str, beside: Beside) -> GitTree:
        # A repository of this machine is fetched whole: nothing is ever missing from its cache.
        fill = None if address.local else cache.fill
        try:
            return await self._read(cache, sha, folder, fill, beside)
        except (KeyError, ValueError, OSError, _git_error()):
            self._commits.drop(cache.path, sha)
            await cache.renew(sha)
        try:
            return await self._read(cache, sha, folder, fill, beside)
        except (KeyError, ValueError, OSError, _git_error()):
            message = f"the cache of {address} cannot be read even after it was fetched again"
            raise SourceError(message, hint=f"check the disk that holds {self._cache_folder}") from None

    async def _read(self, cache: Cache, sha: str, folder: str, fill: Fetch | None, beside: Beside) -> GitTree:
        """Return a folder of a commit; the commit is opened once where everybody sees it alike."""
        opening = partial(open_commit, cache.path, sha, fill, cache.whole, beside)
        if beside.large is not None or beside.submodules:
            return await tasks.in_own_thread(lambda: GitTree(opening(), folder))
        looked_for = beside.submodules is None
        async with cache.opening:
            commit = self._commits.get(cache.path, sha, submodules=looked_for)
            if commit is None:
                commit = await tasks.in_own_thread(opening)
                self._commits.keep(cache.path, commit, submodules=looked_for)
        found = self._commits.folder(commit, folder)
        return found if found is not None else await tasks.in_own_thread(lambda: GitTree(commit, folder))

    async def _inside(
        self, around: Address, url: str, wanted: Sequence[Submodule], depth: _Depth
    ) -> dict[str, Commit | SourceError]:
        """Fetch submodules; one that cannot be fetched fails whoever reads it."""
        found: dict[str, Commit | SourceError] = {}
        for one in wanted:
            try:
                if len(found) >= submodules.MOST or depth.number >= submodules.DEEPEST:
                    raise SourceError(f"a commit has at most {submodules.MOST} submodules, {submodules.DEEPEST} deep")
                place = submodules.absolute(one.url, url)
                if not repo_permitted(place, depth.permitted):
                    raise submodules.forbidden(place, depth.project)
                address = submodules.address(
                    place,
                    around,
                    depth.project,
                    access=self._access,
                    folders=self._local_folders,
                    mirrors=self._mirrors,
                )
                deeper = replace(depth, number=depth.number + 1)
                found[one.path] = (await self._tree(address, place, one.sha, "", deeper)).commit
            except SourceError as error:
                found[one.path] = error
        return found

    def _large_files(self, address: Address, cache: Cache, permitted: Sequence[str]) -> LargeFiles | None:
        if address.local or not address.repository.way.lfs:
            return None
        access, remote = self._access, self._remote

        async def server(config: str) -> large_files.Server:
            return await large_servers.find(address, config, access, remote, permitted)

        return LargeFiles(cache.large, server)

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        """Return author, date and message of a commit, or None where it cannot be read."""
        try:
            cache = self._cache(self._address(repo_url))
            if not refs.is_full_sha(sha):
                return None
            await cache.ensure(sha)
            return await asyncio.to_thread(_note, cache, sha)
        except (SourceError, KeyError, ValueError, _git_error()):
            return None

    async def branches(self, repo_url: str, project: str = "") -> Sequence[str]:
        """List branches, the default one first."""
        references = await self._references(self._address(repo_url, project))
        head = references.commits.get("HEAD", "")
        found = references.branches()
        usual = [name for name in found if references.find(name) == head]
        first = min(usual, key=lambda name: (name not in _USUAL, name), default="")
        return [*filter(None, [first]), *(name for name in found if name != first)]

    async def fork(self, repo_url: str, one: str, other: str, project: str = "") -> str:
        """Return the last commit that two commits have in common; the other one where they have none."""
        return await history.fork(self._cache(self._address(repo_url, project)), one, other)

    async def lines(self, repo_url: str, sha: str, path: str, project: str = "") -> Sequence[CommitNote | None]:
        """Return the commit that wrote each line of a file; None for a line whose history is not there."""
        return await history.lines(self._cache(self._address(repo_url, project)), sha, clean_path(path))

    async def references(self, repo_url: str, project: str = "") -> Mapping[str, str]:
        """Return the commit of each branch and tag, by its full name."""
        found = await self._references(self._address(repo_url, project))
        return {name: sha for name, sha in found.commits.items() if name.startswith(("refs/heads/", "refs/tags/"))}

    async def signatures(self, request: RevisionRequest, sha: str, mode: VerificationMode) -> Sequence[SignatureNote]:
        """Return the signature of a commit (or of the tag asked for), newest first; strict: of its history too."""
        address = self._address(request.repo_url, request.project)
        cache = self._cache(address)
        tag = ""
        if not refs.is_full_sha(request.revision):
            references = await self._references(address)
            name = references.name_of(request.revision, request.tag_prefix) or ""
            tag = references.tag_objects.get(name, "") if references.commits.get(name) == sha else ""
        await cache.ensure(sha)
        if tag:
            await cache.ensure(tag)
        if mode is VerificationMode.STRICT:
            await cache.complete()
        return await asyncio.to_thread(signatures.read, cache.path, sha, tag, mode, self._access.signing_keys)

    async def check(self, repo_url: str, project: str = "") -> None:
        """Raise `SourceError` where a repository cannot be read."""
        await self._references(self._address(repo_url, project))

    def _address(self, repo_url: str, project: str = "") -> Address:
        return addresses.parse(
            repo_url, local_folders=self._local_folders, mirrors=self._mirrors, access=self._access, project=project
        )

    def _cache(self, address: Address) -> Cache:
        cache = self._caches.get(address.key)
        if cache is None:
            cache = self._caches[address.key] = Cache(self._cache_folder, address, self._remote)
        cache.address, cache.remote = address, self._remote
        return cache

    async def _references(self, address: Address) -> refs.References:
        """List references, joining a listing that is under way; a caller that goes away does not end it."""
        listing = self._listings.get(address.key)
        if listing is None:
            listing = tasks.start(self._list(address), name=f"list {address.key}")
            self._listings[address.key] = listing
            listing.add_done_callback(lambda _done: self._listings.pop(address.key, None))
        return await asyncio.shield(listing)

    async def _list(self, address: Address) -> refs.References:
        try:
            async with self._turn(address):
                printed = await self._remote.run(address, ("ls-remote", "--quiet", "--", "{url}"))
        except process.GitFailed as failure:
            raise messages.unreachable(address, str(failure)) from None
        if len(printed) < _MANY:
            return refs.References.parse(printed)
        # A repository with very many references would hold up the loop for as long as they are read.
        return await tasks.in_own_thread(lambda: refs.References.parse(printed))

    @contextlib.asynccontextmanager
    async def _turn(self, address: Address) -> AsyncIterator[None]:
        """Wait for a turn where looks are limited: a server that does not answer takes none from another."""
        if self._turns is None:
            yield
            return
        try:
            async with self._turns.turn(Share(address.host or address.key)):
                yield
        except turns.GaveWay:
            raise process.GitFailed("fatal: the server took long, and others waited: try again") from None

    async def _lengthened(self, address: Address, prefix: str, references: refs.References) -> str | None:
        """Find the one commit that starts with some digits: among the references, then in the whole history."""
        found = references.starting_with(prefix)
        if not found:
            cache = self._cache(address)
            await cache.complete()
            found = await asyncio.to_thread(_starting_with, cache, prefix)
        if len(found) > 1:
            what = f"unable to resolve '{prefix}' to a commit SHA"
            raise SourceError(what, hint=f"{len(found)} commits of {address} start with it: use more digits")
        return next(iter(found), None)


def _starting_with(cache: Cache, prefix: str) -> set[str]:
    repository = cache.repository()
    if repository is None:
        return set()
    return {sha for sha in map(str, repository) if sha.startswith(prefix) and _is_commit(repository[sha])}


def _is_commit(found: object) -> bool:
    import pygit2

    return isinstance(found, pygit2.Commit)


def _note(cache: Cache, sha: str) -> CommitNote | None:
    repository = cache.repository()
    commit: Any = repository[sha] if repository is not None else None
    if commit is None or not _is_commit(commit):
        return None
    author = commit.author
    date = datetime.fromtimestamp(author.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return CommitNote(sha, f"{author.name} <{author.email}>", date, commit.message.strip())


def _git_error() -> type[Exception]:
    import pygit2

    error: type[Exception] = pygit2.GitError
    return error
