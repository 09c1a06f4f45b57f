"""How many connections the web server takes, and how long each may keep it waiting.

Made by `syncline.cli.run.server` from options, else by `syncline.server.app` with what is usual; enforced by
`syncline.server.connections.door`. A process has so many descriptors and no more, and a controller in it needs some for
repositories, clusters and programs: connections get at most half.
"""

from __future__ import annotations

import resource
from dataclasses import dataclass
from typing import Final

MOST: Final = 2000
"""Connections where descriptors leave room for more."""
_SHARE: Final = 4
"""One address gets so small a part of all connections."""
_DESCRIPTORS: Final = 65_536
"""More than these are not asked for."""
_LEAST: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """What connections may take. None is what this machine has room for; `per_address` of 0 is no limit.

    Times are in seconds: until the head of a request is there (from the connection, or from the last answer), for a TLS
    handshake, between two requests, and in which a reader has to have taken `rate` bytes of every second.
    """

    total: int | None = None
    per_address: int | None = None
    head: float = 10.0
    handshake: float = 10.0
    idle: int = 5
    reading: float = 20.0
    rate: int = 512

    def settled(self) -> SettledLimits:
        """Return the limits as numbers; raises the limit of descriptors as far as this process may."""
        room = max(descriptors() // 2, _LEAST)
        total = min(self.total or MOST, room)
        share = max(total // _SHARE, 1) if self.per_address is None else self.per_address or total
        return SettledLimits(total=total, per_address=min(share, total), reserved=descriptors() - total)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledLimits:
    """How many connections there may be, of one address and of all, and the descriptors that are left for others."""

    total: int
    per_address: int
    reserved: int


def descriptors() -> int:
    """Return how many descriptors this process may have, after asking for as many as it may ask for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        except (OSError, ValueError):
            return soft
        return wanted
    return _DESCRIPTORS if soft == resource.RLIM_INFINITY else soft
