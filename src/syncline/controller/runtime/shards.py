"""Which shards of the work this process holds, where several share it: one Lease per shard.

Made by `syncline.wiring` for `syncline controller`; what a shard stands for is up to those who ask, such as
`syncline.controller.clusters.dealing`. A process that holds a shard already lets others go first for the next one, and
one that holds at least two fewer than another asks it for one, so shards spread out over the processes there are, and
none is left alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from syncline import tasks
from syncline.controller.runtime.lease import Lease, Terms
from syncline.ports.clock import Clock
from syncline.ports.kube import Cluster

LEASE_NAME = "syncline-controller-shard-{}"
_GRACE = 2
"""For how many durations of a Lease a free shard is left to processes that hold none."""
_PARTING = 0.5
"""Between the end of our passes and the release of a Lease, in seconds: requests under way have come to an end."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many shards there are and which this process may take: one, or (-1) any."""

    shards: int = 1
    shard: int = -1
    terms: Terms = Terms()


class Shards:
    """The shards this process holds. `on_change` is told whenever one comes or goes."""

    def __init__(self, cluster: Cluster, clock: Clock, share: Share, *, namespace: str, identity: str) -> None:
        self._share = share
        self._clock = clock
        wanted = [share.shard] if share.shard >= 0 else list(range(share.shards))
        self._leases = {
            shard: Lease(
                cluster,
                clock,
                namespace=namespace,
                name=LEASE_NAME.format(shard),
                identity=identity,
                terms=share.terms,
            )
            for shard in wanted
        }
        self._held: set[int] = set()
        self._identity = identity
        self._turn = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self.on_change: Callable[[], None] = lambda: None

    @property
    def count(self) -> int:
        """How many there are, held by whomever."""
        return self._share.shards

    @property
    def held(self) -> frozenset[int]:
        """The shards that are ours right now."""
        return frozenset(self._held)

    async def start(self) -> None:
        """Begin to compete for shards."""
        self._tasks = [tasks.watch_over(self._compete(shard), name=f"shard {shard}") for shard in self._leases]

    async def stop(self) -> None:
        """Let go of all, at once."""
        held = sorted(self._held)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._held.clear()
        self.on_change()
        for shard in held:
            await self._leases[shard].release()

    async def _compete(self, shard: int) -> None:
        lease = self._leases[shard]
        while True:
            if shard in self._held:
                if not await lease.keep():
                    self._changed(shard, held=False)
                elif self._spares(lease):
                    await self._give(shard)
            else:
                async with self._turn:
                    # Whoever holds a shard already lets others who have none get a free one first.
                    grace = _GRACE * self._share.terms.duration if self._held else 0.0
                    if await lease.take(grace=grace):
                        self._changed(shard, held=True)
                    elif self._wants(lease):
                        await lease.ask()
            await self._clock.sleep(self._share.terms.pause)

    def _spares(self, lease: Lease) -> bool:
        """Whether another process asks for a shard of ours, and it is not our last."""
        return lease.wanted_by not in ("", self._identity) and len(self._held) > 1

    def _wants(self, lease: Lease) -> bool:
        """Whether the holder of a shard has so many more than we that one of them should be ours."""
        others = [other for shard, other in self._leases.items() if shard not in self._held]
        asked = any(other.wanted_by == self._identity for other in others)
        theirs = sum(other.holder == lease.holder for other in others)
        return bool(lease.holder) and not asked and theirs >= len(self._held) + 2

    async def _give(self, shard: int) -> None:
        """Stop working on a shard, then let go of it for the process that asked."""
        self._changed(shard, held=False)
        await self._clock.sleep(_PARTING)
        await self._leases[shard].release()

    def _changed(self, shard: int, *, held: bool) -> None:
        if held:
            self._held.add(shard)
        else:
            self._held.discard(shard)
        self.on_change()
