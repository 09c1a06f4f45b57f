"""`syncline controller`: continuous delivery without a page, for running inside a cluster; several share the work."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.choice import Choice
from syncline.cli.options import PORT, cluster_options, customizations_option, customized
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.controller.runtime.shards import Share
    from syncline.model.settings.settings import Settings


@click.command()
@cluster_options
@click.option(
    "--namespace", "namespace", default="", help="Namespace that holds the Applications (same as --app-namespace)."
)
@click.option("--shards", type=click.IntRange(min=1), default=None, help="How many controllers share the clusters.")
@click.option(
    "--shard", type=click.IntRange(min=0), default=None, help="Claim only this shard instead of any free one."
)
@click.option("--identity", default="", help="Name of this process in Leases (default: host name and a random suffix).")
@customizations_option
@click.option("--metrics-port", type=PORT, default=None, help="Port to serve /metrics and /healthz on (default: none).")
@click.option("--metrics-address", default="127.0.0.1", show_default=True, help="Address to serve them on.")
@click.option("--observe", is_flag=True, help="Only read, and compare verdicts with those Argo CD recorded.")
@click.option(
    "--log-format",
    type=Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Format of the progress output.",
)
def controller(
    kubeconfig: str,
    context: str,
    app_namespace: str,
    namespace: str,
    shards: int | None,
    shard: int | None,
    identity: str,
    customizations: Path | None,
    metrics_port: int | None,
    metrics_address: str,
    log_format: str,
    *,
    observe: bool,
) -> int:
    """Run only the controller: no web page, no sandbox; one Lease per shard elects a leader.

    If Argo CD's application controller is running, it only observes, except for Applications that were taken over.
    """
    wanted = ControllerFlags(
        kubeconfig=kubeconfig,
        context=context,
        namespace=namespace or app_namespace,
        shards=shards,
        shard=shard,
        identity=identity,
        customizations=customizations,
        log_format=log_format,
        metrics=None if metrics_port is None else (metrics_address, metrics_port),
        observe=observe,
    )
    return asyncio.run(_run(wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerFlags:
    """What the operator asked for; shards that are not said come from the settings."""

    kubeconfig: str
    context: str
    namespace: str
    shards: int | None
    shard: int | None
    identity: str
    customizations: Path | None
    log_format: str
    metrics: tuple[str, int] | None
    observe: bool


async def _run(wanted: ControllerFlags) -> int:
    from syncline import wiring
    from syncline.cli.run.session import Session, SessionOptions, show_json, show_text
    from syncline.cli.run.starting import until_answered
    from syncline.cli.show.story import JsonLines, Story
    from syncline.controller.clusters.home import read_home_limits
    from syncline.controller.coexistence.ownership import OwnershipMode, find_rival
    from syncline.controller.settings import read_settings
    from syncline.server.app import Listening

    async with wiring.connected(kubeconfig=wanted.kubeconfig, context=wanted.context) as (cluster, words):
        terminal.echo(words, err=True)
        report = await until_answered(lambda: read_settings(cluster, wanted.namespace))
        for problem in report.problems:
            terminal.echo(f"{problem.home}: {problem.message}", err=True)
        overlay = customized(wanted.customizations)
        settings = overlay(report.settings)
        limits = await until_answered(lambda: read_home_limits(cluster, wanted.namespace))
        rival = await until_answered(lambda: find_rival(cluster, wanted.namespace))
        observing = wanted.observe or rival is not None
        if rival is not None:
            terminal.echo(
                f"observing, nothing is written: Argo CD's application controller runs here ({rival})", err=True
            )
        share = _share(wanted, settings)
        # Whoever only reads needs no Lease, and must not write one.
        part = None if observing else wiring.shards(
            cluster, share, namespace=wanted.namespace, identity=wanted.identity
        )  # fmt: skip
        manner = SessionOptions(
            overlay=overlay,
            mode=OwnershipMode.OBSERVE if observing else OwnershipMode.ACT,
            sink=JsonLines() if wanted.log_format == "json" else Story(),
            shards=part,
            for_others=True,
            home_limits=limits,
            metrics=None if wanted.metrics is None else Listening(address=wanted.metrics[0], port=wanted.metrics[1]),
        )
        session = Session(cluster, settings, manner)
        async with session.running():
            if observing:
                return await session.look_on(show_json if wanted.log_format == "json" else show_text, once=False)
            return await session.follow(once=False)


def _share(wanted: ControllerFlags, settings: Settings) -> Share:
    from syncline.controller.runtime.shards import Share

    said = settings.sharding
    count = wanted.shards or max(said.replicas, 1)
    shard = said.shard if wanted.shard is None else wanted.shard
    if shard >= count:
        raise click.BadParameter(
            f"shard {shard} does not exist: there are {count}, counted from 0", param_hint="--shard"
        )
    return Share(shards=count, shard=shard)
