"""`syncline snapshot`: all that a diagnosis sees, in one file that can be passed on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.diagnose.gathering import Origin, gather, origin_options, tell_skipped
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.model.fleet import FleetSnapshot


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@origin_options
def snapshot(file: Path, origin: Origin) -> int:
    """Write everything a diagnosis sees to one file, without secrets.

    FILE is compressed unless its name ends in .jsonl. Secrets are not read; anything else that looks like a secret
    is removed.
    """
    from syncline import wiring

    gathered = asyncio.run(gather(origin))
    size = wiring.write_snapshot(file, gathered.snapshot)
    tell_skipped(gathered)
    objects = sum(len(one.objects) for one in gathered.snapshot.clusters)
    terminal.echo(
        f"{gathered.words} · {objects:,} objects read in {gathered.seconds:.1f} s, {gathered.requests} requests · "
        f"{file}, {size / 1024:,.0f} KiB"
    )
    return 1 if tell_unread(gathered.snapshot) else 0


def tell_unread(found: FleetSnapshot) -> bool:
    """Say what could not be read, on standard error; False where all was."""
    for cluster in found.clusters:
        if cluster.problem:
            terminal.echo(f"not read: cluster {cluster.name}: {cluster.problem}", err=True)
        elif cluster.unreadable:
            terminal.echo(f"not read: {', '.join(cluster.unreadable)} of {cluster.name}", err=True)
    return any(one.problem or one.unreadable for one in found.clusters)
