"""What a render may fetch besides its own source: chart dependencies and remote bases, where the project permits.

Held by `syncline.adapters.render.renderer`; the fetching is done by `syncline.ports.source`. Tools themselves never
reach a network.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from syncline.model.desired import Fetched
from syncline.model.errors import RenderError, SourceError
from syncline.model.sources.permitted import repo_permitted
from syncline.ports.render import RenderRequest
from syncline.ports.source import ChartRequest, Charts, RevisionRequest, Source, Tree

_SSH = re.compile(r"(?:git::)?(?P<user>[\w.~+-]+)@(?P<host>[\w.-]+):(?P<path>.+)")
_QUERY = re.compile(r"[?&](?:ref|version)=(?P<ref>[^&]+)")
_FILES = (".yaml", ".yml", ".json")
_FORGES = ("github.com/", "gitlab.com/", "bitbucket.org/")


@dataclass(frozen=True, slots=True)
class Base:
    """A folder of a commit of another repository, as a kustomization names it."""

    repo_url: str
    path: str
    revision: str


class Files(Protocol):
    """Reads single files of servers."""

    async def read(self, url: str) -> bytes:
        """Return the content of a file; raises `SourceError` where it cannot be fetched."""
        ...


@dataclass(frozen=True, slots=True)
class RemoteSources:
    """The readers to fetch with; without one nothing of its kind is fetched."""

    charts: Charts | None = None
    source: Source | None = None
    files: Files | None = None

    async def is_current(self, request: RenderRequest, fetched: Sequence[Fetched]) -> bool:
        """Whether all that an earlier render fetched is still what it was; asks the servers for nothing more."""
        answers = await asyncio.gather(*(self._found(one, request) for one in fetched))
        return all(found == one.found for found, one in zip(answers, fetched, strict=True))

    async def _found(self, one: Fetched, request: RenderRequest) -> str:
        """Return what something is now; empty where nobody answers, or where nobody may be asked."""
        if not repo_permitted(one.repo_url, request.source_repos):
            return ""
        try:
            return await self._resolve(one, request)
        except SourceError:
            return ""

    async def _resolve(self, one: Fetched, request: RenderRequest) -> str:
        if one.is_file:
            return file_digest(await self.files.read(one.repo_url)) if self.files else ""
        if one.chart:
            return await self._version(one, request)
        revision = RevisionRequest(one.repo_url, one.revision, project=request.project)
        sha = await self.source.resolve(revision) if self.source else ""
        if sha and self.source and not one.found:
            permitted = request.source_repos
            await self.source.tree(one.repo_url, sha, "", project=request.project, permitted=permitted)
        return sha

    async def _version(self, one: Fetched, request: RenderRequest) -> str:
        """Return the version of a chart; of one that could not be fetched, only where it can be now."""
        if self.charts is None:
            return ""
        version = await self.charts.resolve(ChartRequest(one.repo_url, one.chart, one.revision, request.project))
        if not one.found:
            permitted = tuple(request.source_repos)
            await self.charts.tree(ChartRequest(one.repo_url, one.chart, version, request.project, permitted))
        return version

    async def chart(self, request: RenderRequest, asked: ChartRequest) -> Tree:
        """Return the files of a chart; raises `RenderError` where it may not be fetched."""
        if self.charts is None:
            raise RenderError("charts are not fetched here")
        if not repo_permitted(asked.repo_url, request.source_repos):
            raise RenderError(f"repository {asked.repo_url} is not permitted in project '{request.project}'")
        version = await self.charts.resolve(asked)
        permitted = tuple(request.source_repos)
        return await self.charts.tree(ChartRequest(asked.repo_url, asked.chart, version, asked.project, permitted))

    async def base(self, request: RenderRequest, asked: Base) -> Tree:
        """Return the files of a remote base; raises `RenderError` where it may not be fetched."""
        if self.source is None:
            raise RenderError("it is not fetched here")
        if not repo_permitted(asked.repo_url, request.source_repos):
            raise RenderError(f"repository {asked.repo_url} is not permitted in project '{request.project}'")
        revision = RevisionRequest(asked.repo_url, asked.revision, project=request.project)
        sha = await self.source.resolve(revision)
        return await self.source.tree(
            asked.repo_url, sha, asked.path, project=request.project, permitted=request.source_repos
        )

    async def file(self, request: RenderRequest, url: str) -> bytes:
        """Return a single file of a server; raises `RenderError` where it may not be fetched."""
        if self.files is None:
            raise RenderError("single files of other servers are not fetched here")
        if not repo_permitted(url, request.source_repos):
            raise RenderError(f"{url} is not permitted in project '{request.project}'")
        return await self.files.read(url)


def fetched_file(url: str, content: bytes) -> Fetched:
    """Return what to note of a file that was fetched."""
    return Fetched(url, "", file_digest(content), is_file=True)


def file_digest(content: bytes) -> str:
    """Return what a file is known by."""
    return hashlib.sha256(content).hexdigest()


def is_single_file(reference: str) -> bool:
    """Whether a reference is the address of one file, and no folder of a repository."""
    address = reference.split("?", 1)[0]
    return address.startswith(("https://", "http://")) and address.endswith(_FILES)


def fetched_chart(asked: ChartRequest, tree: Tree) -> tuple[Fetched, ...]:
    """Return what to note of a chart that was fetched; nothing where its version was named exactly."""
    if asked.version == tree.revision:
        return ()
    return (Fetched(asked.repo_url, asked.version, tree.revision, asked.chart),)


def fetched_base(asked: Base, tree: Tree) -> tuple[Fetched, ...]:
    """Return what to note of a base that was fetched; nothing where its commit was named."""
    return () if asked.revision == tree.revision else (Fetched(asked.repo_url, asked.revision, tree.revision),)


def parse_base(reference: str) -> Base | None:
    """Return what a remote base names; None for an address of a single file or of nothing we can read."""
    revision = _QUERY.search(reference)
    address = reference.split("?", 1)[0].removeprefix("git::")
    if address.endswith(_FILES):
        return None
    scheme, separator, rest = address.partition("://")
    if not separator:
        if ssh := _SSH.fullmatch(address):
            repository, path = _split(ssh["path"])
            return Base(f"{ssh['user']}@{ssh['host']}:{repository}", path, revision["ref"] if revision else "")
        scheme, rest = "https", address
    if scheme not in ("https", "http", "ssh"):
        return None
    host, _, tail = rest.partition("/")
    repository, path = _split(tail, forge=f"{host}/" in _FORGES)
    if not repository:
        return None
    return Base(f"{scheme}://{host}/{repository}", path, revision["ref"] if revision else "")


def _split(text: str, *, forge: bool = True) -> tuple[str, str]:
    """Return repository and path: split at `//`, at `.git/`, or on a known host after owner and name."""
    if "//" in text:
        repository, _, path = text.partition("//")
        return repository, path.strip("/")
    if ".git/" in text:
        repository, _, path = text.partition(".git/")
        return f"{repository}.git", path.strip("/")
    steps = text.strip("/").split("/")
    if forge and len(steps) > 2:
        return "/".join(steps[:2]), "/".join(steps[2:])
    return text.strip("/"), ""
