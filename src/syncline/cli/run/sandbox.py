"""`syncline sandbox`: serves the embedded Kubernetes and writes a kubeconfig for it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import click

from syncline.cli.options import PORT
from syncline.cli.show import terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxFlags:
    """What the command line asked for."""

    port: int
    path: Path
    data: str
    controls: Path | None
    cluster: Path | None
    operators: str
    plain: bool


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
@click.option(
    "--controls",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file with faults, admission rules, denials and a timeline (see docs/internals/sandbox.md).",
)
@click.option(
    "--cluster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Cluster file: nodes, storage classes, images, operators and more (`syncline facts` writes one).",
)
@click.option("--operators", default="", help="Operators to install, separated by commas (cert-manager,istio).")
@click.option("--plain", is_flag=True, help="Serve without TLS; the token is then part of the server's address.")
@click.pass_context
def sandbox(context: click.Context, /, **_options: object) -> int:
    """Serve the embedded Kubernetes and write a kubeconfig for it."""
    return asyncio.run(_serve(SandboxFlags(**context.params)))


async def _serve(wanted: SandboxFlags) -> int:
    from syncline import wiring
    from syncline.cli.run.signals import until_stopped

    operators = [name.strip() for name in wanted.operators.split(",") if name.strip()]
    served = wiring.described_sandbox(data=wanted.data, cluster=wanted.cluster, operators=operators)
    if wanted.controls is not None:
        wiring.control(served, wanted.controls)
    async with wiring.serving(served, wanted.path, port=wanted.port, tls=not wanted.plain) as address:
        terminal.echo(
            f"Kubernetes API at {address}\n  export KUBECONFIG={wanted.path.resolve()}\n  kubectl get pods -A"
        )
        await until_stopped()
    return 130
