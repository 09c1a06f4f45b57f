"""Lets connections in, and shows out those that only keep others waiting.

Run by `syncline.server.app`, in the place of asyncio's own way to accept, which has no limits and, when descriptors run
out, logs thousands of lines a second and goes on. The oldest connection that waits for its request gives way where all
places are taken, so that half-sent requests lock nobody out; a request that is being answered, and a stream, stays.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import os
import socket
import ssl
from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol

from syncline import tasks
from syncline.server.connections.limits import ConnectionLimits
from syncline.server.connections.seldom import Seldom

_EXHAUSTED: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_PAUSE: Final = 0.1
_SWEEP: Final = 1.0
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 28\r\nRetry-After: 5\r\n"
    b"Connection: close\r\n\r\nthere are too many requests\n"
)


class Guest(Protocol):
    """A connection that was let in."""

    def is_overdue(self, now: float, limits: ConnectionLimits) -> bool:
        """Whether it took longer than it may, to say what it wants or to take what it gets."""
        ...

    def abort(self) -> None:
        """End it at once."""
        ...


class Place:
    """The place of one connection, from when it is accepted until it is lost."""

    __slots__ = ("_connection", "_door", "address", "guest", "left")

    def __init__(self, door: Door, address: str, connection: socket.socket) -> None:
        self._door = door
        self._connection = connection
        self.address = address
        self.guest: Guest | None = None
        self.left = False

    def waits(self) -> None:
        """Take notice that no request of it is being answered."""
        self._door.waits(self)

    def works(self) -> None:
        """Take notice that a request of it is being answered."""
        self._door.works(self)

    def leave(self) -> None:
        """Make room."""
        self._door.leave(self)

    def end(self) -> None:
        """Make room, and hang up."""
        self.leave()
        if self.guest is not None:
            self.guest.abort()
            return
        # It is still shaking hands: whoever does that for it sees an end, and closes.
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


Seating = Callable[[Place], asyncio.Protocol]
"""Makes the protocol of a connection; it leaves its place when it is lost."""


class Door:
    """Accepts connections of one listening socket until it is closed."""

    def __init__(
        self,
        listener: socket.socket,
        seating: Seating,
        limits: ConnectionLimits,
        context: ssl.SSLContext | None,
        say: Callable[[str], None],
    ) -> None:
        self._listener = listener
        self._seating = seating
        self._limits = limits
        self._counts = limits.settled()
        self._context = context
        self._seldom = Seldom(say, asyncio.get_running_loop().time)
        self._places: set[Place] = set()
        self._by_address: Counter[str] = Counter()
        self._waiting: dict[Place, None] = {}
        """Those whose request is not there yet, the longest first."""
        self._entering: set[asyncio.Task[None]] = set()
        self._spare = _spare()

    def __len__(self) -> int:
        return len(self._places)

    async def run(self) -> None:
        """Let connections in until cancelled."""
        self._listener.setblocking(False)
        sweeping = tasks.watch_over(self._sweep(), name="slow connections")
        try:
            while True:
                await self._accept()
                # A queue that never empties must not keep the others of this process waiting.
                await asyncio.sleep(0)
        finally:
            sweeping.cancel()
            for task in self._entering:
                task.cancel()
            await asyncio.gather(sweeping, *self._entering, return_exceptions=True)
            if self._spare >= 0:
                os.close(self._spare)

    async def _accept(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            connection, address = await loop.sock_accept(self._listener)
        except OSError as error:
            if error.errno in _EXHAUSTED:
                self._seldom.say(f"connections are refused: {os.strerror(error.errno)}")
                self._shed()
            await asyncio.sleep(_PAUSE)
            return
        place = self._seat(_grouped(str(address[0])), connection)
        if place is None:
            self._refuse(connection)
            return
        task = tasks.start(self._enter(connection, place), name="a new connection")
        self._entering.add(task)
        task.add_done_callback(self._entering.discard)

    def _seat(self, address: str, connection: socket.socket) -> Place | None:
        """Return a place for a connection; None where its address has enough, or all are taken by requests."""
        if self._by_address[address] >= self._counts.per_address:
            self._seldom.say(f"connections of {address} are refused: it has {self._counts.per_address} already")
            return None
        if len(self._places) >= self._counts.total:
            self._seldom.say(f"there are {self._counts.total} connections: those that wait for a request give way")
            if not self._waiting:
                return None
            next(iter(self._waiting)).end()
        place = Place(self, address, connection)
        self._places.add(place)
        self._by_address[address] += 1
        self._waiting[place] = None
        return place

    async def _enter(self, connection: socket.socket, place: Place) -> None:
        """Make a connection one of HTTP, over TLS where that is served."""
        handshake = self._limits.handshake if self._context is not None else None
        try:
            _transport, protocol = await asyncio.get_running_loop().connect_accepted_socket(
                lambda: self._seating(place),
                connection,
                ssl=self._context,
                ssl_handshake_timeout=handshake,
                ssl_shutdown_timeout=handshake,
            )
        except (OSError, ssl.SSLError, TimeoutError):
            self.leave(place)
            connection.close()
            return
        except asyncio.CancelledError:
            connection.close()
            raise
        guest: Guest = protocol  # type: ignore[assignment]  # what the seating makes
        if place.left:
            # It gave way while it was shaking hands.
            guest.abort()
        else:
            place.guest = guest

    def _refuse(self, connection: socket.socket) -> None:
        """Hang up, with a word where that can be read and goes out at once."""
        with contextlib.suppress(OSError), connection:
            connection.setblocking(False)
            if self._context is None:
                connection.send(_FULL)

    def _shed(self) -> None:
        """Hang up on one that waits in the queue, with the descriptor that is kept for this."""
        if self._spare >= 0:
            os.close(self._spare)
        with contextlib.suppress(OSError):
            self._listener.accept()[0].close()
        self._spare = _spare()

    async def _sweep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await asyncio.sleep(min(_SWEEP, self._limits.head / 4))
            now = loop.time()
            for place in list(self._places):
                if place.guest is not None and place.guest.is_overdue(now, self._limits):
                    place.end()

    def waits(self, place: Place) -> None:
        """Take notice that no request of a connection is being answered."""
        if not place.left:
            self._waiting.pop(place, None)
            self._waiting[place] = None

    def works(self, place: Place) -> None:
        """Take notice that a request of a connection is being answered."""
        self._waiting.pop(place, None)

    def leave(self, place: Place) -> None:
        """Make room where a connection was; twice is as good as once."""
        if place.left:
            return
        place.left = True
        self._places.discard(place)
        self._waiting.pop(place, None)
        self._by_address[place.address] -= 1
        if self._by_address[place.address] <= 0:
            del self._by_address[place.address]


def _spare() -> int:
    """Return a descriptor that is good for nothing but to be given up; -1 where there is none."""
    try:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _grouped(address: str) -> str:
    """Return whom an address counts for: one of IPv6 for its network, since whoever has one has all of that."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)
