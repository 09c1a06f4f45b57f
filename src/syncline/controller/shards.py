"""Which clusters this controller looks after, where several share the work: one Lease per shard.

Made by `syncline.wiring` for `syncline controller`; asked by `syncline.controller.controller` before every pass. A
process that holds a shard already lets others go first for the next one, so shards spread out while there are enough
processes, and none is left alone when there are not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from syncline.controller.lease import Lease, Terms
from syncline.core import sharding
from syncline.model.cluster import KnownCluster
from syncline.model.settings_parts import ShardingAlgorithm
from syncline.ports.clock import Clock
from syncline.ports.kube import Cluster

LEASE_NAME = "syncline-controller-shard-{}"
_GRACE = 2
"""For how many durations of a Lease a free shard is left to processes that hold none."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many shards there are and which this process may take: one, or (-1) any."""

    shards: int = 1
    shard: int = -1
    algorithm: ShardingAlgorithm = ShardingAlgorithm.LEGACY
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
        self._turn = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self.on_change: Callable[[], None] = lambda: None

    @property
    def held(self) -> frozenset[int]:
        """The shards that are ours right now."""
        return frozenset(self._held)

    def owns(self, cluster: KnownCluster | None, known: Sequence[KnownCluster]) -> bool:
        """Whether a cluster is ours; apps that name no cluster belong to shard 0."""
        if cluster is None:
            return 0 in self._held
        return sharding.shard_of(cluster, known, self._share.shards, self._share.algorithm) in self._held

    async def start(self) -> None:
        """Begin to compete for shards."""
        self._tasks = [asyncio.create_task(self._compete(shard), name=f"shard {shard}") for shard in self._leases]

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
            else:
                async with self._turn:
                    # Whoever holds a shard already lets others who have none get a free one first.
                    grace = _GRACE * self._share.terms.duration if self._held else 0.0
                    if await lease.take(grace=grace):
                        self._changed(shard, held=True)
            await self._clock.sleep(self._share.terms.pause)

    def _changed(self, shard: int, *, held: bool) -> None:
        if held:
            self._held.add(shard)
        else:
            self._held.discard(shard)
        self.on_change()
