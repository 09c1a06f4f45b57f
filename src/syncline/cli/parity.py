"""`syncline parity`: whether Syncline renders every app as Argo CD does, before anybody trusts the rest."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from syncline.cli.options import allow_local_option, build_options_option, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.api.applications import RenderFlags
    from syncline.api.parity import AppParity

_RATE = 20.0
_SHOWN = 3


@click.command()
@click.argument("names", nargs=-1, metavar="[APP]...")
@click.option("--argocd", "url", default="", metavar="URL", help="Address of the argocd-server to compare with.")
@click.option("--auth-token", default="", help="Token for it (default: ARGOCD_AUTH_TOKEN).")
@click.option("--insecure", is_flag=True, help="Do not check its certificate.")
@click.option("--context", default="", help="Compare with what Argo CD applied on the cluster of this context.")
@click.option("--kubeconfig", default="", help="Kubeconfig file of that context (default: KUBECONFIG, ~/.kube/config).")
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read this folder instead of the repository.")
@allow_local_option
@build_options_option
@output_option("text", "json")
def parity(
    names: tuple[str, ...],
    url: str,
    auth_token: str,
    context: str,
    kubeconfig: str,
    repos: tuple[str, ...],
    build_options: str,
    output: str,
    *,
    insecure: bool,
) -> int:
    """Compare every app's render with what Argo CD rendered: equal, different, or not rendered."""
    from syncline.api.applications import RenderFlags
    from syncline.api.parity import EQUAL

    if bool(url) == bool(context or kubeconfig):
        raise click.UsageError("say where Argo CD's render comes from: --argocd URL, or --context CONTEXT")
    wanted = RenderFlags(repos=repos, build_options=build_options)
    token = auth_token or os.environ.get("ARGOCD_AUTH_TOKEN", "")
    asked = _by_server(url, token, wanted, names, insecure=insecure) if url else None
    found = asyncio.run(asked or _by_cluster(kubeconfig, context, wanted, names))
    if output == "json":
        text = msgspec.json.format(msgspec.json.encode({"schemaVersion": 1, "apps": found}), indent=2).decode()
        terminal.echo_data(text)
    else:
        terminal.echo("\n".join(_lines(found, "Argo CD" if url else "applied")))
    return 0 if all(one.state == EQUAL for one in found) else 1


async def _by_server(
    url: str, token: str, wanted: RenderFlags, names: Sequence[str], *, insecure: bool
) -> list[AppParity]:
    from syncline import wiring
    from syncline.api.applications import render_tools
    from syncline.api.parity import name_of, with_argocd
    from syncline.cli.diagnose.gathering import server_url
    from syncline.verbs.fleet.argocd_api import ArgoApi

    async with wiring.argocd_api(server_url(url), token, insecure=insecure, rate=_RATE) as transport:
        api, tools = ArgoApi(transport), await render_tools(wanted)
        apps = [app for app in await api.items("/api/v1/applications") if not names or name_of(app) in names]
        return [await with_argocd(app, api, wanted, tools) for app in sorted(apps, key=name_of)]


async def _by_cluster(kubeconfig: str, context: str, wanted: RenderFlags, names: Sequence[str]) -> list[AppParity]:
    from syncline.api.applications import render_tools
    from syncline.api.parity import WithCluster, kinds_of, name_of
    from syncline.apimachinery.keys import GroupKind
    from syncline.cli.live_source import live_reader
    from syncline.model import names as known

    read = live_reader(None, kubeconfig, context)
    assert read is not None  # noqa: S101 - a context or a kubeconfig was named
    application = GroupKind(known.GROUP, "Application")
    stored = (await read(frozenset({application}))).objects
    apps = [app for _, app in sorted(stored.items()) if not names or name_of(app) in names]
    comparing = WithCluster(await read(kinds_of(apps)), wanted, await render_tools(wanted))
    return [await comparing.app(app) for app in apps]


def _lines(found: Sequence[AppParity], theirs: str) -> Iterator[str]:
    from syncline.api.parity import DIFFERENT, EQUAL, NOT_COMPARED, STATES

    counted = [(state, sum(one.state == state for one in found)) for state in STATES]
    counts = ", ".join(f"{count} {state}" for state, count in counted if count or state != NOT_COMPARED)
    unknown = sum(one.unknown for one in found)
    silent = f"; {unknown} object{' does' if unknown == 1 else 's do'} not record what was rendered" if unknown else ""
    yield f"{len(found)} app{'' if len(found) == 1 else 's'}: {counts}{silent}"
    for one in found:
        if one.state == DIFFERENT:
            yield f"{one.app} differs in {len(one.unequal)} of {one.objects} objects"
            for item in one.unequal[:_SHOWN]:
                yield f"  {item.key.short}  {item.path or 'the object'}  Syncline: {item.ours}  {theirs}: {item.theirs}"
        elif one.state != EQUAL:
            yield f"{one.app} is {one.state}: {one.reason}"
