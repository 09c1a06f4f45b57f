"""Runs git against a repository of the network: logged in, to a machine that was checked, with errors scrubbed.

Called by `syncline.adapters.git.cache` and `syncline.adapters.git.source`. The name of an http server is looked up
here, its addresses are checked, and git is pinned to them; a redirect is followed by us, under the same check and
without credentials where it leads to another host.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Sequence
from dataclasses import replace

from syncline import processes
from syncline.adapters.git import login, process
from syncline.adapters.git.addresses import Address
from syncline.adapters.git.tokens import Tokens
from syncline.model.errors import SourceError
from syncline.model.sources.repository import Credentials, Repository
from syncline.net import downloads, urls

_REDIRECTED = re.compile(r"returned error: 30[12378]\b")
_ADVERTISEMENT = "/info/refs?service=git-upload-pack"


class GitRemote:
    """The way to all repositories; remembers where they moved to and the tokens it was given."""

    def __init__(self, reach: urls.Reach | None = None, tokens: Tokens | None = None) -> None:
        self.reach = reach or urls.Reach()
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
        if login.proxy(address):
            if refusal := self.reach.refusal_by_number(address.host, address.port):
                raise SourceError(f"repository not permitted: {address}: {refusal}")
            return []  # the proxy looks names up
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        except OSError:
            return []  # git says so better; an ssh host may be known to the user's ssh alone
        places = list(dict.fromkeys(str(one[4][0]) for one in found))
        for place in places:
            if refusal := self.reach.refusal(address.host, address.port, place):
                raise SourceError(f"repository not permitted: {address}: {refusal}")
        if address.scheme == "ssh" or address.host in places:
            return []
        joined = ",".join(f"[{place}]" if ":" in place else place for place in places)
        return [f"{address.host}:{address.port}:{joined}"]

    async def door(self, address: Address) -> tuple[str, downloads.Door]:
        """Return where a repository of an http server is now, and how we reach that server ourselves."""
        address = self._settled(address)
        return address.url, door(address, await self._tokens.exchanged(address), self.reach)

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
            answer = await downloads.fetch(request, door(address, credentials, self.reach))
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
        reach=reach,
    )


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
        repository=Repository(url=url, way=address.repository.way),
        certificates="",
    )
