"""`syncline sandbox`: serves the embedded Kubernetes and writes a kubeconfig for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from syncline.cli.options import PORT


@click.command()
@click.option("--port", type=PORT, default=0, help="Port on the loopback address (0: any free one).")
@click.option(
    "--write-kubeconfig",
    "path",
    type=click.Path(path_type=Path),
    default=Path("syncline-sandbox.kubeconfig"),
    show_default=True,
    help="Where to write the kubeconfig.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    default="",
    help="Folder that keeps the cluster between runs; without it everything is in memory.",
)
def sandbox(port: int, path: Path, data: str) -> int:
    """Serve the embedded Kubernetes and write a kubeconfig for it."""
    return asyncio.run(_serve(port, path, data))


async def _serve(port: int, path: Path, data: str) -> int:
    from syncline import wiring
    from syncline.cli.running import until_stopped

    async with wiring.serving(wiring.kept_sandbox(data), path, port=port) as address:
        click.echo(f"Kubernetes API at {address}\n  export KUBECONFIG={path.resolve()}\n  kubectl get pods -A")
        await until_stopped()
    return 130
