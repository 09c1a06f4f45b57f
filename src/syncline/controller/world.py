"""Everything the loop reaches the outside through, in one bundle.

Built by `syncline.wiring` and handed to every part of the controller; tests build one from fakes.
"""

from __future__ import annotations

from dataclasses import dataclass

from syncline.apimachinery.times import format_time
from syncline.controller.clusters.home import HomeLimits
from syncline.model.settings.settings import Settings
from syncline.ports.clock import Chance, Clock, Ids
from syncline.ports.evaluate import Evaluator
from syncline.ports.kube import Cluster, Connector
from syncline.ports.notify import Messenger
from syncline.ports.render import Renderer
from syncline.ports.sink import Sink
from syncline.ports.source import FullCharts, FullSource
from syncline.ports.store import Store
from syncline.ports.web import Web


@dataclass(slots=True)
class World:
    """The ports of one controller. `home` is the cluster that holds the Applications.

    `settings` alone changes while it runs: `syncline.controller.controller` puts the new ones here, so read them where
    they are used. Without a `connector` the home cluster is the only destination; without a `store`
    renders are kept in memory alone.
    """

    home: Cluster
    source: FullSource
    renderer: Renderer
    evaluator: Evaluator
    clock: Clock
    ids: Ids
    chance: Chance
    sink: Sink
    settings: Settings
    charts: FullCharts | None = None
    store: Store | None = None
    connector: Connector | None = None
    web: Web | None = None
    messenger: Messenger | None = None
    """Without one nobody is told."""
    home_limits: HomeLimits | None = None
    """How much of the home cluster is seen, as it was read at the start; None where nobody asked, and all of it is."""

    def now(self) -> str:
        """Return the wall time as Kubernetes writes it."""
        return format_time(self.clock.now())
