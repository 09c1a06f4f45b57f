"""`syncline shadow record`: watches beside a living Argo CD, and records each change of either verdict or decision.

Nothing is written to any cluster. It can be stopped and started again: the file goes on, and the time between does
not count.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.options import Chosen, chosen_cluster, customizations_option, customized
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.cli.shadow.journal import Journal
    from syncline.controller.coexistence.observing import Report
    from syncline.model.settings.settings import Settings
    from syncline.model.shadow import RefusedObject
    from syncline.ports.kube import Cluster

    Refused = tuple[RefusedObject, ...] | None

_ALIVE = 60.0
"""Seconds between marks that say: still watching."""


@click.command()
@click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("syncline-shadow.jsonl"),
    show_default=True,
    help="File to add the records to.",
)
@click.option(
    "--local-repos",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    multiple=True,
    help="Folder on this machine below which Applications may name repositories by path.",
)
@click.option("--once", is_flag=True, help="Record every Application once, then exit.")
@customizations_option
@chosen_cluster
def record(file: Path, local_repos: tuple[str, ...], customizations: Path | None, chosen: Chosen, *, once: bool) -> int:
    """Record the verdicts and decisions of Argo CD and Syncline until you stop it; never writes to a cluster."""
    from syncline.cli.shadow.journal import Journal

    journal = Journal(file)
    try:
        return asyncio.run(_run(file, journal, local_repos, customizations, chosen, once=once))
    finally:
        journal.close()


async def _run(
    file: Path,
    journal: Journal,
    local_repos: tuple[str, ...],
    customizations: Path | None,
    chosen: Chosen,
    *,
    once: bool,
) -> int:
    from syncline import tasks
    from syncline.cli.run.session import Session, SessionOptions
    from syncline.cli.run.starting import until_answered
    from syncline.controller.coexistence.ownership import OwnershipMode
    from syncline.controller.settings import read_settings
    from syncline.model.shadow import BEGAN, ENDED

    async with chosen.connected() as (cluster, words):
        terminal.echo(f"{words}, read-only · recording to {file}", err=True)
        found = await until_answered(lambda: read_settings(cluster, chosen.namespace))
        for problem in found.problems:
            terminal.echo(f"{problem.home}: {problem.message}", err=True)
        overlay = customized(customizations)
        manner = SessionOptions(
            local_folders=local_repos,
            overlay=overlay,
            mode=OwnershipMode.OBSERVE,
            sink=_Silent(),
            for_others=True,
            on_record=journal.write,
        )
        settings = overlay(found.settings)
        session = Session(cluster, settings, manner)
        _mark(journal, BEGAN)
        refused = await _record_refusals(journal, cluster, settings, None)
        alive = tasks.start(_keep_marking(journal, cluster, settings, refused), name="marks")
        try:
            async with session.running():
                code = await session.look_on(_show, once=once)
        finally:
            alive.cancel()
            await asyncio.wait({alive})
            _mark(journal, ENDED)
    return 0 if once else code


class _Silent:
    def emit(self, event: object) -> None:
        """Say nothing: what matters is recorded."""


def _show(report: Report) -> None:
    terminal.echo(str(report).splitlines()[0], err=True)


def _mark(journal: Journal, what: str) -> None:
    from syncline import wiring
    from syncline.apimachinery.times import format_time
    from syncline.model.shadow import Mark

    journal.write(Mark(time=format_time(wiring.clock().now()), what=what))


async def _keep_marking(journal: Journal, cluster: Cluster, settings: Settings, refused: Refused) -> None:
    from syncline.model.shadow import ALIVE

    while True:
        await asyncio.sleep(_ALIVE)
        _mark(journal, ALIVE)
        refused = await _record_refusals(journal, cluster, settings, refused)


async def _record_refusals(journal: Journal, cluster: Cluster, settings: Settings, before: Refused) -> Refused:
    """Record which sets and Secrets would be refused, where that has changed; return them."""
    from syncline import wiring
    from syncline.apimachinery.times import format_time
    from syncline.model.shadow import Refusals
    from syncline.ports.kube import ApiError
    from syncline.ports.transport import TransportError
    from syncline.verbs.moving import refused_after_move

    try:
        refused = await refused_after_move(cluster, settings)
    except (ApiError, TransportError):
        # A cluster that is away is asked again with the next mark.
        return before
    if refused != before:
        journal.write(Refusals(time=format_time(wiring.clock().now()), objects=refused))
    return refused
