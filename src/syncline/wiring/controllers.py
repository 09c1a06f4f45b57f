"""Builds a controller with all its ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from syncline.model.settings.settings import Settings
from syncline.ports.transport import TransportError
from syncline.wiring.clusters import connector
from syncline.wiring.local_servers import reach
from syncline.wiring.machine import clock, evaluator
from syncline.wiring.sources import charts, render_store, renderer, source

if TYPE_CHECKING:
    from syncline.controller.coexistence.ownership import OwnershipMode
    from syncline.controller.controller import Controller
    from syncline.controller.runtime.shards import Shards, Share
    from syncline.controller.world import World
    from syncline.model.diagnosis import Diagnosis
    from syncline.model.fleet import FleetSnapshot
    from syncline.ports.clock import Clock
    from syncline.ports.kube import Cluster
    from syncline.ports.notify import Messenger
    from syncline.ports.sink import Sink
    from syncline.ports.source import Accessible, FullCharts
    from syncline.ports.transport import Request, Response
    from syncline.ports.web import Web


def world(
    cluster: Cluster,
    settings: Settings,
    sink: Sink,
    local_folders: Sequence[str] = (),
    copies: Mapping[str, str] | None = None,
    *,
    for_others: bool = False,
    time: Clock | None = None,
    alone: bool = False,
) -> World:
    """Return all ports of a controller; repositories in `copies` are read from these folders instead.

    `time` is the machine's where none is given. One that runs for others asks no server of its own machine because an
    Application says so: only one that the operator named in a repository Secret. One that is `alone` fetches nothing:
    it has the copies.
    """
    from syncline.adapters.asked_once import NobodyAsked
    from syncline.adapters.clock import SystemChance, SystemIds
    from syncline.adapters.git import github_app
    from syncline.adapters.nobody_asked import NoCharts
    from syncline.adapters.notify import Courier
    from syncline.adapters.web import WebReader
    from syncline.controller.world import World

    git = source([*local_folders, *(copies or {}).values()], for_others=for_others)
    fetched: FullCharts = NoCharts() if alone else charts(for_others=for_others)
    if copies or alone:
        from syncline.adapters.local_copies import LocalCopies

        git = LocalCopies(git, copies or {}, alone=alone)
    silent = NobodyAsked(time or clock()) if alone else None
    ports = World(
        home=cluster,
        source=git,
        renderer=renderer(git, fetched, settings, for_others=for_others, silent=silent),
        evaluator=evaluator(settings.jq_timeout),
        clock=time or clock(),
        ids=SystemIds(),
        chance=SystemChance(),
        sink=sink,
        settings=settings,
        charts=fetched,
        store=render_store(),
        web=WebReader(reach(for_others=for_others), github_app.installation_token),
        messenger=Courier(reach(for_others=for_others)),
    )
    ports.connector = connector(settings, now=lambda: ports.settings)
    return ports


def observer_ports(cluster: Cluster, settings: Settings, copies: Mapping[str, str] | None = None) -> World:
    """Return the ports of somebody who looks at a cluster once, from this machine, and tells nobody of progress."""
    return world(cluster, settings, _Silent(), ["/"], copies)


def web() -> Web:
    """Return the way out to web services that the person at the keyboard, or a pipeline of theirs, names."""
    from syncline.adapters.web import WebReader
    from syncline.net import urls

    return WebReader(urls.Reach(loopback=True))


def messenger() -> Messenger:
    """Return the way out for notifications of the person at the keyboard."""
    from syncline.adapters.notify import Courier

    return Courier(reach())


def server_ports(cluster: Cluster, settings: Settings, local_folders: Sequence[str]) -> World:
    """Return the ports of a server, which looks at Applications that others write: of this machine they see nothing."""
    return world(cluster, settings, _Silent(), local_folders, for_others=True)


def rendering_ports(settings: Settings, copies: Mapping[str, str]) -> World:
    """Return the ports of somebody who renders sources, and has no cluster."""
    from syncline.wiring.clusters import client

    return world(client(_Nowhere()), settings, _Silent(), ["/"], copies)


class _Nowhere:
    async def send(self, request: Request, *, timeout: float | None = None) -> Response:  # noqa: ARG002
        """Say that there is no cluster."""
        raise TransportError("no cluster is asked here")

    async def close(self) -> None:
        """Have nothing to release."""


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing."""


def controller(
    ports: World,
    *,
    overlay: Callable[[Settings], Settings] | None = None,
    mode: OwnershipMode | None = None,
    shards: Shards | None = None,
    publish: bool = True,
) -> Controller:
    """Return a controller, not started yet; a bug in one app's pass is told on standard error.

    With an overlay it follows the settings of the installation, and puts over them what the overlay says. With
    `publish` it keeps a Diagnosis of the fleet in the cluster.
    """
    from syncline.controller.coexistence.ownership import OwnershipMode
    from syncline.controller.controller import Controller

    readers: list[Accessible] = [ports.source] if ports.charts is None else [ports.source, ports.charts]
    return Controller(
        ports,
        on_failure=tell_bug,
        overlay=overlay,
        readers=readers,
        mode=mode or OwnershipMode.ACT,
        shards=shards,
        think=_diagnosed if publish else None,
    )


async def _diagnosed(snapshot: FleetSnapshot) -> Diagnosis:
    """Reason over a fleet in a thread: passes of Applications go on meanwhile."""
    import asyncio

    from syncline.core.diagnose.graph.diagnose import diagnose

    return await asyncio.to_thread(diagnose, snapshot)


def shards(cluster: Cluster, share: Share, *, namespace: str, identity: str = "") -> Shards:
    """Return a part in the work of several controllers; the identity tells this process from others."""
    import socket

    from syncline.adapters.clock import SystemIds
    from syncline.controller.runtime.shards import Shards

    who = identity or f"{socket.gethostname()}_{SystemIds().uid()}"
    return Shards(cluster, clock(), share, namespace=namespace, identity=who)


def tell_bug(what: str, error: BaseException) -> None:
    """Log a bug with its trace, without logins in addresses."""
    import logging
    import traceback

    from syncline.model.logins import without_logins

    trace = without_logins("".join(traceback.format_exception(error)))
    logging.getLogger("syncline").error("bug in %s\n%s", what, trace)
