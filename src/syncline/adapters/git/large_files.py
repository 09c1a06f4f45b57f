"""Files that a repository keeps beside itself (Git LFS): a commit holds a pointer, another server the content.

Handed to `syncline.adapters.git.tree` by `syncline.adapters.git.source` for repositories with `enableLfs`. Contents are
asked for in one batch per folder, with the repository's own credentials, and count only if size and digest are those of
the pointer. They are kept beside the repository's cache and not for all: who knows a digest must not get the content.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import pathlib
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import orjson

from syncline import private_folders
from syncline.model.errors import SourceError
from syncline.net import downloads, urls

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize ([0-9]{1,15})\n?"
)
_MEDIA = "application/vnd.git-lfs+json"
MAX_POINTER = 1024
_MAX_CONFIG = 64 * 1024
_MAX_FILE = 64 * 1024 * 1024
_MAX_FILES = 256 * 1024 * 1024
_BATCH = 100
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Pointer:
    """What a commit says about a large file."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True)
class Server:
    """Where large files are asked for, and how we get in."""

    url: str
    door: downloads.Door
    headers: Mapping[str, str]


def pointer(content: bytes) -> Pointer | None:
    """Return what a file points to, or None for a file that is itself."""
    found = _POINTER.fullmatch(content) if len(content) <= MAX_POINTER else None
    return Pointer(found[1].decode(), int(found[2])) if found else None


def configured(text: str) -> str:
    """Return the server that a repository's own `.lfsconfig` names, or nothing."""
    section = ""
    for line in text[:_MAX_CONFIG].splitlines():
        plain = line.strip()
        if plain.startswith("["):
            section = plain.lower()
            continue
        name, equals, value = plain.partition("=")
        if section == "[lfs]" and equals and name.strip().lower() == "url":
            return value.strip().strip('"')
    return ""


class LargeFiles:
    """The large files of one commit's repository."""

    def __init__(self, folder: str, server: Callable[[str], Awaitable[Server]]) -> None:
        """Take the folder they are kept in, and what finds their server, given the text of `.lfsconfig`."""
        self._folder = pathlib.Path(folder)
        self._server = server
        self._failed: dict[str, str] = {}

    def content(self, one: Pointer, path: str, config: str, others: Iterable[Pointer]) -> bytes:
        """Return the content of a large file; `others` are probably read next, and fetched with it."""
        found = self._kept(one)
        if found is None and one.digest not in self._failed:
            wanted = self._missing([one, *others])
            with ThreadPoolExecutor(1, thread_name_prefix="large-files") as thread:
                thread.submit(asyncio.run, self._fetch(wanted, config)).result()
            found = self._kept(one)
        if found is None:
            reason = self._failed.get(one.digest, "it could not be stored on disk")
            what = f"{path}: the large file (Git LFS) it points to cannot be fetched: {reason}"
            raise SourceError(what, hint="the render fails so that no pointer is delivered in its place")
        return found

    def _missing(self, wanted: Sequence[Pointer]) -> list[Pointer]:
        left, chosen = _MAX_FILES, dict[str, Pointer]()
        for one in wanted:
            if one.size > _MAX_FILE:
                self._failed[one.digest] = f"it has {one.size} bytes, more than {_MAX_FILE}"
            elif one.digest not in chosen and one.size <= left and not self._path(one).exists():
                chosen[one.digest] = one
                left -= one.size
        return list(chosen.values())

    async def _fetch(self, wanted: Sequence[Pointer], config: str) -> None:
        turns = asyncio.Semaphore(_AT_ONCE)
        try:
            server = await self._server(config) if wanted else None
        except SourceError as error:
            self._failed |= dict.fromkeys((one.digest for one in wanted), str(error))
            return
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            if server is not None:
                await self._fetch_batch(batch, server, turns)

    async def _fetch_batch(self, batch: Sequence[Pointer], server: Server, turns: asyncio.Semaphore) -> None:
        try:
            answers = await _ask(batch, server)
        except SourceError as error:
            self._failed |= dict.fromkeys((one.digest for one in batch), str(error))
            return

        async def one_file(one: Pointer) -> None:
            async with turns:
                try:
                    self._keep(one, await _download(one, answers.get(one.digest, {}), server))
                except SourceError as error:
                    self._failed[one.digest] = str(error)

        await asyncio.gather(*(one_file(one) for one in batch))

    def _path(self, one: Pointer) -> pathlib.Path:
        return self._folder / one.digest[:2] / one.digest

    def _kept(self, one: Pointer) -> bytes | None:
        try:
            content = self._path(one).read_bytes()
        except OSError:
            return None
        if hashlib.sha256(content).hexdigest() == one.digest:
            return content
        with contextlib.suppress(OSError):
            self._path(one).unlink()
        return None

    def _keep(self, one: Pointer, content: bytes) -> None:
        path = self._path(one)
        try:
            private_folders.make(path.parent)
            handle, part = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            pathlib.Path(part).replace(path)
        except OSError as error:
            raise SourceError(f"it cannot be stored in {path.parent}: {error.strerror}") from None


