"""Everything the loop reaches the outside through, in one bundle.

Built by `syncline.wiring` and handed to every part of the controller; tests build one from fakes.
"""

from __future__ import annotations

from dataclasses import dataclass

from syncline.apimachinery.times import format_time
from syncline.model.settings import Settings
from syncline.ports.clock import Chance, Clock, Ids
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import Cluster, Clusters
from syncline.ports.render import Renderer
from syncline.ports.sink import Sink
from syncline.ports.source import Source


@dataclass(frozen=True, slots=True)
class World:
    """The ports of one controller. `home` is the cluster that holds the Applications."""

    home: Cluster
    clusters: Clusters
    source: Source
    renderer: Renderer
    evaluator: Evaluator
    clock: Clock
    ids: Ids
    chance: Chance
    sink: Sink
    settings: Settings

    def now(self) -> str:
        """Return the wall time as Kubernetes writes it."""
        return format_time(self.clock.now())
