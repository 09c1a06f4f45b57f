"""`syncline diagnose --watch --listen …`: runs again and again, and serves the latest answer; for a pod.

Called by `syncline.cli.diagnose.command`. It survives API errors: what could not be read is on standard error, in
/healthz and in the age of the last answer. Reasoning runs in a thread, so that probes are answered meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

from syncline import tasks
from syncline.cli.diagnose.gathering import Gathered
from syncline.cli.diagnose.watching import changes
from syncline.cli.run.signals import until_stopped
from syncline.cli.show import terminal
from syncline.cli.show.diagnosis import data, page
from syncline.cli.show.diagnosis.report import Report
from syncline.model.errors import SynclineError
from syncline.model.logins import without_logins
from syncline.ports.clock import Clock
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError
from syncline.server.app import Listening
from syncline.server.metering.watched import Answer, Watched, serving_answers, serving_figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """Where to serve: the answer on loopback, figures on another address; None for not at all."""

    answers: int | None
    figures: Listening | None


class ServedRuns:
    """Runs a diagnosis again and again, and hands each answer to what serves it."""

    def __init__(
        self,
        gather: Callable[[], Awaitable[Gathered]],
        reason: Callable[[Gathered], Report],
        clock: Clock,
        every: float,
    ) -> None:
        self._gather = gather
        self._reason = reason
        self._clock = clock
        self._every = every
        self.watched = Watched(clock.monotonic, every)
        self._before: Report | None = None

    async def serve(self, where: Serving) -> int:
        """Serve until the program is stopped."""
        async with AsyncExitStack() as stack:
            if where.figures is not None:
                address = await stack.enter_async_context(serving_figures(self.watched, where.figures))
                terminal.echo(f"metrics at {address}/metrics", err=True)
            if where.answers is not None:
                address = await stack.enter_async_context(serving_answers(self.watched, where.answers))
                terminal.echo(f"answers at {address}/ and {address}/diagnosis.json", err=True)
            runs = tasks.start(self._keep_running(), name="diagnose")
            stopped = tasks.start(until_stopped(), name="until stopped")
            await asyncio.wait({runs, stopped}, return_when=asyncio.FIRST_COMPLETED)
            for task in (runs, stopped):
                task.cancel()
            results = await asyncio.gather(runs, stopped, return_exceptions=True)
            if isinstance(results[0], Exception):
                raise results[0]
        return 130

    async def _keep_running(self) -> None:
        while True:
            await self.run_once()
            await self._clock.sleep(self._every)

    async def run_once(self) -> None:
        """Diagnose once; an error is noted and does not end the program."""
        try:
            report = await self._looked()
        except (ApiError, TransportError, SynclineError) as error:
            self._fail(without_logins(str(error)))
            return
        if not report.diagnosis.objects:
            unread = ", ".join(report.diagnosis.unread)
            self._fail(f"nothing could be read{f': {unread}' if unread else ''}")
            return
        self.watched.succeeded(Answer(report.diagnosis, page.page(report), data.as_json(report)))
        for line in changes(None if self._before is None else self._before.diagnosis, report):
            terminal.echo(f"{report.now:%H:%M:%S}  {line}")
        self._before = report

    async def _looked(self) -> Report:
        gathered = await self._gather()
        return await asyncio.to_thread(self._reason, gathered)

    def _fail(self, sentence: str) -> None:
        if sentence != self.watched.trouble:
            terminal.echo(f"not read, retried: {sentence}", err=True)
        self.watched.failed(sentence)
