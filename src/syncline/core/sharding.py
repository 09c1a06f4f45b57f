"""Which of several controllers looks after a cluster.

Asked by `syncline.controller.clusters.dealing`. The home cluster is of shard 0, a number in a Secret wins where there
is such a shard, and everything else is dealt out by the algorithm of the settings, the same in every controller. With
consistent hashing no shard gets more than a quarter above its share of the Applications, if that can be avoided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from syncline.model import names
from syncline.model.cluster import KnownCluster
from syncline.model.settings.parts import ShardingAlgorithm

_OFFSET, _PRIME = 0x811C9DC5, 0x01000193
_MOST = 1.25
"""A shard may carry so many times its share."""


def weights(applications: Mapping[str, int]) -> dict[str, int]:
    """Return what each cluster weighs, by server: its Applications, rounded up to a power of two.

    Rounded, so that one Application more or less seldom moves a cluster to another controller.
    """
    return {server: 1 << max(count - 1, 0).bit_length() for server, count in applications.items()}


def deal(
    clusters: Sequence[KnownCluster],
    shards: int,
    how: ShardingAlgorithm,
    loads: Mapping[str, int] | None = None,
) -> dict[str, int]:
    """Return the shard of every cluster, by server; `loads` are weights, 1 where none is named."""
    if shards <= 1:
        return {cluster.server: 0 for cluster in clusters}
    fixed = {cluster.server: shard for cluster in clusters if (shard := _fixed(cluster, shards)) is not None}
    free = sorted((cluster for cluster in clusters if cluster.server not in fixed), key=_identity)
    match how:
        case ShardingAlgorithm.ROUND_ROBIN:
            ids = sorted(_identity(cluster) for cluster in clusters)
            return fixed | {cluster.server: ids.index(_identity(cluster)) % shards for cluster in free}
        case ShardingAlgorithm.CONSISTENT_HASHING:
            return _bounded(fixed, free, shards, loads or {})
        case _:
            return fixed | {cluster.server: _fnv(_identity(cluster)) % shards for cluster in free}


def _fixed(cluster: KnownCluster, shards: int) -> int | None:
    """Return the shard of a cluster that no algorithm decides about; None for all others."""
    if cluster.shard >= 0:
        return cluster.shard if cluster.shard < shards else 0
    return 0 if cluster.server == names.IN_CLUSTER_SERVER else None


def _bounded(
    fixed: Mapping[str, int], free: Sequence[KnownCluster], shards: int, loads: Mapping[str, int]
) -> dict[str, int]:
    """Give each cluster to the shard that wants it most among those with room for it, the heaviest first."""
    carried = [0] * shards
    for server, shard in fixed.items():
        carried[shard] += loads.get(server, 1)
    total = sum(carried) + sum(loads.get(cluster.server, 1) for cluster in free)
    room = -(-int(total * _MOST * 100) // (shards * 100))
    dealt = dict(fixed)
    for cluster in sorted(free, key=lambda item: (-loads.get(item.server, 1), _identity(item))):
        weight = loads.get(cluster.server, 1)
        wanting = sorted(range(shards), key=lambda shard: _score(_identity(cluster), shard), reverse=True)
        fitting = [shard for shard in wanting if carried[shard] + weight <= room]
        # One that fits nowhere goes where the least is.
        chosen = fitting[0] if fitting else min(wanting, key=lambda shard: carried[shard])
        carried[chosen] += weight
        dealt[cluster.server] = chosen
    return dealt


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
