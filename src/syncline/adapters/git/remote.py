"""Runs git against a repository of the network: logged in, to a machine that was checked, with errors scrubbed.

Called by `syncline.adapters.git.cache` and `syncline.adapters.git.source`. The name of an http server is looked up
here, its addresses are checked, and git is pinned to them; a redirect is followed by us, under the same check and
without credentials where it leads to another host.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Collection, Sequence
from dataclasses import replace

from syncline import processes
from syncline.adapters.git import login, process
from syncline.adapters.git.addresses import Address
from syncline.adapters.git.tokens import Tokens
from syncline.model.errors import SourceError
from syncline.model.sources.repository import Credentials, Repository
from syncline.net import downloads, proxies, urls

_REDIRECTED = re.compile(r"returned error: 30[12378]\b")
_ADVERTISEMENT = "/info/refs?service=git-upload-pack"


class GitRemote:
    """The way to all repositories; remembers where they moved to and the tokens it was given."""

    def __init__(
        self,
        reach: urls.Reach | None = None,
        tokens: Tokens | None = None,
        places: Collection[tuple[str, int]] = (),
    ) -> None:
        """Take what may be asked in any case, and the servers that repository Secrets of the operator name."""
        self.reach = reach or urls.Reach()
        self._places = frozenset(places)
        self._tokens = tokens or Tokens()
        self._moved: dict[str, str] = {}

    async def run(
        self, address: Address, arguments: Sequence[str], *, limits: processes.ProcessLimits | None = None
    ) -> bytes:
        """Run git; raises `process.GitFailed`, scrubbed.

        An argument `{url}` becomes the repository's address, `{origin}` the setting that names it.
        """
        address = self._settled(address)
        credentials = await self._tokens.exchanged(address)
        try:
            return await self._once(address, credentials, arguments, limits)
        except process.GitFailed as failure:
            if address.local or not _REDIRECTED.search(str(failure)):
                raise
        moved = await self._follow(address)
        return await self._once(moved, await self._tokens.exchanged(moved), arguments, limits)

    async def _once(
        self,
        address: Address,
        credentials: Credentials,
        arguments: Sequence[str],
        limits: processes.ProcessLimits | None,
    ) -> bytes:
        pins = await self._pins(address)
        with login.prepared(address, credentials, pins) as environment:
            places = {"{url}": address.url, "{origin}": f"remote.origin.url={address.url}"}
            command = [places.get(text, text) for text in arguments]
            try:
                return await process.run(command, local=address.local, environment=environment, limits=limits)
            except process.GitFailed as failure:
                secrets = [*credentials.secrets(), address.repository.way.proxy]
                raise process.GitFailed(urls.scrub(str(failure), secrets)) from None

    async def _pins(self, address: Address) -> list[str]:
        """Look the server up and check where it is; raises `SourceError` for a place that is never asked."""
        if address.local:
            return []
        reach = self.reach_of(address)
        if through := login.proxy(address):
            if refusal := reach.refusal_unresolved(address.host, address.port):
                raise not_permitted(address, refusal)
            # The proxy looks names up. One that a project named is a server like any other.
            return await _proxy_pins(address, through) if address.repository.project else []
        places = await _looked_up(address.host, address.port)
        for place in places:
            if refusal := reach.refusal(address.host, address.port, place):
                raise not_permitted(address, refusal)
        # Where there are none git says so better; an ssh host may be known to the user's ssh alone.
        return [] if address.scheme == "ssh" else _pinned(address.host, address.port, places)

    def reach_of(self, address: Address) -> urls.Reach:
        """Return what may be asked for a repository: what a Secret opens counts for the address it was written for."""
        place = (address.host.lower(), address.port)
        if address.is_moved:
            return self.reach
        if place in self._places:
            return self.reach.besides({place})
        return self.reach.besides_own({place}) if address.repository.project else self.reach

    async def door(self, address: Address) -> tuple[str, downloads.Door]:
        """Return where a repository of an http server is now, and how we reach that server ourselves."""
        address = self._settled(address)
        return address.url, door(address, await self._tokens.exchanged(address), self.reach_of(address))

    async def ask_ssh(self, address: Address, command: Sequence[str]) -> bytes:
        """Run a command on the ssh server of a repository; raises `process.GitFailed`."""
        await self._pins(address)
        with login.prepared(address, address.credentials) as environment:
            user = address.url.partition("://")[2] or address.url
            user = user.partition("@")[0] if "@" in user else ""
            place = ("-p", str(address.port), "--", f"{user}@{address.host}" if user else address.host)
            return await process.run_ssh(place, command, environment)

    def _settled(self, address: Address) -> Address:
        moved = self._moved.get(address.url)
        return _moved(address, moved) if moved else address

    async def _follow(self, address: Address) -> Address:
        """Find out where a repository moved to."""
        credentials = await self._tokens.exchanged(address)
        request = downloads.DownloadRequest(url=address.url.rstrip("/") + _ADVERTISEMENT, limit=64 * 1024 * 1024)
        try:
            answer = await downloads.fetch(request, door(address, credentials, self.reach_of(address)))
        except downloads.DownloadFailed as failure:
            raise process.GitFailed(f"fatal: {failure}") from None
        if "/info/refs" not in answer.url:
            raise process.GitFailed(
                f"fatal: {address} redirects to {urls.scrub(answer.url)}, which is not a repository"
            )
        self._moved[address.url] = answer.url.partition("/info/refs")[0]
        return self._settled(address)


def door(address: Address, credentials: Credentials, reach: urls.Reach) -> downloads.Door:
    """Return how we reach the server of a repository ourselves."""
    header = ""
    if credentials.username or credentials.password:
        header = downloads.basic(credentials.username, credentials.password)
    elif credentials.bearer_token:
        header = f"Bearer {credentials.bearer_token}"
    way = address.repository.way
    return downloads.Door(
        authorization=header,
        certificates=address.certificates,
        client_certificate=credentials.tls_client_certificate,
        client_key=credentials.tls_client_key,
        insecure=way.insecure,
        proxy=way.proxy,
        no_proxy=way.no_proxy,
        is_proxy_trusted=not address.repository.project,
        reach=reach,
    )


def not_permitted(address: Address, refusal: str) -> SourceError:
    """Build the error for a repository at a place that is not asked; nobody was."""
    hint = ""
    if urls.written_kind(address.host) is urls.AddressKind.LOOPBACK:
        permission = f"--allow-local {address.host}:{address.port}"
        hint = f"write a repository Secret for it, or give {permission} to a command of this machine"
    return SourceError(f"repository not permitted: {address}: {refusal}", hint=hint)


async def _looked_up(host: str, port: int) -> list[str]:
    """Return the addresses of a server; none where its name has none."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError:
        return []
    return list(dict.fromkeys(str(one[4][0]) for one in found))


