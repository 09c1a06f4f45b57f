"""`syncline up`: continuous delivery, to the embedded Kubernetes or to a real cluster."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.options import PORT, cluster_options

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.model.settings import Settings
    from syncline.ports.kube import Cluster


@click.command()
@cluster_options
@click.option(
    "--sandbox",
    "sandboxed",
    is_flag=True,
    help="Use the embedded Kubernetes (the default without --context and --kubeconfig).",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path(".syncline"),
    show_default=True,
    help="Folder for the sandbox's kubeconfig.",
)
@click.option(
    "--apps",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="File or folder with Applications to create first.",
)
@click.option(
    "--local-repos",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    multiple=True,
    help="Folder on this machine below which Applications may name repositories by path.",
)
@click.option(
    "--refresh",
    type=click.FloatRange(min=0.1),
    default=120.0,
    show_default=True,
    help="Seconds between looks at each repository.",
)
@click.option("--port", type=PORT, default=0, help="Port of the web page on the loopback address (0: any free one).")
@click.option("--once", is_flag=True, help="Stop as soon as everything is Synced and Healthy.")
@click.option("--yes", is_flag=True, help="Do not ask before installing what is missing in a real cluster.")
def up(
    kubeconfig: str,
    context: str,
    app_namespace: str,
    data: Path,
    apps: tuple[Path, ...],
    local_repos: tuple[str, ...],
    refresh: float,
    port: int,
    *,
    sandboxed: bool,
    once: bool,
    yes: bool,
) -> int:
    """Deliver continuously, to the embedded Kubernetes or to a real cluster."""
    from syncline.model.settings import Settings

    real = (kubeconfig or context) and not sandboxed
    settings = Settings(namespace=app_namespace, refresh_interval=refresh, refresh_jitter=refresh / 2)
    chosen = _real(kubeconfig, context) if real else _sandbox(data / "kubeconfig")
    return asyncio.run(_up(chosen, settings, apps, local_repos, port, ask=bool(real) and not yes, once=once))


@asynccontextmanager
async def _real(kubeconfig: str, context: str) -> AsyncIterator[tuple[Cluster, str]]:
    from syncline import wiring

    async with wiring.connected(kubeconfig=kubeconfig, context=context) as found:
        yield found


@asynccontextmanager
async def _sandbox(kubeconfig: Path) -> AsyncIterator[tuple[Cluster, str]]:
    from syncline import wiring

    sandbox = wiring.sandbox()
    async with wiring.serving(sandbox, kubeconfig) as address:
        yield (
            wiring.client(sandbox.transport(user="syncline")),
            f"sandbox at {address}, KUBECONFIG={kubeconfig.resolve()}",
        )


async def _up(
    chosen: AbstractAsyncContextManager[tuple[Cluster, str]],
    settings: Settings,
    apps: tuple[Path, ...],
    local_repos: tuple[str, ...],
    port: int,
    *,
    ask: bool,
    once: bool,
) -> int:
    from syncline.cli.guard import refuse_beside_argocd
    from syncline.cli.install import create, missing
    from syncline.cli.session import Session

    objects = read_applications(apps, settings.namespace)
    async with chosen as (cluster, words):
        click.echo(words)
        await refuse_beside_argocd(cluster, settings.namespace)
        lacking = await missing(cluster, settings.namespace)
        if lacking and ask:
            _confirm(words, lacking)
        await create(cluster, [*lacking, *objects])
        session = Session(cluster, settings, local_repos)
        async with session.running(port) as page:
            click.echo(f"web page {page}")
            return await session.follow(once=once)


def _confirm(words: str, lacking: list[Object]) -> None:
    """Ask before a real cluster is changed; nobody at the keyboard means no."""
    from syncline.model.errors import NeedsUser

    listed = ", ".join(f"{obj['kind']}/{obj['metadata']['name']}" for obj in lacking)
    question = f"{words} lacks {len(lacking)} objects that Syncline needs: {listed}. Create them?"
    try:
        agreed = click.confirm(question, err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo(err=True)
        agreed = False
    if not agreed:
        raise NeedsUser("nothing was created, so nothing can be delivered", hint="agree, or say --yes beforehand")


def read_applications(paths: tuple[Path, ...], namespace: str) -> list[Object]:
    """Return the objects of files or folders of YAML; those without a namespace get the control plane's."""
    from syncline.apimachinery import yaml
    from syncline.model.errors import NeedsUser, Place

    files = [file for path in paths for file in (sorted(path.rglob("*.y*ml")) if path.is_dir() else [path])]
    objects = []
    for file in files:
        for document in yaml.load_documents(file.read_bytes(), source=str(file)):
            obj = document.value
            if not isinstance(obj, dict) or not obj.get("kind") or not (obj.get("metadata") or {}).get("name"):
                raise NeedsUser("this document is no Kubernetes object", place=Place(str(file), document.line))
            metadata = {"namespace": namespace, **obj["metadata"]} if _ours(obj) else obj["metadata"]
            objects.append({**obj, "metadata": metadata})
    return objects


def _ours(obj: Object) -> bool:
    return str(obj.get("apiVersion") or "").startswith("argoproj.io/")
