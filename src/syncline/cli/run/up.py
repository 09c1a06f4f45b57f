"""`syncline up`: continuous delivery, to the embedded Kubernetes or to a real cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.apimachinery import meta
from syncline.cli.options import PORT, cluster_options, customizations_option, customized, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.model.settings.settings import Settings
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
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Folder that keeps the sandbox's objects and its kubeconfig (else they are in memory, and in .syncline).",
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
    "--repo",
    "copies",
    metavar="URL=PATH",
    multiple=True,
    help="Read a repository from a copy on this machine instead.",
)
@click.option(
    "--refresh",
    type=click.FloatRange(min=0.1),
    default=None,
    help="Seconds between looks at each repository, instead of what argocd-cm says (120).",
)
@customizations_option
@click.option("--port", type=PORT, default=0, help="Port of the web page on the loopback address (0: any free one).")
@click.option("--once", is_flag=True, help="Stop as soon as everything is Synced and Healthy, or was observed.")
@click.option("--yes", is_flag=True, help="Do not ask before a real cluster is changed.")
@click.option("--observe", is_flag=True, help="Only read, and compare verdicts with those Argo CD recorded.")
@click.option(
    "--take-over",
    metavar="[APP]",
    is_flag=False,
    flag_value="*",
    multiple=True,
    help="Take an Application over from Argo CD, which skips it from then on; without a name, all of them.",
)
@click.option(
    "--hand-back",
    metavar="[APP]",
    is_flag=False,
    flag_value="*",
    multiple=True,
    help="Give an Application back to Argo CD and stop; without a name, all that were taken over.",
)
@output_option("text", "json")
def up(
    kubeconfig: str,
    context: str,
    app_namespace: str,
    data: Path | None,
    apps: tuple[Path, ...],
    local_repos: tuple[str, ...],
    copies: tuple[str, ...],
    refresh: float | None,
    customizations: Path | None,
    port: int,
    take_over: tuple[str, ...],
    hand_back: tuple[str, ...],
    output: str,
    *,
    sandboxed: bool,
    once: bool,
    yes: bool,
    observe: bool,
) -> int:
    """Deliver continuously, to the embedded Kubernetes or to a real cluster.

    Where Argo CD's application controller is alive, nothing is written: verdicts are compared with its own, and
    Applications change hands one by one with --take-over and --hand-back.
    """
    if take_over and hand_back:
        raise click.UsageError("--take-over and --hand-back are opposites: give one of them")
    real = (kubeconfig or context) and not sandboxed
    chosen = _real(kubeconfig, context) if real else _sandbox(data)
    wanted = UpFlags(
        namespace=app_namespace,
        apps=apps,
        local_repos=local_repos,
        copies=_copies(copies),
        refresh=refresh,
        customized=customized(customizations),
        port=port,
        take_over=take_over,
        hand_back=hand_back,
        output=output,
        ask=bool(real) and not yes,
        once=once,
        observe=observe,
    )
    return asyncio.run(_up(chosen, wanted))


@dataclass(frozen=True, slots=True, kw_only=True)
class UpFlags:
    """What the user asked `up` for."""

    namespace: str
    apps: tuple[Path, ...]
    local_repos: tuple[str, ...]
    copies: dict[str, str]
    refresh: float | None
    customized: Callable[[Settings], Settings]
    port: int
    take_over: tuple[str, ...]
    hand_back: tuple[str, ...]
    output: str
    ask: bool
    once: bool
    observe: bool


def _copies(pairs: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        url, equals, path = pair.partition("=")
        if not url or not equals or not Path(path).is_dir():
            raise click.BadParameter(f"{pair!r} is not URL=PATH with a folder that exists", param_hint="--repo")
        found[url] = str(Path(path).resolve())
    return found


@asynccontextmanager
async def _real(kubeconfig: str, context: str) -> AsyncIterator[tuple[Cluster, str]]:
    from syncline import wiring

    async with wiring.connected(kubeconfig=kubeconfig, context=context) as found:
        yield found


@asynccontextmanager
async def _sandbox(data: Path | None) -> AsyncIterator[tuple[Cluster, str]]:
    from syncline import wiring

    sandbox = wiring.kept_sandbox(str(data / "cluster")) if data else wiring.sandbox()
    kubeconfig = (data or Path(".syncline")) / "kubeconfig"
    async with wiring.serving(sandbox, kubeconfig) as address:
        yield (
            wiring.client(sandbox.transport(user="syncline")),
            f"sandbox at {address}, KUBECONFIG={kubeconfig.resolve()}",
        )


async def _up(chosen: AbstractAsyncContextManager[tuple[Cluster, str]], wanted: UpFlags) -> int:
    from syncline.cli.run.take_over import give_back, take
    from syncline.controller.coexistence.ownership import find_rival

    objects = read_applications(wanted.apps, wanted.namespace)
    async with chosen as (cluster, words):
        terminal.echo(words, err=wanted.output == "json")
        if wanted.hand_back:
            return await give_back(cluster, wanted.namespace, wanted.hand_back)
        rival = await find_rival(cluster, wanted.namespace)
        if wanted.take_over:
            await take(cluster, wanted.namespace, wanted.take_over, words=words, ask=wanted.ask)
        if rival is None and not wanted.observe:
            return await _deliver(cluster, wanted, words, objects)
        return await _observe(cluster, wanted, objects, str(rival or ""))


async def _deliver(cluster: Cluster, wanted: UpFlags, words: str, objects: list[Object]) -> int:
    from syncline.cli.run.install import create, missing
    from syncline.cli.run.session import Session, SessionOptions

    lacking = await missing(cluster, wanted.namespace)
    if lacking and wanted.ask:
        _confirm(words, lacking)
    await create(cluster, [*lacking, *objects])
    settings = await _settings(cluster, wanted)
    manner = SessionOptions(local_folders=wanted.local_repos, copies=wanted.copies, overlay=_overlay(wanted))
    session = Session(cluster, settings, manner)
    async with session.running(wanted.port) as page:
        terminal.echo(f"web page {page}")
        return await session.follow(once=wanted.once)


async def _observe(cluster: Cluster, wanted: UpFlags, objects: list[Object], rival: str) -> int:
    """Run beside Argo CD: only read, except for what was taken over."""
    from syncline.cli.run.session import Session, SessionOptions, show_json, show_text
    from syncline.controller.coexistence.ownership import OwnershipMode
    from syncline.model.errors import NeedsUser

    if objects:
        raise NeedsUser("--apps creates Applications, and here nothing is written", hint="kubectl apply them instead")
    because = f"Argo CD's application controller runs here ({rival})" if rival else "you said --observe"
    terminal.echo(f"observing, nothing is written: {because}", err=True)
    settings = await _settings(cluster, wanted)
    manner = SessionOptions(
        local_folders=wanted.local_repos, copies=wanted.copies, overlay=_overlay(wanted), mode=OwnershipMode.OBSERVE
    )
    session = Session(cluster, settings, manner)
    async with session.running(wanted.port) as page:
        terminal.echo(f"web page {page}", err=True)
        return await session.look_on(show_json if wanted.output == "json" else show_text, once=wanted.once)


async def _settings(cluster: Cluster, wanted: UpFlags) -> Settings:
    """Return the settings of the installation, its problems told; what the user said here wins."""
    from syncline.controller.settings import read_settings

    report = await read_settings(cluster, wanted.namespace)
    for problem in report.problems:
        terminal.echo(f"{problem.home}: {problem.message}", err=True)
    return _overlay(wanted)(report.settings)


def _overlay(wanted: UpFlags) -> Callable[[Settings], Settings]:
    """Return what puts the command line over the settings of the cluster."""
    import msgspec

    refresh = wanted.refresh

    def over(settings: Settings) -> Settings:
        settings = wanted.customized(settings)
        if refresh is None:
            return settings
        return msgspec.structs.replace(settings, refresh_interval=refresh, refresh_jitter=refresh / 2)

    return over


def _confirm(words: str, lacking: list[Object]) -> None:
    """Ask before a real cluster is changed."""
    from syncline.cli.asking import agree

    listed = ", ".join(f"{obj['kind']}/{obj['metadata']['name']}" for obj in lacking)
    question = f"{len(lacking)} objects that Syncline needs are missing here: {listed}. Create them?"
    agree(words, question, "nothing was created, so nothing can be delivered")


def read_applications(paths: tuple[Path, ...], namespace: str) -> list[Object]:
    """Return the objects of files or folders of YAML; those without a namespace get the control plane's."""
    from syncline.apimachinery import yaml
    from syncline.cli.run.unknown_fields import without_unknown
    from syncline.model.errors import NeedsUser, Place

    files = [file for path in paths for file in (sorted(path.rglob("*.y*ml")) if path.is_dir() else [path])]
    objects = []
    for file in files:
        for document in yaml.load_documents(file.read_bytes(), source=str(file)):
            obj = document.value
            if not isinstance(obj, dict) or not obj.get("kind") or not (meta.metadata(obj)).get("name"):
                raise NeedsUser("this document is no Kubernetes object", place=Place(str(file), document.line))
            obj, unknown = without_unknown(str(file), document)
            for sentence in unknown:
                terminal.echo(f"warning: {sentence}", err=True)
            metadata = {"namespace": namespace, **obj["metadata"]} if _ours(obj) else obj["metadata"]
            objects.append({**obj, "metadata": metadata})
    return objects


def _ours(obj: Object) -> bool:
    return str(obj.get("apiVersion") or "").startswith("argoproj.io/")
