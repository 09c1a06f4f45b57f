"""Which clusters this process looks after: those of the shards that it holds.

Made by `syncline.controller.controller` where several processes share the work; asked by
`syncline.controller.deliver.applications` before every pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncline.controller.runtime.shards import Shards
from syncline.core import sharding
from syncline.model.cluster import KnownCluster
from syncline.model.settings.parts import ShardingAlgorithm


class Dealing:
    """Deals clusters out to shards, in every process alike."""

    def __init__(self, shards: Shards, algorithm: ShardingAlgorithm) -> None:
        self._shards = shards
        self._algorithm = algorithm
        self._weights: Mapping[str, int] = {}
        self._dealt: tuple[Sequence[KnownCluster], Mapping[str, int], Mapping[str, int]] | None = None

    def owns(self, cluster: KnownCluster | None, known: Sequence[KnownCluster]) -> bool:
        """Whether a cluster is ours; what names no cluster belongs to shard 0."""
        if cluster is None:
            return 0 in self._shards.held
        return self._deal(known).get(cluster.server, 0) in self._shards.held

    @property
    def weighed(self) -> bool:
        """Whether it matters how many Applications a cluster has."""
        return self._shards.count > 1 and self._algorithm is ShardingAlgorithm.CONSISTENT_HASHING

    def weigh(self, applications: Mapping[str, int], known: Sequence[KnownCluster]) -> None:
        """Take note of how many Applications each cluster has, by server; told on where a cluster changes hands."""
        before = dict(self._deal(known))
        self._weights = sharding.weights(applications)
        if dict(self._deal(known)) != before:
            self._shards.on_change()

    def _deal(self, known: Sequence[KnownCluster]) -> Mapping[str, int]:
        """Return the shard of every cluster; worked out again only when there is something new."""
        if self._dealt is None or self._dealt[0] is not known or self._dealt[1] is not self._weights:
            dealt = sharding.deal(known, self._shards.count, self._algorithm, self._weights)
            self._dealt = (known, self._weights, dealt)
        return self._dealt[2]
