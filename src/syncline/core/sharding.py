"""Which of several controllers looks after a cluster.

Asked by `syncline.controller.shards`. The home cluster is of shard 0, a number in a Secret wins where there is such a
shard, and everything else is dealt out by the algorithm of the settings, the same in every controller.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from syncline.model import names
from syncline.model.cluster import KnownCluster
from syncline.model.settings_parts import ShardingAlgorithm

_OFFSET, _PRIME = 0x811C9DC5, 0x01000193


def shard_of(cluster: KnownCluster, all_clusters: Sequence[KnownCluster], shards: int, how: ShardingAlgorithm) -> int:
    """Return the shard a cluster belongs to."""
    if shards <= 1:
        return 0
    if cluster.shard >= 0:
        return cluster.shard if cluster.shard < shards else 0
    if cluster.server == names.IN_CLUSTER_SERVER:
        return 0
    match how:
        case ShardingAlgorithm.ROUND_ROBIN:
            ids = sorted(_identity(item) for item in all_clusters)
            return ids.index(_identity(cluster)) % shards if _identity(cluster) in ids else 0
        case ShardingAlgorithm.CONSISTENT_HASHING:
            return max(range(shards), key=lambda shard: _score(_identity(cluster), shard))
        case _:
            return _fnv(_identity(cluster)) % shards


def _identity(cluster: KnownCluster) -> str:
    return cluster.uid or cluster.server


def _score(identity: str, shard: int) -> str:
    """Return how much a shard wants a cluster: a new shard only takes what it wants most, the rest stays put."""
    return hashlib.sha256(f"{shard}/{identity}".encode()).hexdigest()


def _fnv(text: str) -> int:
    value = _OFFSET
    for byte in text.encode():
        value = (value ^ byte) * _PRIME & 0xFFFFFFFF
    return value
