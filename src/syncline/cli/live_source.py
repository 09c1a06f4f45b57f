"""Where whole live objects are read from, to compare renders with: a context of the kubeconfig, or a dump.

Used by `syncline.cli.preview` and `syncline.cli.parity`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from syncline.api.preview_live import LiveReader
    from syncline.apimachinery.keys import GroupKind
    from syncline.model.live_objects import LiveObjects

_RATE = 40.0


def live_reader(files: Path | None, kubeconfig: str, context: str) -> LiveReader | None:
    """Return what reads live objects; None where nobody asked for any."""
    if files is not None and (context or kubeconfig):
        raise click.UsageError("--from and --context are two sources: name one of them")
    if files is not None:
        return _of_files(files)
    return _of_cluster(kubeconfig, context) if context or kubeconfig else None


def _of_files(files: Path) -> LiveReader:
    async def read(kinds: frozenset[GroupKind]) -> LiveObjects:
        from syncline import wiring

        return wiring.live_from(files, kinds)

    return read


def _of_cluster(kubeconfig: str, context: str) -> LiveReader:
    async def read(kinds: frozenset[GroupKind]) -> LiveObjects:
        from syncline import wiring
        from syncline.apimachinery import times
        from syncline.verbs.live_objects import read_live

        server = wiring.endpoint(kubeconfig=kubeconfig, context=context).server
        as_of = times.format_time(wiring.clock().now())
        async with wiring.connected(kubeconfig=kubeconfig, context=context, rate=_RATE) as (cluster, words):
            return await read_live(cluster, kinds, words, server, as_of)

    return read
