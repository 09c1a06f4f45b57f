"""Speaks to container registries: tags, manifests and blobs, with the logins that registries ask for.

Used by the adapters of charts and of images. A registry says in its refusal where tokens are given out; our password
goes there and nowhere else, and the token only to the registry. Whatever is named by a digest is checked against it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import msgspec

from syncline.net import downloads, urls

MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
_CHALLENGE = re.compile(r'([a-z_]+)="([^"]*)"')
_NEXT = re.compile(r'<([^>]+)>\s*;\s*rel="?next"?')
_REPOSITORY = re.compile(r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_REASONS = {
    401: "authentication required",
    403: "access denied",
    404: "not found",
    429: "too many requests: the registry asks to retry later",
}
_MAX_MANIFEST = 4 * 1024 * 1024
_MAX_PAGES = 200


class RegistryError(Exception):
    """A registry does not give what was asked for; the text says why, without credentials."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True)
class ImageManifest:
    """What a tag or digest stands for."""

    digest: str
    media_type: str
    content: dict[str, Any]


class RegistryClient:
    """One registry, asked with one set of credentials."""

    def __init__(self, place: str, door: downloads.Door, *, plain_http: bool = False) -> None:
        """Take `host` or `host:port`, and how it is reached; `plain_http` for registries without TLS."""
        self._base = f"{'http' if plain_http else 'https'}://{place}"
        self._login = door.authorization
        self._door = replace(door, authorization="")
        self._headers: dict[str, str] = {}

    async def check(self) -> None:
        """Raise `RegistryError` where the registry is silent or does not let us in."""
        await self._ask(f"{self._base}/v2/", "")

    async def tags(self, repository: str) -> list[str]:
        """List all tags of a repository, page by page."""
        _check(repository)
        found: list[str] = []
        url = f"{self._base}/v2/{repository}/tags/list?n=1000"
        for _ in range(_MAX_PAGES):
            answer = await self._ask(url, repository)
            content = _json(answer.body, url)
            found += [str(tag) for tag in content.get("tags") or ()]
            following = _NEXT.search(answer.headers.get("link", ""))
            if following is None:
                return found
            try:
                url = urls.join(url, following[1])
            except urls.RefusedAddress as refused:
                raise RegistryError(f"{self._base} redirects to an address that is refused: {refused}") from None
            if not url.startswith(f"{self._base}/"):
                raise RegistryError(f"{self._base} links to another host for more tags")
        raise RegistryError(f"{self._base}/{repository} has more than {_MAX_PAGES} pages of tags")

    async def manifest(self, repository: str, reference: str) -> ImageManifest:
        """Return what a tag or a digest stands for."""
        _check(repository, reference)
        url = f"{self._base}/v2/{repository}/manifests/{reference}"
        answer = await self._ask(url, repository, {"Accept": ", ".join(MANIFESTS)}, limit=_MAX_MANIFEST)
        digest = _digest(answer.body)
        if _DIGEST.fullmatch(reference) and reference != digest:
            raise RegistryError(f"{url} returned content that does not match its digest")
        content = _json(answer.body, url)
        kind = str(content.get("mediaType") or answer.headers.get("content-type", "").partition(";")[0])
        return ImageManifest(digest, kind, content)

    async def exists(self, repository: str, reference: str) -> bool:
        """Whether there is such a tag or digest; raises `RegistryError` where the registry does not say."""
        _check(repository, reference)
        url = f"{self._base}/v2/{repository}/manifests/{reference}"
        try:
            await self._ask(url, repository, {"Accept": ", ".join(MANIFESTS)}, method="HEAD")
        except RegistryError as error:
            if error.status == 404:
                return False
            raise
        return True

    async def blob(self, repository: str, digest: str, *, limit: int) -> bytes:
        """Return a blob, checked against its digest."""
        _check(repository, digest)
        answer = await self._ask(f"{self._base}/v2/{repository}/blobs/{digest}", repository, limit=limit)
        if _digest(answer.body) != digest:
            raise RegistryError(f"{self._base}/v2/{repository}: the content of a blob does not match its digest")
        return answer.body

    async def _ask(
        self,
        url: str,
        repository: str,
        headers: Mapping[str, str] | None = None,
        *,
        method: str = "GET",
        limit: int = _MAX_MANIFEST,
    ) -> downloads.Download:
        request = downloads.DownloadRequest(url=url, method=method, headers=headers or {}, limit=limit)
        answer = await self._send(request, self._headers.get(repository, ""))
        if answer.status == 401:
            self._headers[repository] = await self._admission(answer, repository)
            answer = await self._send(request, self._headers[repository])
        if answer.status >= 300:
            reason = _REASONS.get(answer.status) or f"the registry answered {answer.status}"
            raise RegistryError(f"{url}: {reason}", answer.status)
        return answer

    async def _send(self, request: downloads.DownloadRequest, authorization: str) -> downloads.Download:
        try:
            return await downloads.fetch(request, replace(self._door, authorization=authorization))
        except downloads.DownloadFailed as failure:
            raise RegistryError(str(failure)) from None

    async def _admission(self, refusal: downloads.Download, repository: str) -> str:
        """Return the header that lets us in: our login itself, or a token from where the registry says."""
        kind, _, rest = refusal.headers.get("www-authenticate", "").partition(" ")
        if kind.lower() == "basic":
            if not self._login:
                raise RegistryError(f"{self._base}: authentication required", 401)
            return self._login
        fields = dict(_CHALLENGE.findall(rest))
        if kind.lower() != "bearer" or "realm" not in fields:
            raise RegistryError(f"{self._base}: authentication required", 401)
        scope = fields.get("scope") or (f"repository:{repository}:pull" if repository else "")
        asked = {"service": fields.get("service", ""), "scope": scope}
        realm = self._realm(fields["realm"])
        query = urlencode({name: value for name, value in asked.items() if value})
        answer = await self._send(downloads.DownloadRequest(url=f"{realm}?{query}", limit=1024 * 1024), self._login)
        if answer.status >= 300:
            raise RegistryError(f"{realm}: authentication required", 401)
        content = _json(answer.body, realm)
        return f"Bearer {content.get('token') or content.get('access_token') or ''}"

    def _realm(self, text: str) -> str:
        try:
            url = urls.parse(text, schemes=("http", "https"))
        except urls.RefusedAddress as refused:
            raise RegistryError(f"{self._base} issues tokens at an address that is refused: {refused}") from None
        if url.scheme == "http" and not str(url).startswith(f"{self._base}/") and self._login:
            raise RegistryError(f"{self._base} wants the password sent over plain http to {url.host}")
        return str(url).partition("?")[0]


def _check(repository: str, reference: str = "latest") -> None:
    if not _REPOSITORY.fullmatch(repository) or len(repository) > 255:
        raise RegistryError(f"{repository[:100]!r} is not a repository name")
    if not (_TAG.fullmatch(reference) or _DIGEST.fullmatch(reference)):
        raise RegistryError(f"{reference[:100]!r} is neither a tag nor a digest")


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _json(body: bytes, url: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise RegistryError(f"{url} did not return a JSON object") from None
