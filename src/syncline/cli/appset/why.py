"""`syncline appset why`: what keeps an ApplicationSet from being up to date, on one screen."""

from __future__ import annotations

import asyncio

import click

from syncline.cli.appset.naming import set_key
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.show import terminal
from syncline.verbs.applicationsets import explain, read_set


@click.command()
@click.argument("name")
@chosen_cluster
def why(name: str, chosen: Chosen) -> int:
    """Explain why an ApplicationSet is not up to date: exit code 1 if it is not."""
    return asyncio.run(tell(name, chosen))


async def tell(name: str, chosen: Chosen) -> int:
    """Print what keeps an ApplicationSet from being up to date; also for `syncline why appset/NAME`."""
    async with chosen.connected() as (cluster, words):
        stored = await read_set(cluster, set_key(chosen, name))
    terminal.echo(f"{words}, read-only", err=True)
    lines = explain(stored)
    for line in lines:
        terminal.echo(line)
    return 0 if len(lines) == 1 else 1
