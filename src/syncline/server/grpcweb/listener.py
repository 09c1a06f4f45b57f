"""Connections of the web server: HTTP/1.1, and a word for those who begin with something else.

Made by `syncline.server.app` for each place that `syncline.server.connections.door` gives. Native gRPC is told what is
spoken here (`syncline.server.grpcweb.native`); a client that tries TLS on a plain port is hung up on, quietly: the
command line of Argo CD tries on each login.
"""

from __future__ import annotations

import asyncio
from typing import Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from syncline.server.connections.door import Place
from syncline.server.connections.limits import ConnectionLimits
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
    _waits_since = 0.0
    _unread = 0
    _unread_since = 0.0
    place: Place | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._waits_since = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Make room, and forget the end that a refused connection would have come to."""
        if self.place is not None:
            self.place.leave()
        if self._end is not None:
            self._end.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request; one that came along with the last is being answered already."""
        self._waits_since = self.loop.time()
        if self.place is not None:
            self.place.waits()
        super().on_response_complete()
        self._note_work()

    def abort(self) -> None:
        """End it at once, whatever was not sent yet."""
        self.transport.abort()

    def is_overdue(self, now: float, limits: ConnectionLimits) -> bool:
        """Whether its request, or its reading of an answer, takes longer than it may."""
        size, working = self.transport.get_write_buffer_size(), self._is_working()
        if not size or (working and not self.flow.write_paused):
            self._unread = 0
            return not working and self._refusal is None and now - self._waits_since > limits.head
        if not self._unread:
            self._unread, self._unread_since = size, now
        if now - self._unread_since < limits.reading:
            return False
        # Nothing is added while so much waits, or after the end of an answer: what is gone was read.
        slow = self._unread - size < min(limits.rate * limits.reading, self._unread)
        self._unread, self._unread_since = size, now
        return slow

    def resume_writing(self) -> None:
        """Take notice that most of what waited was read."""
        self._unread = 0
        super().resume_writing()

    def _is_working(self) -> bool:
        """Whether a request is there and its answer is not complete."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _note_work(self) -> None:
        if self.place is not None and self._is_working():
            self.place.works()

    def data_received(self, data: bytes) -> None:
        """Take in what came."""
        if self._refusal is not None:
            self._refuse(data)
        elif self._told:
            super().data_received(data)
            self._note_work()
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
            self._note_work()

    def _refuse(self, data: bytes) -> None:
        if self._refusal is not None and not self.transport.is_closing():
            self.transport.write(self._refusal.received(data))
            if self._refusal.closed:
                self.transport.close()
