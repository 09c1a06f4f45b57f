"""`syncline up`: continuous delivery, to the embedded Kubernetes or to a real cluster."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
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
    default=None,
    help="Seconds between looks at each repository, instead of what argocd-cm says (120).",
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
    refresh: float | None,
    port: int,
    *,
    sandboxed: bool,
    once: bool,
    yes: bool,
) -> int:
    """Deliver continuously, to the embedded Kubernetes or to a real cluster."""
    real = (kubeconfig or context) and not sandboxed
    chosen = _real(kubeconfig, context) if real else _sandbox(data / "kubeconfig")
    wanted = Wanted(namespace=app_namespace, apps=apps, local_repos=local_repos, refresh=refresh, port=port)
    return asyncio.run(_up(chosen, wanted, ask=bool(real) and not yes, once=once))


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked `up` for."""

    namespace: str
    apps: tuple[Path, ...]
    local_repos: tuple[str, ...]
    refresh: float | None
    port: int


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
    wanted: Wanted,
    *,
    ask: bool,
    once: bool,
) -> int:
    from syncline.cli.guard import refuse_beside_argocd
    from syncline.cli.install import create, missing
    from syncline.cli.session import Session

    objects = read_applications(wanted.apps, wanted.namespace)
    async with chosen as (cluster, words):
        click.echo(words)
        await refuse_beside_argocd(cluster, wanted.namespace)
        lacking = await missing(cluster, wanted.namespace)
        if lacking and ask:
            _confirm(words, lacking)
        await create(cluster, [*lacking, *objects])
        session = Session(cluster, await _settings(cluster, wanted), wanted.local_repos)
        async with session.running(wanted.port) as page:
            click.echo(f"web page {page}")
            return await session.follow(once=once)


async def _settings(cluster: Cluster, wanted: Wanted) -> Settings:
    """Return the settings of the installation, its problems told; what the user said here wins."""
    import msgspec

    from syncline.controller.settings import read_settings

    report = await read_settings(cluster, wanted.namespace)
    for problem in report.problems:
        click.echo(f"{problem.home}: {problem.message}", err=True)
    if wanted.refresh is None:
        return report.settings
    return msgspec.structs.replace(report.settings, refresh_interval=wanted.refresh, refresh_jitter=wanted.refresh / 2)


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
