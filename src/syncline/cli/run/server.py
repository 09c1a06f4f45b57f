"""`syncline server`: Argo CD's API, streams and what only Syncline knows, for clients and the web page.

Runs beside `syncline controller`, or beside Argo CD, whose accounts, policies and projects it follows. It writes only
what people ask it for.
"""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.options import PORT, cluster_options
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.model.settings.settings import Settings
    from syncline.ports.kube import Cluster
    from syncline.server.app import ServerTools

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFlags:
    """What the operator asked for."""

    kubeconfig: str
    context: str
    namespace: str
    address: str
    port: int
    certificate: str
    key: str
    local_repos: tuple[str, ...]
    link: bool
    insecure: bool
    dex: str
    connections: int | None
    per_address: int | None


@click.command()
@cluster_options
@click.option("--address", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=PORT, default=8080, show_default=True, help="Port to listen on.")
@click.option("--tls-cert", type=_FILE, default=None, help="Certificate to serve with, as PEM.")
@click.option("--tls-key", type=_FILE, default=None, help="Key of the certificate, as PEM.")
@click.option(
    "--local-repos",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    multiple=True,
    help="Folder on this machine below which Applications may name repositories by path.",
)
@click.option(
    "--dex",
    envvar="SYNCLINE_DEX",
    default="",
    metavar="PROGRAM",
    help="Program that serves dex.config of argocd-cm (default: the one on PATH).",
)
@click.option(
    "--max-connections",
    type=click.IntRange(min=1),
    default=None,
    help="Connections at a time (default: 2000, and at most half of the descriptors of this process).",
)
@click.option(
    "--max-connections-per-address",
    type=click.IntRange(min=0),
    default=None,
    help="Connections of one address at a time, 0 for any number: behind a proxy all clients have its address "
    "(default: a quarter of all; any number with --insecure).",
)
@click.option("--insecure", is_flag=True, help="Serve other machines without TLS, behind a proxy that terminates it.")
@click.option("--link", is_flag=True, help="Print a link that signs in as admin once.")
def server(
    kubeconfig: str,
    context: str,
    app_namespace: str,
    address: str,
    port: int,
    tls_cert: Path | None,
    tls_key: Path | None,
    local_repos: tuple[str, ...],
    dex: str,
    max_connections: int | None,
    max_connections_per_address: int | None,
    *,
    insecure: bool,
    link: bool,
) -> int:
    """Serve the API and the web page of an installation, on the loopback address by default.

    Accounts, policies and projects are those of Argo CD: argocd-cm, argocd-secret, argocd-rbac-cm and AppProjects.
    """
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key belong together: give both")
    flags = ServerFlags(
        kubeconfig=kubeconfig,
        context=context,
        namespace=app_namespace,
        address=address,
        port=port,
        certificate=str(tls_cert or ""),
        key=str(tls_key or ""),
        local_repos=local_repos,
        link=link,
        insecure=insecure,
        dex=dex,
        connections=max_connections,
        # Who serves without TLS is behind a proxy, and all clients have one address.
        per_address=0 if insecure and max_connections_per_address is None else max_connections_per_address,
    )
    return asyncio.run(_run(flags))


async def _run(flags: ServerFlags) -> int:
    from syncline import __version__, wiring
    from syncline.api.serving import server_tools
    from syncline.cli.run.starting import until_answered
    from syncline.controller.settings import read_settings

    if flags.dex and not wiring.has_dex(flags.dex):
        raise click.UsageError(f"--dex names {flags.dex}, which is not a program that can be run")
    tools = server_tools(__version__, flags.dex, lambda words: terminal.echo(words, err=True))
    async with wiring.connected(kubeconfig=flags.kubeconfig, context=flags.context) as (cluster, words):
        terminal.echo(words, err=True)
        report = await until_answered(lambda: read_settings(cluster, flags.namespace))
        for problem in report.problems:
            terminal.echo(f"{problem.home}: {problem.message}", err=True)
        with tempfile.TemporaryDirectory(prefix="syncline-tls-") as folder:
            # Of its owner alone, and gone with this process: the key is in the cluster already.
            served = await _with_certificate(cluster, flags, Path(folder))
            await _give_keys(cluster, flags.namespace, tools)
            return await _serve(cluster, report.settings, tools, served)


