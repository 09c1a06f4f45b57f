"""`syncline cluster list`, `get` and `rm`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import click

from syncline import wiring
from syncline.apimachinery.selectors import InvalidSelector, LabelSelector
from syncline.cli.asking import agree
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.model.cluster import KnownCluster
from syncline.model.errors import InvalidSpec, NeedsUser
from syncline.ports.kube import ApiError, Cluster
from syncline.ports.transport import TransportError
from syncline.verbs.clusters import cluster_secrets, find_cluster, known_clusters, opened
from syncline.verbs.home import Home
from syncline.verbs.served.home import ServedHome

_HEADER = ("SERVER", "NAME", "VERSION", "STATUS", "MESSAGE", "PROJECT")
_PATIENCE = 10.0
Ask = Callable[[KnownCluster], Awaitable[dict[str, str]]]
"""Finds out version and state of a cluster."""


@click.command("list")
@chosen_cluster
@click.option("-l", "--selector", default="", help="Only those whose labels match.")
@output_option("wide", "server", "json", "yaml")
def list_(chosen: Chosen, selector: str, output: str) -> int:
    """List the clusters, with their version and whether they answer."""
    try:
        wanted = LabelSelector.parse(selector)
    except InvalidSelector as error:
        raise click.BadParameter(str(error), param_hint="--selector") from None
    return asyncio.run(_list(chosen, wanted, output))


async def _list(chosen: Chosen, wanted: LabelSelector, output: str) -> int:
    async with _asking(chosen) as (home, ask):
        words = home.words
        known = [one for one in await _told(home) if wanted.matches(one.labels)]
        if output == "server":
            terminal.echo("\n".join(one.server for one in known))
            return 0
        states = await asyncio.gather(*map(ask, known))
    if output in ("json", "yaml"):
        print_objects([{**values(one), **state} for one, state in zip(known, states, strict=True)], output)
        return 0
    terminal.echo(f"{words} · {len(known)} cluster{'' if len(known) == 1 else 's'}", err=True)
    terminal.echo(table(_HEADER, (_row(one, state) for one, state in zip(known, states, strict=True))))
    return 0


@asynccontextmanager
async def _asking(chosen: Chosen) -> AsyncIterator[tuple[Home, Ask]]:
    """Yield the installation, and what asks one of its clusters how it is; a server tells what it found."""
    async with chosen.opened() as home:
        if isinstance(home, ServedHome):
            yield home, home.cluster_state
        else:
            cluster, namespace = home.cluster, home.namespace
            yield home, lambda one: _state(cluster, namespace, one)


async def _told(home: Home) -> list[KnownCluster]:
    """Return the clusters, and say on standard error which Secrets cannot be read."""
    if home.judges:
        return await home.clusters()
    known, broken = await known_clusters(home.cluster, home.namespace)
    for reason in broken.values():
        terminal.echo(f"cannot be read: {reason}", err=True)
    return known


def _row(known: KnownCluster, state: dict[str, str]) -> list[str]:
    return [_server(known), known.name, state["serverVersion"], state["status"], state["message"], known.project]


def _server(known: KnownCluster) -> str:
    return f"{known.server} ({len(known.namespaces)} namespaces)" if known.namespaces else known.server


async def _state(home: Cluster, namespace: str, known: KnownCluster) -> dict[str, str]:
    """Ask a cluster for its version; one that does not answer says why."""
    try:
        async with asyncio.timeout(_PATIENCE):
            return {"serverVersion": await _version(home, namespace, known), "status": "Successful", "message": ""}
    except (ApiError, TransportError, InvalidSpec) as error:
        return {"serverVersion": "", "status": "Failed", "message": str(error)}
    except TimeoutError:
        return {"serverVersion": "", "status": "Failed", "message": f"no answer within {_PATIENCE:g} s"}


async def _version(home: Cluster, namespace: str, known: KnownCluster) -> str:
    async with opened(home, namespace, known, wiring.connector) as cluster:
        return (await cluster.discover()).short_version


def values(known: KnownCluster) -> dict[str, Any]:
    """Return a cluster for JSON output; credentials are named by their kind only."""
    return {
        "server": known.server,
        "name": known.name,
        "namespaces": list(known.namespaces),
        "clusterResources": known.cluster_resources,
        "project": known.project,
        "shard": None if known.shard < 0 else known.shard,
        "labels": dict(known.labels),
        "annotations": dict(known.annotations),
        "credentials": _credentials(known),
    }


def _credentials(known: KnownCluster) -> str:
    access = known.access
    if access is None:
        return "own"
    if access.exec_provider_config is not None:
        return f"program {access.exec_provider_config.command}"
    if access.bearer_token:
        return "bearer token"
    if access.tls_client_config.cert_data:
        return "client certificate"
    return "password" if access.username else "none"


@click.command()
@click.argument("wanted", metavar="SERVER/NAME")
@chosen_cluster
@output_option("yaml", "json", "wide", "server")
def get(wanted: str, chosen: Chosen, output: str) -> int:
    """Show one cluster, without its credentials."""
    return asyncio.run(_get(wanted, chosen, output))


async def _get(wanted: str, chosen: Chosen, output: str) -> int:
    async with _asking(chosen) as (home, ask):
        one = find_cluster(await home.clusters(), wanted)
        state = await ask(one)
    if output == "server":
        terminal.echo(one.server)
    elif output == "wide":
        terminal.echo(table(_HEADER, [_row(one, state)]))
    else:
        print_object({**values(one), **state}, output)
    return 0


@click.command()
@click.argument("wanted", metavar="SERVER/NAME...", nargs=-1, required=True)
@chosen_cluster
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def rm(wanted: tuple[str, ...], chosen: Chosen, *, yes: bool) -> int:
    """Remove clusters; objects delivered to them stay."""
    return asyncio.run(_rm(wanted, chosen, ask=not yes))


async def _rm(wanted: tuple[str, ...], chosen: Chosen, *, ask: bool) -> int:
    async with chosen.connected() as (home, words):
        known, _broken = await known_clusters(home, chosen.namespace)
        chosen_ones = [find_cluster(known, text) for text in wanted]
        for one in chosen_ones:
            if not one.secret:
                raise NeedsUser(
                    f"{one.name} is the cluster that holds the Applications",
                    hint="disable it with cluster.inClusterEnabled in argocd-cm",
                )
        if ask:
            listed = ", ".join(one.name for one in chosen_ones)
            agree(words, f"Remove {len(chosen_ones)} clusters ({listed})? Their Applications become Unknown.")
        resource, _ = await cluster_secrets(home, chosen.namespace)
        for one in chosen_ones:
            await home.delete(resource, chosen.namespace, one.secret, uid=one.uid)
            terminal.echo(f"cluster '{one.name}' removed")
    return 0
