"""`syncline sandbox`: serves the embedded Kubernetes and writes a kubeconfig for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from syncline.cli.options import PORT
from syncline.cli.run.sandbox_options import SandboxOptions, sandbox_options
from syncline.cli.show import terminal


@click.command()
@click.option("--port", type=PORT, default=0, help="Port on the loopback address (0: that of --data, or any free one).")
@click.option(
    "--write-kubeconfig",
    "path",
    type=click.Path(path_type=Path),
    default=Path("syncline-sandbox.kubeconfig"),
    show_default=True,
    help="Where to write the kubeconfig.",
)
@sandbox_options
@click.option("--plain", is_flag=True, help="Serve without TLS; the token is then part of the server's address.")
def sandbox(options: SandboxOptions, port: int, path: Path, *, plain: bool) -> int:
    """Serve the embedded Kubernetes and write a kubeconfig for it."""
    return asyncio.run(_serve(options, port, path, plain=plain))


async def _serve(options: SandboxOptions, port: int, path: Path, *, plain: bool) -> int:
    from syncline import wiring
    from syncline.cli.run.signals import until_stopped

    served = options.build(options.data)
    async with wiring.serving(served, path, port=port, tls=not plain, home=options.data) as address:
        terminal.echo(f"Kubernetes API at {address}\n  export KUBECONFIG={path.resolve()}\n  kubectl get pods -A")
        await until_stopped()
    return 130
