"""Finds the server of a repository's large files: beside the repository, named by it, or named by its ssh server.

Called by `syncline.adapters.git.source` when a large file is read. A repository's own `.lfsconfig` is content, which
strangers write: it may name a server of the same host, or one that an operator wrote down, and no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from syncline.adapters.git import large_files, process
from syncline.adapters.git.addresses import Address
from syncline.adapters.git.large_files import Server
from syncline.adapters.git.messages import cause
from syncline.adapters.git.remote import GitRemote, door
from syncline.model.errors import SourceError
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.permitted import repo_permitted
from syncline.net import downloads, urls


async def find(
    address: Address, config: str, access: SourceAccess, remote: GitRemote, permitted: Sequence[str] = ("*",)
) -> Server:
    """Return the server; raises `SourceError` where there is none that may be asked.

    `permitted` are the sourceRepos of the project on whose behalf it is asked.
    """
    if named := large_files.configured(config):
        return await _named(named, address, access, remote, permitted)
    if address.scheme == "ssh":
        return await _told_by_ssh(address, remote)
    url, way = await remote.door(address)
    plain = url.rstrip("/")
    return Server(f"{plain if plain.endswith('.git') else f'{plain}.git'}/info/lfs", way, {})


async def _named(
    text: str, address: Address, access: SourceAccess, remote: GitRemote, permitted: Sequence[str]
) -> Server:
    try:
        place = urls.parse(text, schemes=("http", "https"))
    except urls.RefusedAddress as refused:
        raise SourceError(f".lfsconfig names a server that is refused: {refused}") from None
    url = str(place).rstrip("/")
    if (place.host, place.port, place.scheme) == (address.host, address.port, address.scheme):
        return Server(url, (await remote.door(address))[1], {})
    known = access.repository(url, address.repository.project)
    if not repo_permitted(url, permitted):
        hint = f"add {url} to spec.sourceRepos of the project"
        raise SourceError(f".lfsconfig points to {place.host}, which the project does not permit", hint=hint)
    if not known.secret and not known.inherited:
        hint = f"add a repository Secret for {url} to permit it"
        raise SourceError(f".lfsconfig points to {place.host}, which is not permitted", hint=hint)
    other = Address(url, address.key, False, place.scheme, place.host, place.port, known, access.certificate(url), None)
    return Server(url, door(other, known.credentials, remote.reach_of(other)), {})


async def _told_by_ssh(address: Address, remote: GitRemote) -> Server:
    """Ask the ssh server where its large files are; it answers with an address and what lets us in there."""
    url = address.url.partition("://")[2]
    path = "/" + url.partition("/")[2] if url else address.url.partition(":")[2]
    try:
        answer = await remote.ask_ssh(address, ("git-lfs-authenticate", path, "download"))
        found = msgspec.json.decode(answer, type=dict[str, Any])
    except process.GitFailed as failure:
        raise SourceError(f"{address.host} does not report its Git LFS endpoint: {cause(str(failure))}") from None
    except (msgspec.DecodeError, msgspec.ValidationError):
        raise SourceError(f"{address.host} does not report its Git LFS endpoint") from None
    place, header = found.get("href"), found.get("header")
    if not isinstance(place, str):
        raise SourceError(f"{address.host} does not report its Git LFS endpoint")
    headers = {str(name): str(value) for name, value in header.items()} if isinstance(header, dict) else {}
    way = address.repository.way
    way_out = downloads.Door(
        proxy=way.proxy,
        no_proxy=way.no_proxy,
        is_proxy_trusted=not address.repository.project,
        reach=remote.reach,
    )
    return Server(place.rstrip("/"), way_out, headers)
