"""`syncline parity`: whether Syncline renders every app as Argo CD does, before anybody trusts the rest."""

from __future__ import annotations

import asyncio
import dataclasses
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from syncline.cli.options import build_options_option, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.api.applications import RenderFlags
    from syncline.apimachinery.keys import Object
    from syncline.core.preview.parity import Unequal
    from syncline.verbs.fleet.argocd_api import ArgoApi
    from syncline.wiring import RenderTools

_RATE = 20.0
_SHOWN = 3


class AppParity(msgspec.Struct, frozen=True):
    """One app: equal, different with the objects, or not rendered with the reason."""

    app: str
    state: str
    objects: int = 0
    unequal: tuple[Unequal, ...] = ()
    reason: str = ""


@click.command()
@click.argument("names", nargs=-1, metavar="[APP]...")
@click.option("--argocd", "url", required=True, metavar="URL", help="Address of the argocd-server, which rendered.")
@click.option("--auth-token", default="", help="Token for it (default: ARGOCD_AUTH_TOKEN).")
@click.option("--insecure", is_flag=True, help="Do not check its certificate.")
@click.option("--repo", "repos", multiple=True, metavar="URL=PATH", help="Read a folder in place of a repository.")
@build_options_option
@output_option("text", "json")
def parity(
    names: tuple[str, ...],
    url: str,
    auth_token: str,
    repos: tuple[str, ...],
    build_options: str,
    output: str,
    *,
    insecure: bool,
) -> int:
    """Compare every app's render with what Argo CD rendered: equal, different, or not rendered."""
    from syncline import wiring
    from syncline.api.applications import RenderFlags, render_tools
    from syncline.cli.diagnose.gathering import server_url
    from syncline.verbs.fleet.argocd_api import ArgoApi

    token = auth_token or os.environ.get("ARGOCD_AUTH_TOKEN", "")
    wanted = RenderFlags(repos=repos, build_options=build_options)

    async def compared() -> list[AppParity]:
        async with wiring.argocd_api(server_url(url), token, insecure=insecure, rate=_RATE) as transport:
            api, tools = ArgoApi(transport), await render_tools(wanted)
            apps = [app for app in await api.items("/api/v1/applications") if not names or _name(app) in names]
            return [await _of(app, api, wanted, tools) for app in sorted(apps, key=_name)]

    found = asyncio.run(compared())
    if output == "json":
        text = msgspec.json.format(msgspec.json.encode({"schemaVersion": 1, "apps": found}), indent=2).decode()
        terminal.echo_data(text)
    else:
        terminal.echo("\n".join(_lines(found)))
    return 0 if all(one.state == "equal" for one in found) else 1


async def _of(app: Object, api: ArgoApi, wanted: RenderFlags, tools: RenderTools) -> AppParity:
    from syncline.api.applications import open_application
    from syncline.core.preview.parity import compared
    from syncline.model import application
    from syncline.model.errors import SynclineError
    from syncline.ports.kube import ApiError

    name = _name(app)
    try:
        theirs = await _manifests(app, api)
        typed = application.parse({**app, "apiVersion": "argoproj.io/v1alpha1", "kind": "Application"})
        opened = await open_application(typed, _at(wanted, app), wanted.cluster, tools)
        ours = [item.obj for item in (await opened.desired()).objects]
    except ApiError as error:
        return AppParity(name, "not rendered", reason=f"Argo CD: {error}")
    except SynclineError as error:
        return AppParity(name, "not rendered", reason=error.sentence())
    unequal = compared(ours, theirs, typed.spec.destination.namespace)
    return AppParity(name, "different" if unequal else "equal", len(ours), unequal)


def _at(flags: RenderFlags, app: Object) -> RenderFlags:
    """Return the flags for the revisions that Argo CD compared last."""
    status = (app.get("status") or {}).get("sync") or {}
    revisions = tuple(map(str, status.get("revisions") or [status.get("revision") or ""]))
    return dataclasses.replace(flags, revisions=revisions)


async def _manifests(app: Object, api: ArgoApi) -> list[Object]:
    status = (app.get("status") or {}).get("sync") or {}
    found = await api.of_app(app, "manifests", revision=str(status.get("revision") or ""))
    texts: Sequence[object] = found.get("manifests") or ()
    return [msgspec.json.decode(str(text), type=dict) for text in texts]


def _name(app: Object) -> str:
    return str((app.get("metadata") or {}).get("name") or "")


def _lines(found: Sequence[AppParity]) -> Iterator[str]:
    states = ("equal", "different", "not rendered")
    counts = ", ".join(f"{sum(one.state == state for one in found)} {state}" for state in states)
    yield f"{len(found)} app{'' if len(found) == 1 else 's'}: {counts}"
    for one in found:
        if one.state == "different":
            yield f"{one.app} differs in {len(one.unequal)} of {one.objects} objects"
            for item in one.unequal[:_SHOWN]:
                yield f"  {item.key.short}  {item.path or 'the object'}  Syncline: {item.ours}  Argo CD: {item.theirs}"
        elif one.state == "not rendered":
            yield f"{one.app} is not rendered: {one.reason}"
