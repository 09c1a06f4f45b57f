"""Decides which repository addresses are read, and what git is told about each.

Used by everything in `syncline.adapters.git`. The text is checked by `syncline.net.urls` before git starts: what is not
a plain http, https, ssh or permitted local address is refused. Credentials inside an address are taken out of it and
are part of the cache's key, so that nobody reads a private cache without them; those of an operator's Secret are not:
who may use them is decided by address and project.
"""

from __future__ import annotations

import hashlib
import pathlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlunsplit

from syncline.model.errors import SourceError
from syncline.model.sources import repository_urls
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository
from syncline.net import urls
from syncline.net.urls import scrub

_SCP = re.compile(r"(?:[A-Za-z0-9._~+-]+@)?([A-Za-z0-9][A-Za-z0-9.-]*):(?!/?/)[^:]\S*")

__all__ = ["Address", "parse", "scrub"]


@dataclass(frozen=True, slots=True)
class Address:
    """A repository git may be asked for."""

    url: str
    """As given to git: without credentials."""
    key: str
    """Name of the cache folder."""
    local: bool = False
    scheme: str = "file"
    host: str = ""
    port: int = 0
    repository: Repository = field(default_factory=lambda: Repository(url=""), repr=False)
    certificates: str = field(default="", repr=False)
    known_hosts: str | None = field(default=None, repr=False)
    is_moved: bool = False
    """Whether a redirect led to this host: what a Secret permits for the one that was asked does not count here."""

    def __str__(self) -> str:
        return self.url

    @property
    def credentials(self) -> Credentials:
        """Who we are to the server."""
        return self.repository.credentials


def parse(
    text: str,
    *,
    local_folders: Sequence[str] = (),
    mirrors: Mapping[str, str] | None = None,
    access: SourceAccess | None = None,
    project: str = "",
) -> Address:
    """Return the address, or raise `SourceError` saying why this one is never read.

    `mirrors` are folders of this machine that stand in for addresses, as `repository_urls.mirrors` returns them.
    """
    try:
        urls.check_text(text)
    except urls.RefusedAddress as refused:
        if not text:
            raise SourceError("repoURL is empty") from None
        raise SourceError(f"invalid repoURL {scrub(text)[:300]!r}: {refused}") from None
    if mirrors and (folder := repository_urls.mirror(mirrors, text)):
        return _mirror(folder)
    if text.startswith(("/", "file:///")):
        return _local(text, local_folders)
    access = access or SourceAccess()
    if text.startswith(("http://", "https://", "ssh://")):
        return _network(text, access, project)
    if "::" not in text and "://" not in text and (found := _SCP.fullmatch(text)):
        repository = access.repository(text, project)
        key = _key(text, repository)
        return Address(text, key, False, "ssh", found[1], 22, repository, "", access.known_hosts)
    raise SourceError(f"invalid repoURL {scrub(text)!r}: use an https://, http:// or ssh:// address")


def _network(text: str, access: SourceAccess, project: str) -> Address:
    try:
        url = urls.parse(text, schemes=("http", "https", "ssh"))
    except urls.RefusedAddress as refused:
        raise SourceError(f"invalid repoURL {scrub(text)!r}: {refused}") from None
    ssh = url.scheme == "ssh"
    user = f"{url.username}@" if ssh and url.username else ""
    plain = urlunsplit((url.scheme, user + url.authority, url.path, "" if ssh else url.query, ""))
    if not ssh and (url.username is not None or url.password is not None):
        # Credentials differ, access differs: the digest of the address covers them.
        own = Credentials(username=url.username or "", password=url.password or "")
        known = access.repository(plain, project)
        repository = Repository(url=plain, credentials=own, way=known.way, project=known.project)
        key = _key(f"{url.username}:{url.password}@{plain}", repository)
    else:
        repository = access.repository(text if ssh else plain, project)
        key = _key(plain, repository)
    certificates = "" if ssh else access.certificate(plain)
    return Address(plain, key, False, url.scheme, url.host, url.port, repository, certificates, access.known_hosts)


def _local(text: str, folders: Sequence[str]) -> Address:
    path = pathlib.Path(unquote(text.removeprefix("file://")) if text.startswith("file:") else text).resolve()
    if not any(path.is_relative_to(pathlib.Path(folder).resolve()) for folder in folders):
        hint = "only repositories reached over https, http or ssh are allowed here; --local-repos FOLDER permits more"
        raise SourceError(f"repository not permitted: {text} is a local path", hint=hint)
    return Address(str(path), _digest(str(path)), local=True)


def _mirror(folder: str) -> Address:
    path = str(pathlib.Path(folder).resolve())
    return Address(path, _digest(path), local=True)


def _key(text: str, repository: Repository) -> str:
    """Return the cache's name; a project's own credentials make a cache of its own."""
    return _digest(f"{repository.project}\n{text}" if repository.project else text)


def _digest(text: str) -> str:
    normal = text.rstrip("/").removesuffix(".git")
    return hashlib.sha256(normal.encode()).hexdigest()