async def _proxy_pins(address: Address, text: str) -> list[str]:
    """Check where the proxy of a project is, and hold git to that."""
    proxy = proxies.parse(text)
    places = await _looked_up(proxy.host, proxy.port)
    for place in places:
        if refusal := urls.Reach().refusal(proxy.host, proxy.port, place):
            raise SourceError(f"the proxy of {address} is not permitted: {refusal}")
    if not places:
        raise SourceError(f"the proxy of {address} is not permitted: its host name has no address")
    return _pinned(proxy.host, proxy.port, places)


def _pinned(host: str, port: int, places: Sequence[str]) -> list[str]:
    """Return what keeps git from looking a name up again; nothing for a number."""
    if not places or host in places:
        return []
    joined = ",".join(f"[{place}]" if ":" in place else place for place in places)
    return [f"{host}:{port}:{joined}"]


def _moved(address: Address, url: str) -> Address:
    place = urls.parse(url, schemes=("http", "https"))
    if (place.host, place.port, place.scheme) == (address.host, address.port, address.scheme):
        return replace(address, url=url)
    return replace(
        address,
        url=url,
        host=place.host,
        port=place.port,
        scheme=place.scheme,
        repository=Repository(url=url, way=address.repository.way, project=address.repository.project),
        certificates="",
        is_moved=True,
    )
