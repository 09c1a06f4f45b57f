"""Credentials that change while the program runs: a token in a file that is renewed, a plugin that is asked.

Chosen by `syncline.adapters.kube.config` and `syncline.adapters.kube.cluster_secret`; the transport gets fresh headers
from them before every request. Projected tokens are replaced on disk well before they expire, so reading the file once
a minute is enough.
"""

from __future__ import annotations

import asyncio
import pathlib
from datetime import datetime, timedelta

from syncline.adapters.kube import plugin
from syncline.adapters.kube.connection import Credential
from syncline.ports.clock import Clock
from syncline.ports.transport import TransportError

_FILE_SECONDS = 60.0
_EARLY = timedelta(seconds=30)


class TokenFile:
    """A bearer token that somebody else keeps fresh in a file; a client certificate may go with it."""

    def __init__(self, path: str, clock: Clock, also: Credential | None = None) -> None:
        self._path = path
        self._clock = clock
        self._also = also or Credential()
        self._cached: Credential | None = None
        self._read_at = 0.0

    async def current(self) -> Credential:
        """Return the token, read again once a minute; a file that cannot be read keeps the last token in use."""
        if self._cached is None or self._clock.monotonic() - self._read_at >= _FILE_SECONDS:
            token = self._read()
            if token:
                self._cached = Credential(f"Bearer {token}", self._also.certificate, self._also.key)
            elif self._cached is None:
                message = f"the token file {self._path} cannot be read or is empty: check that it is mounted"
                raise TransportError(message)
            self._read_at = self._clock.monotonic()
        return self._cached

    def forget(self) -> bool:
        """Read the file before the next request; True when it holds another token now."""
        token = self._read()
        changed = bool(token) and (self._cached is None or self._cached.authorization != f"Bearer {token}")
        self._read_at = self._clock.monotonic() - _FILE_SECONDS
        return changed

    def _read(self) -> str:
        try:
            return pathlib.Path(self._path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""


class FromPlugin:
    """Credentials given out by an exec plugin, kept until they expire."""

    def __init__(self, settings: plugin.ExecPlugin, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._cached: plugin.Issued | None = None
        self._turn = asyncio.Lock()

    async def current(self) -> Credential:
        """Return the credential, asking the plugin when there is none or it is about to expire."""
        async with self._turn:
            if self._cached is None or self._expires(self._cached.expires):
                self._cached = await plugin.run(self._settings)
            return self._cached.credential

    def forget(self) -> bool:
        """Ask the plugin before the next request."""
        had = self._cached is not None
        self._cached = None
        return had

    def _expires(self, expires: datetime | None) -> bool:
        return expires is not None and self._clock.now() >= expires - _EARLY
