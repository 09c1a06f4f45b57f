"""Asks web services over the one downloader: addresses checked, credentials never sent elsewhere.

Implements `syncline.ports.web`; built by `syncline.wiring`.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from syncline.model.errors import SourceError
from syncline.net import downloads, urls
from syncline.ports.web import GitHubApp, WebAnswer, WebError, WebRequest

Exchange = Callable[[GitHubApp, downloads.Door, float], Awaitable[tuple[str, float]]]
"""Asks for the token of a GitHub App's installation; returns it, and when it ends."""
_SPARE = 60.0
"""A token that ends within so many seconds is not shown any more."""
_KEPT = 64


class WebReader:
    """Reaches the machines that `reach` permits."""

    def __init__(
        self, reach: urls.Reach, exchange: Exchange | None = None, now: Callable[[], float] = time.time
    ) -> None:
        self._reach = reach
        self._exchange = exchange
        self._now = now
        self._tokens: dict[GitHubApp, tuple[str, float]] = {}

    async def ask(self, request: WebRequest) -> WebAnswer:
        """Return the answer, whatever its status."""
        asked = downloads.DownloadRequest(
            url=request.url,
            method=request.method or ("POST" if request.body else "GET"),
            headers=request.headers,
            body=request.body,
            seconds=request.seconds,
            leaves_host=request.leaves_host,
        )
        authorization = request.authorization
        if request.app is not None:
            authorization = f"Bearer {await self._token(request.app, request)}"
        door = downloads.Door(
            authorization=authorization,
            certificates=request.certificates,
            insecure=request.insecure,
            reach=self._reach,
        )
        try:
            found = await downloads.fetch(asked, door)
        except (downloads.DownloadFailed, urls.RefusedAddress) as error:
            raise WebError(str(error)) from None
        return WebAnswer(found.status, found.headers, found.body)

    async def _token(self, app: GitHubApp, request: WebRequest) -> str:
        known = self._tokens.get(app)
        if known is None or known[1] - _SPARE < self._now():
            if self._exchange is None:
                raise WebError("tokens of GitHub Apps cannot be asked for from here")
            door = downloads.Door(certificates=request.certificates, insecure=request.insecure, reach=self._reach)
            try:
                known = await self._exchange(app, door, self._now())
            except (SourceError, urls.RefusedAddress) as error:
                raise WebError(str(error)) from None
            if len(self._tokens) >= _KEPT:
                self._tokens.clear()
            self._tokens[app] = known
        return known[0]
