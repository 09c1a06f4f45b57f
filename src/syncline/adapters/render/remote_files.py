"""Fetches single files that kustomizations name by their address.

Held by `syncline.adapters.render.remote`, made by `syncline.wiring`. Everything goes through the one downloader, which
checks addresses, redirects and sizes; no login is ever sent, and an address that holds one is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from syncline.model.errors import SourceError
from syncline.net import downloads, urls

_LIMIT = 10_000_000
_SECONDS = 30.0
_SCHEMES = ("https", "http")


@dataclass(frozen=True, slots=True)
class RemoteFiles:
    """Reads files of servers within a reach."""

    reach: urls.Reach = field(default_factory=urls.Reach)

    async def read(self, url: str) -> bytes:
        """Return the content of a file; raises `SourceError` where it cannot be fetched."""
        try:
            if urls.parse(url, schemes=_SCHEMES).username:
                raise SourceError("an address with a login is not fetched")
            request = downloads.DownloadRequest(url=url, limit=_LIMIT, seconds=_SECONDS)
            answer = await downloads.fetch(request, downloads.Door(reach=self.reach))
        except (downloads.DownloadFailed, urls.RefusedAddress) as error:
            raise SourceError(str(error)) from None
        if answer.status != 200:
            raise SourceError(f"the server answered {answer.status}")
        return answer.body
