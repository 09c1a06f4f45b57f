"""Where a fleet is read from: clusters by a kubeconfig, Argo CD's own API, or files.

Used by `syncline.cli.diagnose.command` and `syncline.cli.diagnose.snapshot`; shared options are here too.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.model.fleet import FleetSnapshot

_FROM_ENVIRONMENT = "$ARGOCD_SERVER"
RATE = 40.0
"""Requests in a second, to each cluster: less than kubectl sends at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What the options say about where to read; `files` wins, then `argocd`, then the kubeconfig."""

    chosen: Chosen
    files: Path | None = None
    argocd: str = ""
    secret_metadata: bool = False
    render: bool = False

    @property
    def token(self) -> str:
        """The token for Argo CD's API."""
        return self.chosen.server.token if self.chosen.server else os.environ.get("ARGOCD_AUTH_TOKEN", "")

    @property
    def insecure(self) -> bool:
        """Whether the certificate of the server is not checked."""
        return self.chosen.insecure or (self.chosen.server is not None and self.chosen.server.insecure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """A fleet, how it was read, and what was skipped."""

    snapshot: FleetSnapshot
    words: str
    seconds: float = 0.0
    requests: int = 0
    skipped: tuple[str, ...] = field(default=())


def origin_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say where to read; the command takes them and those of the kubeconfig as one `origin`."""

    @functools.wraps(command)
    def with_origin(
        *args: Any,
        chosen: Chosen,
        argocd: str,
        files: Path | None,
        secret_metadata: bool,
        render: bool,
        print_rbac: bool,
        dry_run: bool,
        **options: Any,
    ) -> Any:
        origin = Origin(
            chosen=chosen,
            files=files,
            argocd=_asked_server(chosen, argocd, files),
            secret_metadata=secret_metadata,
            render=render,
        )
        if print_rbac or dry_run:
            return asyncio.run(_plan(origin, rbac=print_rbac))
        return command(*args, origin=origin, **options)

    return functools.reduce(lambda made, option: option(made), reversed(_OPTIONS), chosen_cluster(with_origin))


_OPTIONS = (
    click.option(
        "--from",
        "files",
        type=click.Path(exists=True, path_type=Path),
        metavar="FILE|DIR",
        help="Read a snapshot, or a folder of `kubectl get -o yaml` output with logs, instead of a cluster.",
    ),
    click.option(
        "--argocd",
        default="",
        is_flag=False,
        flag_value=_FROM_ENVIRONMENT,
        metavar="URL",
        help="Read every cluster through the API of this argocd-server (alone: ARGOCD_SERVER), with the token in "
        "ARGOCD_AUTH_TOKEN.",
    ),
    click.option("--secret-metadata", is_flag=True, help="Read names and keys of Secrets too; never their values."),
    click.option(
        "--render",
        is_flag=True,
        help="Also fetch and render repositories that are not on this machine, to get file and line.",
    ),
    click.option("--print-rbac", is_flag=True, help="Print the ClusterRole that reading needs, and stop."),
    click.option("--dry-run", is_flag=True, help="Print the requests that reading would make, and stop."),
)


def _asked_server(chosen: Chosen, argocd: str, files: Path | None) -> str:
    """Return the address of the server to read through: the one named, else the one that commands ask."""
    return argocd or (chosen.server.url if chosen.server is not None and files is None else "")


async def _plan(origin: Origin, *, rbac: bool) -> int:
    """Print what would be asked, or what has to be permitted; only discovery is asked for that."""
    from syncline.cli.show.printing import print_object
    from syncline.verbs.fleet import kinds, through_argocd

    if origin.files is not None:
        terminal.echo(f"no request and no permission: everything is read from {origin.files}")
        return 0
    if origin.argocd:
        terminal.echo("\n".join(through_argocd.policy() if rbac else through_argocd.requests()))
        return 0
    async with origin.chosen.connected() as (cluster, _words):
        resources = kinds.wanted(await cluster.discover(), secret_metadata=origin.secret_metadata)
    if rbac:
        print_object(kinds.role(resources), "yaml")
    else:
        terminal.echo("\n".join(kinds.requests(resources)))
    return 0


async def gather(origin: Origin) -> Gathered:
    """Read the fleet, and render what can be rendered here of the apps that are not in order."""
    from syncline import wiring

    begun = wiring.clock().monotonic()
    found = await _read(origin)
    if not found.snapshot.rendered:
        found = replace(found, snapshot=await _with_lines(found.snapshot, origin))
    return replace(found, seconds=wiring.clock().monotonic() - begun)


async def _read(origin: Origin) -> Gathered:
    from syncline import wiring

    if origin.files is not None:
        found = wiring.read_from(origin.files)
        words = f"{found.snapshot.origin}, as of {found.snapshot.as_of or 'an unknown time'}"
        return Gathered(snapshot=found.snapshot, words=words, skipped=found.skipped)
    if origin.argocd:
        return await _through_argocd(origin)
    return await _from_clusters(origin)


async def _with_lines(snapshot: FleetSnapshot, origin: Origin) -> FleetSnapshot:
    """Return the snapshot with renders: of copies on this machine, and of all repositories where that is asked for."""
    from syncline import wiring
    from syncline.verbs.fleet import rendering

    chosen, is_cluster = origin.chosen, origin.files is None and not origin.argocd
    kept = wiring.kept_repositories(chosen.kubeconfig, chosen.context) if is_cluster else None
    copies = wiring.repositories(kept=kept)
    is_here = rendering.here(copies, by_path=is_cluster)
    world = wiring.rendering_ports(rendering.settings(snapshot, chosen.namespace), copies)
    readable = (lambda _url: True) if origin.render else is_here
    return await rendering.with_rendered(snapshot, world, readable, fetching=origin.render)


async def _from_clusters(origin: Origin) -> Gathered:
    from syncline import wiring
    from syncline.apimachinery import times
    from syncline.verbs.fleet.hub import FleetWish, read_fleet

    clock, chosen = wiring.clock(), origin.chosen
    server = wiring.endpoint(kubeconfig=chosen.kubeconfig, context=chosen.context).server
    async with wiring.connected(kubeconfig=chosen.kubeconfig, context=chosen.context, rate=RATE) as (cluster, words):
        wish = FleetWish(
            name=words.removeprefix("context "),
            server=server,
            as_of=times.format_time(clock.now()),
            namespaces=(chosen.namespace,),
            secret_metadata=origin.secret_metadata,
        )
        read = await read_fleet(cluster, wish, wiring.contexts(chosen.kubeconfig, RATE))
    return Gathered(
        snapshot=read.snapshot,
        words=f"{words}, read-only",
        requests=read.requests,
    )


async def _through_argocd(origin: Origin) -> Gathered:
    from syncline import wiring
    from syncline.apimachinery import times
    from syncline.verbs.fleet.through_argocd import read_through_argocd

    clock = wiring.clock()
    url = server_url(origin.argocd)
    async with wiring.argocd_api(url, origin.token, insecure=origin.insecure, rate=RATE) as api:
        read = await read_through_argocd(api, url, times.format_time(clock.now()))
    return Gathered(
        snapshot=read.snapshot,
        words=f"{read.snapshot.origin}, read-only",
        requests=read.requests,
    )


def server_url(given: str) -> str:
    """Return the address of an argocd-server; `argocd` itself takes it without a scheme."""
    if given == _FROM_ENVIRONMENT:
        given = os.environ.get("ARGOCD_SERVER", "")
    if not given:
        raise click.UsageError("--argocd needs the address of an argocd-server, or ARGOCD_SERVER")
    return given.rstrip("/") if "://" in given else f"https://{given.rstrip('/')}"


def tell_skipped(gathered: Gathered) -> None:
    """Name the files that were skipped, on standard error."""
    for sentence in gathered.skipped:
        terminal.echo(f"skipped {sentence}", err=True)