async def _ask(batch: Sequence[Pointer], server: Server) -> dict[str, dict[str, Any]]:
    """Return what the server says about each file, by digest."""
    objects = [{"oid": one.digest, "size": one.size} for one in batch]
    request = downloads.DownloadRequest(
        url=f"{server.url}/objects/batch",
        method="POST",
        headers={"Accept": _MEDIA, "Content-Type": _MEDIA, **server.headers},
        body=orjson.dumps({"operation": "download", "transfers": ["basic"], "objects": objects}),
    )
    shown = urls.scrub(request.url)
    try:
        answer = await downloads.fetch(request, server.door)
    except downloads.DownloadFailed as failure:
        raise SourceError(str(failure)) from None
    if answer.status in (401, 403):
        raise SourceError(f"authentication required: {shown}")
    if answer.status >= 300:
        known = "the server has no Git LFS" if answer.status == 404 else f"it answered {answer.status}"
        raise SourceError(f"{shown}: {known}")
    try:
        listed = msgspec.json.decode(answer.body, type=dict[str, Any]).get("objects")
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        raise SourceError(f"{shown} did not return a JSON object") from None
    return {str(one.get("oid")): one for one in listed or () if isinstance(one, dict)}


async def _download(one: Pointer, answer: dict[str, Any], server: Server) -> bytes:
    action = _part(_part(answer, "actions"), "download")
    place = action.get("href")
    if not isinstance(place, str):
        problem = _part(answer, "error").get("code")
        raise SourceError("the server does not have it" if problem in (404, None) else f"the server answered {problem}")
    headers = {str(name): str(value) for name, value in _part(action, "header").items()}
    if any(ord(letter) < 32 for text in (*headers, *headers.values()) for letter in text):
        raise SourceError("the server asks for invalid headers")
    try:
        sent, door = _way(place, headers, server)
        reply = await downloads.fetch(downloads.DownloadRequest(url=place, headers=sent, limit=one.size), door)
    except (downloads.DownloadFailed, urls.RefusedAddress) as failure:
        raise SourceError(str(failure)) from None
    if reply.status >= 300:
        raise SourceError(f"{urls.scrub(place).partition('?')[0]} answered {reply.status}")
    if len(reply.body) != one.size or hashlib.sha256(reply.body).hexdigest() != one.digest:
        raise SourceError("the content does not match the pointer")
    return reply.body


def _way(place: str, headers: Mapping[str, str], server: Server) -> tuple[Mapping[str, str], downloads.Door]:
    """Return how a file is reached: our login is for the server it was asked of, never for where that sends us."""
    new, home = (urls.parse(text, schemes=("http", "https")) for text in (place, server.url))
    if (new.scheme, new.host, new.port) != (home.scheme, home.host, home.port):
        way = server.door
        bare = downloads.Door(
            proxy=way.proxy, no_proxy=way.no_proxy, is_proxy_trusted=way.is_proxy_trusted, reach=way.reach
        )
        return headers, bare
    if any(name.lower() == "authorization" for name in headers):
        return headers, replace(server.door, authorization="")
    return {**server.headers, **headers}, server.door


def _part(content: dict[str, Any], name: str) -> dict[str, Any]:
    found = content.get(name)
    return found if isinstance(found, dict) else {}
