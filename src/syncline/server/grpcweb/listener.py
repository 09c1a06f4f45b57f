"""Connections of the web server: HTTP/1.1, and a word for those who begin with something else.

Handed to uvicorn by `syncline.server.app`. Native gRPC is told what is spoken here (`syncline.server.grpcweb.native`);
a client that tries TLS on a plain port is hung up on, quietly: Argo CD's command line tries on each login.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from syncline.server.grpcweb.native import PREFACE, Refusal

ALPN: Final = ["http/1.1", "h2"]
"""What is offered over TLS: whoever speaks both gets HTTP/1.1, and gRPC alone insists on the other."""
_TLS_HANDSHAKE: Final = 0x16
_PATIENCE: Final = 30.0


class Connection(H11Protocol):
    """A connection of which nothing has come yet, of HTTP/1.1, or of native gRPC."""

    _begun = b""
    _told = False
    _refusal: Refusal | None = None
    _end: asyncio.TimerHandle | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the end that a refused connection would have come to."""
        if self._end is not None:
            self._end.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in what came."""
        if self._refusal is not None:
            self._refuse(data)
        elif self._told:
            super().data_received(data)
        else:
            self._tell(self._begun + data)

    def _tell(self, begun: bytes) -> None:
        """Find out by its first bytes what is spoken; `PRI` may still become `PUT`."""
        self._begun = begun
        if begun[0] == _TLS_HANDSHAKE:
            self.transport.close()
        elif begun.startswith(PREFACE):
            self._refusal = Refusal()
            self.transport.write(self._refusal.begun())
            self._end = asyncio.get_running_loop().call_later(_PATIENCE, self.transport.close)
            self._refuse(begun[len(PREFACE) :])
        elif not PREFACE.startswith(begun):
            self._told = True
            super().data_received(begun)

    def _refuse(self, data: bytes) -> None:
        if self._refusal is not None and not self.transport.is_closing():
            self.transport.write(self._refusal.received(data))
            if self._refusal.closed:
                self.transport.close()
