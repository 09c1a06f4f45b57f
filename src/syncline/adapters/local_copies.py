"""Reads repositories from copies on this machine instead of where Applications say they are.

A reader around another one, put there by `syncline.wiring` for `syncline up --repo URL=PATH`: a change can be tried
before it is pushed anywhere. Only the address changes; revisions mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources import repository_urls
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.integrity import SignatureNote, VerificationMode
from syncline.ports.source import CommitNote, FullSource, Historian, RevisionRequest, Tree


class LocalCopies:
    """Sends some repositories elsewhere; with `alone` no other is read."""

    def __init__(self, inner: FullSource, copies: Mapping[str, str], *, alone: bool = False) -> None:
        self._inner, self._alone = inner, alone
        self._copies = repository_urls.mirrors(copies)

    async def resolve(self, request: RevisionRequest) -> str:
        """Return the commit a revision text stands for in the copy."""
        return await self._inner.resolve(msgspec.structs.replace(request, repo_url=self._where(request.repo_url)))

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> Tree:
        """Return the files of a commit of the copy."""
        return await self._inner.tree(self._where(repo_url), sha, path, project=project, permitted=permitted)

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        """Return the note of a commit of the copy."""
        return await self._inner.describe(self._where(repo_url), sha)

    async def references(self, repo_url: str, project: str = "") -> Mapping[str, str]:
        """Return the branches and tags of the copy."""
        return await self._inner.references(self._where(repo_url), project)

    async def signatures(self, request: RevisionRequest, sha: str, mode: VerificationMode) -> Sequence[SignatureNote]:
        """Return who signed a commit of the copy; the copy is no reason to trust it."""
        asked = msgspec.structs.replace(request, repo_url=self._where(request.repo_url))
        return await self._inner.signatures(asked, sha, mode)

    async def branches(self, repo_url: str, project: str = "") -> Sequence[str]:
        """List the branches of the copy."""
        return await self._historian().branches(self._where(repo_url), project)

    async def fork(self, repo_url: str, one: str, other: str, project: str = "") -> str:
        """Return where two commits of the copy parted."""
        return await self._historian().fork(self._where(repo_url), one, other, project)

    async def lines(self, repo_url: str, sha: str, path: str, project: str = "") -> Sequence[CommitNote | None]:
        """Return who wrote each line of a file of the copy."""
        return await self._historian().lines(self._where(repo_url), sha, path, project)

    def _historian(self) -> Historian:
        if not isinstance(self._inner, Historian):
            raise SourceError("the history of repositories is not read here")
        return self._inner

    def use(self, access: SourceAccess) -> None:
        """Hand credentials on to the reader behind."""
        self._inner.use(access)

    def adjust(self, settings: SourceSettings) -> None:
        """Hand settings on to the reader behind."""
        self._inner.adjust(settings)

    def _where(self, url: str) -> str:
        copy = repository_urls.mirror(self._copies, url)
        if not copy and self._alone and not url.startswith(("/", "file:")):
            raise SourceError(f"{url} is not fetched", hint="fetch it with --fetch")
        return copy or url
