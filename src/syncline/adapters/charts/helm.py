"""Reads Helm repositories: the index, asked for again only when it changed, and the archives it names.

Used by `syncline.adapters.charts.source`. An archive must have the digest that the index gives it; one that lies on
another host is fetched without the credentials of the repository.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from syncline.adapters.charts import doors, index
from syncline.model.errors import SourceError
from syncline.model.sources import semver
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Repository, fingerprint
from syncline.net import downloads, urls
from syncline.ports.source import ChartRequest

_MAX_INDEX = 128 * 1024 * 1024
_FRESH_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class _Index:
    text: str
    tag: str
    at: float


class HelmRepositories:
    """All Helm repositories; an index that was asked for a moment ago serves everybody."""

    def __init__(self, reach: urls.Reach, now: Callable[[], float] = time.monotonic) -> None:
        self._reach = reach
        self._now = now
        self._indexes: dict[str, _Index] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def resolve(self, repository: Repository, access: SourceAccess, chart: str, version: str) -> str:
        """Return the exact version a constraint stands for; a version is taken as it is written."""
        if not semver.is_constraint(version):
            return version
        found = await self._versions(repository, access, chart)
        newest = semver.newest(version, (one.version for one in found))
        if newest is None:
            raise _no_version(chart, version, repository.url, [one.version for one in found])
        return newest

    async def check(self, repository: Repository, access: SourceAccess) -> None:
        """Raise `SourceError` where the index cannot be read."""
        text = await self._text(repository, access)
        if "entries" not in text:
            raise SourceError(f"the index of {repository.url} has no entries", hint="is this a Helm repository?")

    async def archive(
        self, repository: Repository, access: SourceAccess, request: ChartRequest, limit: int
    ) -> tuple[str, Callable[[], Awaitable[bytes]]]:
        """Return the digest of a version's archive (empty where the index has none), and what fetches it."""
        chart, version = request.chart, request.version
        found = await self._versions(repository, access, chart)
        one = _pick(found, version)
        if one is None:
            raise _no_version(chart, version, repository.url, [one.version for one in found])
        if not one.urls:
            raise SourceError(f"chart '{chart}' version '{version}' of {repository.url} has no address")

        async def fetch() -> bytes:
            return await self._fetch(repository, access, one, limit, request.permitted)

        return one.digest.removeprefix("sha256:"), fetch

    async def _fetch(
        self,
        repository: Repository,
        access: SourceAccess,
        one: index.ChartVersion,
        limit: int,
        permitted: Sequence[str],
    ) -> bytes:
        base = repository.url.rstrip("/") + "/"
        try:
            url = urls.join(base, one.urls[0])
            place = urls.parse(url, schemes=("http", "https"))
            home = urls.parse(base, schemes=("http", "https"))
        except urls.RefusedAddress as refused:
            shown = urls.scrub(one.urls[0])[:300]
            raise SourceError(f"the chart's address {shown!r} is refused: {refused}") from None
        if (place.host, place.port, place.scheme) == (home.host, home.port, home.scheme):
            way = doors.door(repository, access, self._reach)
        else:
            way = doors.elsewhere(str(place), access, self._reach, permitted)
        answer = await _ask(downloads.DownloadRequest(url=str(place), limit=limit), way)
        expected = one.digest.removeprefix("sha256:")
        if expected and hashlib.sha256(answer.body).hexdigest() != expected:
            raise SourceError(f"{urls.scrub(url)} does not match the digest in the index", hint="was it replaced?")
        return answer.body

    async def charts(self, repository: Repository, access: SourceAccess) -> dict[str, tuple[str, ...]]:
        """Return the versions of every chart."""
        text = await self._text(repository, access)
        return await asyncio.to_thread(index.charts, text, repository.url)

    async def _versions(self, repository: Repository, access: SourceAccess, chart: str) -> list[index.ChartVersion]:
        text = await self._text(repository, access)
        return await asyncio.to_thread(index.versions, text, chart, repository.url)

    async def _text(self, repository: Repository, access: SourceAccess) -> str:
        # Credentials differ, access differs; and what a Secret opens to one project is not read by another.
        key = f"{fingerprint(repository.credentials)}\n{repository.project}\n{repository.url}"
        async with self._asking.setdefault(key, asyncio.Lock()):
            known = self._indexes.get(key)
            if known is not None and self._now() - known.at < _FRESH_SECONDS:
                return known.text
            headers = {"If-None-Match": known.tag} if known and known.tag else {}
            url = repository.url.rstrip("/") + "/index.yaml"
            request = downloads.DownloadRequest(url=url, headers=headers, limit=_MAX_INDEX)
            answer = await _ask(request, doors.door(repository, access, self._reach), also=(304,))
            if answer.status == 304 and known is not None:
                self._indexes[key] = _Index(known.text, known.tag, self._now())
            else:
                text = answer.body.decode("utf-8", "replace")
                self._indexes[key] = _Index(text, answer.headers.get("etag", ""), self._now())
            return self._indexes[key].text


def _pick(found: list[index.ChartVersion], version: str) -> index.ChartVersion | None:
    """Return the entry of a version: the same text, else an equal version (`v1.0` for `1.0.0`)."""
    exact = next((one for one in found if one.version == version), None)
    wanted = semver.parse(version)
    if exact is not None or wanted is None:
        return exact
    return next((one for one in found if semver.parse(one.version) == wanted), None)


async def _ask(
    request: downloads.DownloadRequest, door: downloads.Door, also: tuple[int, ...] = ()
) -> downloads.Download:
    shown = urls.scrub(request.url)
    try:
        answer = await downloads.fetch(request, door)
    except downloads.DownloadFailed as failure:
        raise SourceError(str(failure)) from None
    if answer.status in (401, 403):
        hint = "add credentials for this repository, or check the existing ones"
        raise SourceError(f"authentication required: {shown}", hint=hint)
    if answer.status == 404:
        raise SourceError(f"not found: {shown}", hint="check repoURL: a Helm repository has an index.yaml")
    if answer.status == 429:
        raise SourceError(f"too many requests: {shown}", hint="the server asks to retry later")
    if answer.status >= 300 and answer.status not in also:
        raise SourceError(f"{shown} answered {answer.status}")
    return answer


def _no_version(chart: str, version: str, place: str, found: list[str]) -> SourceError:
    what = f"chart '{chart}' version '{version}' not found in {urls.scrub(place)}"
    known = sorted((one for text in found if (one := semver.parse(text))), reverse=True)
    return SourceError(what, hint=f"newest versions: {', '.join(one.text for one in known[:5]) or 'none'}")