async def _with_certificate(cluster: Cluster, flags: ServerFlags, folder: Path) -> ServerFlags:
    """Return how to serve: as asked, else with the certificate of the installation where others can reach it."""
    from syncline import wiring
    from syncline.server.access.certificates import served_certificate, shared_certificate

    if flags.certificate or flags.insecure:
        return flags
    found = await served_certificate(cluster, flags.namespace)
    if found is None and flags.address in _LOOPBACK:
        return flags
    if found is None:
        found = await shared_certificate(cluster, flags.namespace, wiring.self_signed_certificate)
    if found is None:
        raise click.UsageError(
            f"passwords and tokens would reach {flags.address} in the clear: give --tls-cert and --tls-key, make the "
            f"Secret argocd-server-tls, or pass --insecure behind a proxy that ends TLS"
        )
    certificate, key = folder / "tls.crt", folder / "tls.key"
    certificate.write_bytes(found.certificate)
    key.write_bytes(found.key)
    key.chmod(0o600)
    terminal.echo(f"certificate of the Secret {found.secret} of namespace {flags.namespace}", err=True)
    return replace(flags, certificate=str(certificate), key=str(key))


async def _give_keys(cluster: Cluster, namespace: str, tools: ServerTools) -> None:
    """Make what sessions need, where it is missing; without a right to it sessions end with this process."""
    from syncline import wiring
    from syncline.ports.kube import ApiError
    from syncline.server.access.bootstrap import ensure_keys

    try:
        made = await ensure_keys(cluster, namespace, tools.passwords, tools.secrets, wiring.clock())
    except ApiError as error:
        if error.code == 404:
            hint = f"name another with --app-namespace, or make it: kubectl create namespace {namespace}"
            raise NeedsUser(f"this cluster has no namespace {namespace}", hint=hint) from None
        if error.code != 403:
            raise
        terminal.echo(f"sessions end with this process, because its key cannot be stored: {error.message}", err=True)
        return
    await _give_project(cluster, namespace)
    if made:
        terminal.echo(f"the first password of admin is in the Secret {made} of namespace {namespace}", err=True)


async def _give_project(cluster: Cluster, namespace: str) -> None:
    """Create the project that Applications name by default, where it is missing."""
    from syncline.ports.kube import ApiError
    from syncline.server.access.bootstrap import ensure_default_project

    try:
        if await ensure_default_project(cluster, namespace):
            terminal.echo(f"created the AppProject default in namespace {namespace}", err=True)
    except ApiError as error:
        # Without the right, or without the CRD, the server still answers.
        if error.code not in (403, 404):
            raise
        terminal.echo(f"the AppProject default is missing and was not created: {error.message}", err=True)


async def _serve(cluster: Cluster, settings: Settings, tools: ServerTools, flags: ServerFlags) -> int:
    from syncline import wiring
    from syncline.cli.run.signals import until_stopped
    from syncline.controller.clusters.home import read_home_limits
    from syncline.server.app import Listening, serving
    from syncline.server.connections.limits import ConnectionLimits
    from syncline.server.standing import followed

    ports = wiring.server_ports(cluster, settings, flags.local_repos)
    ports.home_limits = await read_home_limits(cluster, settings.namespace)
    readers = [one for one in (ports.source, ports.charts) if one is not None]
    limits = ConnectionLimits(total=flags.connections, per_address=flags.per_address)
    listening = Listening(
        address=flags.address, port=flags.port, certificate=flags.certificate, key=flags.key, limits=limits
    )
    try:
        async with (
            followed(ports, readers, tools.on_failure, lambda found: found) as live,
            serving(ports, live, tools, listening) as served,
        ):
            terminal.echo(f"serving {served.address}", err=True)
            if flags.link:
                terminal.echo(f"web page {served.link()}")
            await until_stopped()
    finally:
        await ports.evaluator.close()
    return 130
