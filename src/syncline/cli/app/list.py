"""`syncline app list`."""

from __future__ import annotations

import asyncio

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.waiting import is_held
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import fitting_columns, only_columns, table
from syncline.cli.show.words import conditions_of, policy_of, sync_and_health
from syncline.model.logins import without_logins
from syncline.verbs.list import ListRequest, list_applications

_HEADER = (
    "NAME",
    "CLUSTER",
    "NAMESPACE",
    "PROJECT",
    "STATUS",
    "HEALTH",
    "SYNCPOLICY",
    "CONDITIONS",
    "REPO",
    "PATH",
    "TARGET",
)


# What a terminal has no room for goes in this order: where it comes from first, how it is doing never.
_EXPENDABLE = ("REPO", "CLUSTER", "PATH", "TARGET", "PROJECT", "NAMESPACE", "SYNCPOLICY", "CONDITIONS")


@click.command("list")
@chosen_cluster
@click.option("-A", "--all-namespaces", is_flag=True, help="Applications of every namespace.")
@click.option("-l", "--selector", default="", help="Only those whose labels match.")
@click.option("-p", "--project", "projects", multiple=True, help="Only those of this project (can be repeated).")
@click.option("-r", "--repo", default="", help="Only those from this repository.")
@click.option("-c", "--cluster", default="", help="Only those for this cluster, by name or address.")
@click.option("-P", "--path", default="", help="Only those of this path.")
@click.option(
    "-o",
    "--output",
    type=Choice(("wide", "name", "json", "yaml")),
    default=None,
    help="Output format (default: the columns of wide that fit the terminal).",
)
def list_(
    chosen: Chosen,
    selector: str,
    projects: tuple[str, ...],
    repo: str,
    cluster: str,
    path: str,
    output: str | None,
    *,
    all_namespaces: bool,
) -> int:
    """List Applications."""
    request = ListRequest(selector=selector, projects=projects, repo=repo, cluster=cluster, path=path)
    return asyncio.run(_list(chosen, request, output, all_namespaces=all_namespaces))


async def _list(chosen: Chosen, request: ListRequest, output: str | None, *, all_namespaces: bool) -> int:
    async with chosen.opened() as home:
        words = home.words
        if all_namespaces:
            found = await list_applications(home.cluster, "", request)
        else:
            found = await chosen.applications(home.cluster, request)
    items = [stored.obj for stored in found]
    if output in ("json", "yaml"):
        print_objects(items, output)
        return 0
    if output == "name":
        for item in items:
            terminal.echo(_name(item))
        return 0
    good = sum(1 for item in items if sync_and_health(item) == ("Synced", "Healthy"))
    rows = [_row(item) for item in items]
    kept = fitting_columns(_HEADER, rows, None if output == "wide" else terminal.columns(), _EXPENDABLE)
    left_out = ", ".join(title for title in _HEADER if title not in kept)
    narrow = f"; no room for {left_out}: -o wide shows all" if left_out else ""
    counted = f"{len(items)} app{'' if len(items) == 1 else 's'}, {good} Synced and Healthy"
    held = sum(map(is_held, items))
    waiting = f", {held} held by sync windows" if held else ""
    terminal.echo(f"{words} · {counted}{waiting}{narrow}", err=True)
    terminal.echo(table(kept, only_columns(_HEADER, rows, kept)))
    return 0


def _name(obj: Object) -> str:
    return f"{obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"


def _row(obj: Object) -> list[str]:
    spec = obj.get("spec") or {}
    destination = spec.get("destination") or {}
    source = spec.get("source") or (spec.get("sources") or [{}])[0]
    sync, health = sync_and_health(obj)
    return [
        _name(obj),
        str(destination.get("name") or destination.get("server") or ""),
        str(destination.get("namespace") or ""),
        str(spec.get("project") or "default"),
        sync,
        health,
        policy_of(obj),
        conditions_of(obj),
        without_logins(str(source.get("repoURL") or "")),
        str(source.get("path") or source.get("chart") or ""),
        str(source.get("targetRevision") or ""),
    ]
