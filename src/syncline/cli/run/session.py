"""A controller running for a person or for an operator: with a web page for `demo` and `up`, alone for `controller`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from syncline import __version__, tasks, wiring
from syncline.api import collecting
from syncline.apimachinery.keys import Object
from syncline.cli.run.all_good import until_good
from syncline.cli.run.signals import until_stopped
from syncline.cli.show import terminal
from syncline.cli.show.live_view import LiveView
from syncline.cli.show.story import Story
from syncline.controller.app_key import APPLICATION
from syncline.controller.coexistence.ownership import OwnershipMode
from syncline.model.settings.settings import Settings
from syncline.model.shadow import Record
from syncline.ports.kube import Cluster
from syncline.server.metering.counting import CountingSink

if TYPE_CHECKING:
    from syncline.controller.clusters.home import HomeLimits
    from syncline.controller.coexistence.observing import Report
    from syncline.controller.runtime.shards import Shards
    from syncline.ports.sink import Sink
    from syncline.server.app import Listening, Served

_REPORT_PAUSE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How a controller runs. With an `overlay` it follows the settings of the installation."""

    local_folders: Sequence[str] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    overlay: Callable[[Settings], Settings] | None = None
    mode: OwnershipMode = OwnershipMode.ACT
    sink: Sink | None = None
    """Where progress goes; None shows it to whoever started the program."""
    shards: Shards | None = None
    for_others: bool = False
    """Whether Applications are written by others than whoever started it."""
    on_record: Callable[[Record], None] | None = None
    """Told each time that a verdict or decision on an Application changes which is only observed."""
    metrics: Listening | None = None
    """Where figures are served beside the controller, for a Prometheus; None: nowhere."""
    home_limits: HomeLimits | None = None
    """How much of the home cluster is followed; None: all of it."""
    on_change: Callable[[Object], None] | None = None
    """Shown every object that changes."""


class Session:
    """Runs until it is stopped."""

    def __init__(self, cluster: Cluster, settings: Settings, manner: SessionOptions) -> None:
        self._view = LiveView(self._apps) if manner.sink is None and terminal.size() else None
        sink = self._counted = CountingSink(manner.sink or self._view or Story())
        self._metrics = manner.metrics
        self._ports = wiring.world(
            cluster, settings, sink, manner.local_folders, manner.copies, for_others=manner.for_others
        )
        self._ports.home_limits = manner.home_limits
        self._controller = wiring.controller(
            self._ports, overlay=manner.overlay, mode=manner.mode, shards=manner.shards
        )
        if manner.on_record is not None:
            self._controller.applications.record_to(manner.on_record)
        if manner.on_change is not None:
            self._controller.live.listeners.append(manner.on_change)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Run the controller for as long as the block lasts."""
        if trouble := wiring.cache_trouble():
            terminal.echo(trouble, err=True)
        await self._controller.start()
        try:
            async with AsyncExitStack() as stack:
                stack.enter_context(collecting.seldom(collecting.FOR_MONTHS))
                if self._metrics is not None:
                    from syncline.server.metering.scraping import scraped

                    served = scraped(self._controller, self._counted, __version__, self._metrics)
                    terminal.echo(f"metrics at {await stack.enter_async_context(served)}/metrics", err=True)
                yield
        finally:
            await self._controller.stop()
            await self._ports.evaluator.close()

    @asynccontextmanager
    async def served(self, port: int, *, may_write: bool = True) -> AsyncIterator[Served]:
        """Run the controller and the web server; what sessions need is made, where something may be written."""
        from syncline.api.serving import server_tools
        from syncline.server.access.bootstrap import ensure_keys
        from syncline.server.app import Listening, serving

        tools, ports = server_tools(__version__), self._ports
        if may_write:
            await ensure_keys(ports.home, ports.settings.namespace, tools.passwords, tools.secrets, ports.clock)
        async with (
            self.running(),
            serving(ports, self._controller.live, tools, Listening(port=port)) as served,
        ):
            yield served

    async def follow(self, *, once: bool, when_good: Callable[[], None] | None = None) -> int:
        """Wait for the user to stop, or with `once` for everything to be Synced and Healthy.

        Without `once`, `when_good` is called the first time that everything is.
        """
        drawing = tasks.start(self._view.keep_drawing(), name="overview") if self._view else None
        try:
            if once:
                return await _first(until_good(self._controller.live), 0)
            return await _first(self._stay(when_good), 130)
        finally:
            if drawing:
                drawing.cancel()
                await asyncio.wait({drawing})

    async def _stay(self, when_good: Callable[[], None] | None) -> None:
        if when_good is not None:
            await until_good(self._controller.live)
            if self._view:
                self._view.clear()
            when_good()
        await asyncio.Event().wait()

    async def look_on(self, show: Callable[[Report], None], *, once: bool) -> int:
        """Show how verdicts compare with Argo CD's, again when that changes; with `once` one time, 1 if any differ."""
        if once:
            await _first(self._observed(), 0)
            report = self._controller.report()
            show(report)
            return 0 if report.equal == report.apps else 1
        return await _first(self._keep_showing(show), 130)

    async def _observed(self) -> None:
        await self._controller.live.ready()
        while not self._controller.observed():  # noqa: ASYNC110 - seldom, and for a moment
            await asyncio.sleep(0.1)

    async def _keep_showing(self, show: Callable[[Report], None]) -> None:
        await self._observed()
        shown = None
        while True:
            report = self._controller.report()
            if report != shown:
                show(report)
                shown = report
            await asyncio.sleep(_REPORT_PAUSE)

    def _apps(self) -> list[Object]:
        return list(self._controller.live.index.of_kind(APPLICATION))


async def _first(work: Coroutine[Any, Any, None], code: int) -> int:
    """Run until the work is done (`code`) or the user stops it (130)."""
    stopped = tasks.start(until_stopped(), name="until stopped")
    done = tasks.start(work, name="work")
    await asyncio.wait({stopped, done}, return_when=asyncio.FIRST_COMPLETED)
    finished = done.done()
    for task in (stopped, done):
        task.cancel()
    await asyncio.gather(stopped, done, return_exceptions=True)
    if finished and not done.cancelled() and (error := done.exception()):
        raise error
    return code if finished else 130


def show_text(report: Report) -> None:
    """Print a report for people."""
    terminal.echo(str(report))


def show_json(report: Report) -> None:
    """Print a report for programs, on one line."""
    import msgspec

    terminal.echo_data(msgspec.json.encode(report).decode())
