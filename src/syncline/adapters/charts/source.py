"""Reads charts for the controller: `syncline.ports.source.Charts` over Helm repositories and registries.

Built by `syncline.wiring`; `use` hands in what an installation lets it use. `resolve` asks the server which versions
there are; `tree` fetches an archive once and keeps it on disk by its digest, which is checked whenever it is read.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import pathlib
import re
import tempfile
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from syncline import private_folders
from syncline.adapters.charts import archive, doors, oci
from syncline.adapters.charts.helm import HelmRepositories
from syncline.adapters.charts.tree import ChartTree
from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository
from syncline.net import urls
from syncline.ports.source import ChartRequest

_CHART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,250}[A-Za-z0-9])?")
_VERSION = re.compile(r"[^\x00-\x1f\x7f]{1,200}")
_KEPT = 32


class ChartSource:
    """All charts, cached below one folder."""

    def __init__(
        self, cache_folder: str, *, reach: urls.Reach | None = None, limits: archive.ArchiveLimits | None = None
    ) -> None:
        self._folder = pathlib.Path(cache_folder)
        self._reach = reach or urls.Reach()
        self._limits = limits or archive.ArchiveLimits()
        self._media_types: tuple[str, ...] = oci.LAYERS
        self._unpacked: dict[bool, int] = {}
        self._access = SourceAccess()
        self._helm = HelmRepositories(self._reach)
        self._trees: OrderedDict[tuple[str, str], ChartTree] = OrderedDict()

    def use(self, access: SourceAccess) -> None:
        """Use these credentials and certificates from the next request on."""
        self._access = access
        self._helm = HelmRepositories(self._reach)

    def adjust(self, settings: SourceSettings) -> None:
        """Follow the settings of an installation: smaller archives than ours, and other kinds of layers."""
        self._media_types = settings.oci_media_types or oci.LAYERS
        self._unpacked = {
            True: settings.max_oci_bytes if settings.oci_size_limited else 0,
            False: settings.max_helm_bytes if settings.helm_size_limited else 0,
        }

    def _allowed(self, *, is_oci: bool) -> archive.ArchiveLimits:
        other = self._unpacked.get(is_oci, 0)
        return replace(self._limits, unpacked=min(other, self._limits.unpacked)) if other else self._limits

    async def resolve(self, request: ChartRequest) -> str:
        """Return the exact version (of an artifact without chart name: the digest) a request stands for right now."""
        _check(request)
        repository = self._repository(request)
        if not _is_oci(repository):
            return await self._helm.resolve(repository, self._access, request.chart, request.version)
        artifacts = self._artifacts(repository, request.chart)
        version = await artifacts.resolve(request.version)
        return version if request.chart else (await artifacts.layer(version)).manifest

    async def tree(self, request: ChartRequest) -> ChartTree:
        """Return the files of a chart, unpacked; the version is one that `resolve` returned."""
        _check(request)
        repository = self._repository(request)
        name = f"{request.chart or repository.url} {request.version}"
        if _is_oci(repository):
            artifacts = self._artifacts(repository, request.chart)
            layer = await artifacts.layer(request.version)
            digest = layer.digest.removeprefix("sha256:")
            content = await asyncio.to_thread(self._kept, digest)
            if content is None:
                content = await artifacts.content(layer, self._limits.packed)
            strip = layer.media_type == oci.CHART_LAYER
        else:
            digest, fetch = await self._helm.archive(repository, self._access, request, self._limits.packed)
            content = await asyncio.to_thread(self._kept, digest)
            if content is None:
                content = await fetch()
            strip = True
        limits = self._allowed(is_oci=_is_oci(repository))
        return await asyncio.to_thread(self._opened, content, request.version, name, limits, strip=strip)

    async def check(self, repo_url: str, project: str = "") -> None:
        """Raise `SourceError` where a Helm repository or registry cannot be read."""
        repository = self._repository(ChartRequest(repo_url, "", "", project))
        if _is_oci(repository):
            await self._artifacts(repository, "").check()
        else:
            await self._helm.check(repository, self._access)

    async def charts(self, repo_url: str, project: str = "") -> Mapping[str, Sequence[str]]:
        """Return the versions of every chart of a Helm repository; a registry does not tell what it has."""
        repository = self._repository(ChartRequest(repo_url, "", "", project))
        if _is_oci(repository):
            raise SourceError(f"{repo_url} is a registry, which does not list its charts", hint="name the chart")
        return await self._helm.charts(repository, self._access)

    def _artifacts(self, repository: Repository, chart: str) -> oci.Artifacts:
        return oci.Artifacts(repository, self._access, self._reach, chart, self._media_types)

    def _opened(
        self, content: bytes, revision: str, name: str, limits: archive.ArchiveLimits, *, strip: bool
    ) -> ChartTree:
        digest = hashlib.sha256(content).hexdigest()
        known = self._trees.get((digest, revision))
        if known is None:
            known = ChartTree(revision, archive.unpack(content, limits, name=name, strip=strip), name=name)
            self._keep(digest, content)
            self._trees[digest, revision] = known
            while len(self._trees) > _KEPT:
                self._trees.popitem(last=False)
        return known

    def _kept(self, digest: str) -> bytes | None:
        """Return an archive from the disk, if its content is still what its name says."""
        if not digest:
            return None
        try:
            content = self._path(digest).read_bytes()
        except OSError:
            return None
        return content if hashlib.sha256(content).hexdigest() == digest else None

    def _keep(self, digest: str, content: bytes) -> None:
        path = self._path(digest)
        # A disk that is full costs the cache, not the chart.
        with contextlib.suppress(OSError):
            private_folders.shut(self._folder)
            private_folders.make(path.parent)
            handle, part = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            pathlib.Path(part).replace(path)

    def _path(self, digest: str) -> pathlib.Path:
        name = digest if re.fullmatch(r"[0-9a-f]{64}", digest) else hashlib.sha256(digest.encode()).hexdigest()
        return self._folder / name[:2] / f"{name}.tgz"

    def _repository(self, request: ChartRequest) -> Repository:
        try:
            urls.check_text(request.repo_url)
            if "://" not in request.repo_url:
                return self._access.repository(request.repo_url, request.project)
            plain, login = doors.without_login(request.repo_url)
        except urls.RefusedAddress as refused:
            raise SourceError(f"invalid repoURL {urls.scrub(request.repo_url)[:300]!r}: {refused}") from None
        repository = self._access.repository(plain, request.project)
        if login is None:
            return repository
        own = Credentials(username=login[0], password=login[1])
        return Repository(url=plain, way=repository.way, credentials=own, project=repository.project)


def _is_oci(repository: Repository) -> bool:
    return repository.url.startswith("oci://") or (repository.way.oci and "://" not in repository.url)


def _check(request: ChartRequest) -> None:
    if not request.chart and not request.repo_url.startswith("oci://"):
        raise SourceError(f"no chart is named for {urls.scrub(request.repo_url)}", hint="set spec.source.chart")
    if request.chart and (not _CHART.fullmatch(request.chart) or ".." in request.chart):
        raise SourceError(f"invalid chart name {request.chart[:100]!r}")
    if not request.version or not _VERSION.fullmatch(request.version) or request.version.startswith("-"):
        raise SourceError(
            f"invalid version {request.version[:100]!r} of chart {request.chart or urls.scrub(request.repo_url)}",
            hint="set a version or a constraint in spec.source.targetRevision",
        )
