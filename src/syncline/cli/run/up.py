"""`syncline up`: continuous delivery, to the embedded Kubernetes or to a real cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.options import (
    PORT,
    allow_local_option,
    cluster_options,
    customizations_option,
    customized,
    output_option,
)
from syncline.cli.run.sandbox_options import SandboxOptions, sandbox_options
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.cli.run.app_files import GivenApps
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
@sandbox_options
@click.option(
    "--apps",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    help="File with objects to create first, or folder whose Applications, projects and ApplicationSets are taken.",
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
@allow_local_option
@click.option(
    "--refresh",
    type=click.FloatRange(min=0.1),
    default=None,
    help="Seconds between polls of each repository (default: from argocd-cm, else 120).",
)
@customizations_option
@click.option("--port", type=PORT, default=0, help="Port of the web page on the loopback address (0: any free one).")
@click.option("--once", is_flag=True, help="Stop as soon as everything is Synced and Healthy, or was observed.")
@click.option("--yes", is_flag=True, help="Do not ask before changing a real cluster.")
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
    options: SandboxOptions,
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

    If Argo CD's application controller is running, this writes nothing and compares verdicts with Argo CD's;
    --take-over and --hand-back move Applications one by one.
    """
    if take_over and hand_back:
        raise click.UsageError("--take-over and --hand-back are mutually exclusive: give one of them")
    real = (kubeconfig or context) and not sandboxed
    if real and (flag := options.given()):
        raise click.UsageError(f"{flag} is for the embedded Kubernetes: leave out --context and --kubeconfig")
    mapped = _copies(copies) if real else _mapped(copies)
    chosen = _real(kubeconfig, context) if real else _sandbox(options, mapped)
    wanted = UpFlags(
        namespace=app_namespace,
        apps=apps,
        local_repos=local_repos,
        copies=mapped,
        refresh=refresh,
        customized=customized(customizations),
        port=port,
        take_over=take_over,
        hand_back=hand_back,
        output=output,
        ask=bool(real) and not yes,
        once=once,
        observe=observe,
        sandbox=None if real else options,
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
    sandbox: SandboxOptions | None
    """What the embedded Kubernetes is like; None for a real cluster."""


def _copies(pairs: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        url, equals, path = pair.partition("=")
        if not url or not equals or not Path(path).is_dir():
            raise click.BadParameter(f"{pair!r} is not URL=PATH with a folder that exists", param_hint="--repo")
        found[url] = str(Path(path).resolve())
    return found


def _mapped(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return all folders that a sandbox reads in place of repositories: a real cluster gets only what is said here."""
    from syncline import wiring

    return {**wiring.repositories(), **_copies(pairs)}


@asynccontextmanager
async def _real(kubeconfig: str, context: str) -> AsyncIterator[tuple[Cluster, str]]:
    from syncline import wiring

    async with wiring.connected(kubeconfig=kubeconfig, context=context) as found:
        yield found


@asynccontextmanager
async def _sandbox(options: SandboxOptions, copies: dict[str, str]) -> AsyncIterator[tuple[Cluster, str]]:
    from syncline import wiring

    home = options.data / "cluster" if options.data else None
    sandbox = options.build(home)
    kubeconfig = (options.data or Path(".syncline")) / "kubeconfig"
    async with wiring.serving(sandbox, kubeconfig, home=home) as address:
        wiring.keep_repositories(kubeconfig, address, copies)
        yield (
            wiring.client(sandbox.transport(user="syncline")),
            f"sandbox at {address}, KUBECONFIG={kubeconfig.resolve()}",
        )


async def _up(chosen: AbstractAsyncContextManager[tuple[Cluster, str]], wanted: UpFlags) -> int:
    from syncline.cli.run.app_files import read_apps
    from syncline.cli.run.starting import until_answered
    from syncline.cli.run.take_over import give_back, take
    from syncline.controller.coexistence.ownership import find_rival

    given = read_apps(wanted.apps, wanted.namespace)
    async with chosen as (cluster, words):
        terminal.echo(words, err=wanted.output == "json")
        if given.passed_over:
            terminal.echo(str(given), err=wanted.output == "json")
        if wanted.hand_back:
            return await give_back(cluster, wanted.namespace, wanted.hand_back)
        rival = await until_answered(lambda: find_rival(cluster, wanted.namespace))
        if wanted.take_over:
            await take(cluster, wanted.namespace, wanted.take_over, words=words, ask=wanted.ask)
        if rival is None and not wanted.observe:
            return await _deliver(cluster, wanted, words, given)
        return await _observe(cluster, wanted, given, str(rival or ""))


async def _deliver(cluster: Cluster, wanted: UpFlags, words: str, given: GivenApps) -> int:
    from syncline.cli.run.app_files import create_apps, elsewhere, namespaces_of
    from syncline.cli.run.install import create, for_argocd_cli, missing
    from syncline.cli.run.operator_hints import operator_hints
    from syncline.cli.run.session import Session, SessionOptions
    from syncline.cli.run.starting import until_answered

    more = for_argocd_cli(wanted.namespace) if wanted.sandbox else []
    lacking = await until_answered(lambda: missing(cluster, wanted.namespace, more))
    if lacking and wanted.ask:
        _confirm(words, lacking)
    # Applying again what was applied already changes nothing.
    await until_answered(lambda: create(cluster, lacking))
    if wanted.sandbox:
        await create(cluster, namespaces_of(given))
    await create_apps(cluster, given)
    for sentence in elsewhere(given, wanted.namespace):
        terminal.echo(f"warning: {sentence}", err=True)
    settings = await _settings(cluster, wanted)
    hints = operator_hints(wanted.sandbox) if wanted.sandbox else None
    manner = SessionOptions(
        local_folders=wanted.local_repos, copies=wanted.copies, overlay=_overlay(wanted), on_change=hints
    )
    session = Session(cluster, settings, manner)
    async with session.served(wanted.port) as served:
        terminal.echo(f"web page {served.link()}")
        return await session.follow(once=wanted.once)


async def _observe(cluster: Cluster, wanted: UpFlags, given: GivenApps, rival: str) -> int:
    """Run beside Argo CD: only read, except for what was taken over."""
    from syncline.cli.run.session import Session, SessionOptions, show_json, show_text
    from syncline.controller.coexistence.ownership import OwnershipMode
    from syncline.model.errors import NeedsUser

    if given.objects:
        raise NeedsUser("--apps creates Applications, and here nothing is written", hint="use kubectl apply instead")
    because = f"Argo CD's application controller runs here ({rival})" if rival else "--observe is set"
    terminal.echo(f"observing, nothing is written: {because}", err=True)
    settings = await _settings(cluster, wanted)
    manner = SessionOptions(
        local_folders=wanted.local_repos, copies=wanted.copies, overlay=_overlay(wanted), mode=OwnershipMode.OBSERVE
    )
    session = Session(cluster, settings, manner)
    async with session.served(wanted.port, may_write=False) as served:
        terminal.echo(f"web page {served.link()}", err=True)
        return await session.look_on(show_json if wanted.output == "json" else show_text, once=wanted.once)


async def _settings(cluster: Cluster, wanted: UpFlags) -> Settings:
    """Return the settings of the installation, its problems told; what the user said here wins."""
    from syncline.cli.run.starting import until_answered
    from syncline.controller.settings import read_settings

    report = await until_answered(lambda: read_settings(cluster, wanted.namespace))
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
