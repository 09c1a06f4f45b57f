"""`syncline appset list` and `get`, with the columns of `argocd appset`."""

from __future__ import annotations

import asyncio

import click

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.cli.appset.naming import set_key
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import fitting_columns, only_columns, table
from syncline.cli.show.words import sync_and_health
from syncline.core.policy.set_writing import project_of
from syncline.model.logins import without_logins
from syncline.verbs.applicationsets import StoredSet, list_sets, read_set

_HEADER = ("NAME", "PROJECT", "SYNCPOLICY", "APPS", "HEALTH", "CONDITIONS", "REPO", "PATH", "TARGET")
_EXPENDABLE = ("REPO", "PATH", "TARGET", "PROJECT", "SYNCPOLICY")


@click.command("list")
@chosen_cluster
@click.option("-A", "--all-namespaces", is_flag=True, help="ApplicationSets of every namespace.")
@click.option("-l", "--selector", default="", help="Only those whose labels match.")
@click.option("-p", "--project", "projects", multiple=True, help="Only those of this project (can be repeated).")
@click.option(
    "-o",
    "--output",
    type=Choice(("wide", "name", "json", "yaml")),
    default=None,
    help="Output format (default: the columns of wide that fit the terminal).",
)
def list_(chosen: Chosen, selector: str, projects: tuple[str, ...], output: str | None, *, all_namespaces: bool) -> int:
    """List ApplicationSets."""
    namespace = "" if all_namespaces or (chosen.server is not None and not chosen.named) else chosen.namespace
    return asyncio.run(_list(chosen, namespace, selector, projects, output))


async def _list(chosen: Chosen, namespace: str, selector: str, projects: tuple[str, ...], output: str | None) -> int:
    async with chosen.opened() as home:
        words = home.words
        items = await list_sets(home.cluster, namespace, selector, projects)
    if output in ("json", "yaml"):
        print_objects(items, output)
        return 0
    if output == "name":
        for item in items:
            terminal.echo(f"{meta.namespace(item)}/{meta.name(item)}")
        return 0
    rows = [_row(item) for item in items]
    kept = fitting_columns(_HEADER, rows, None if output == "wide" else terminal.columns(), _EXPENDABLE)
    terminal.echo(f"{words} · {len(items)} ApplicationSet{'' if len(items) == 1 else 's'}", err=True)
    terminal.echo(table(kept, only_columns(_HEADER, rows, kept)))
    return 0


def _row(obj: Object) -> list[str]:
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    template = (spec.get("template") or {}).get("spec") or {}
    source = template.get("source") or (template.get("sources") or [{}])[0]
    holding = [str(one["type"]) for one in status.get("conditions") or () if one.get("status") == "True"]
    return [
        f"{meta.namespace(obj)}/{meta.name(obj)}",
        project_of(obj),
        policy_of(spec),
        str(status.get("resourcesCount", len(status.get("resources") or ()))),
        str((status.get("health") or {}).get("status") or "Unknown"),
        ",".join(holding) or "<none>",
        without_logins(str(source.get("repoURL") or "")),
        str(source.get("path") or source.get("chart") or ""),
        str(source.get("targetRevision") or ""),
    ]


def policy_of(spec: Object) -> str:
    """Return what the set may do to Applications, in a word."""
    return str((spec.get("syncPolicy") or {}).get("applicationsSync") or "sync")


@click.command()
@click.argument("name")
@chosen_cluster
@output_option("text", "json", "yaml")
def get(name: str, chosen: Chosen, output: str) -> int:
    """Show one ApplicationSet with its Applications and conditions."""
    return asyncio.run(_get(chosen, name, output))


async def _get(chosen: Chosen, name: str, output: str) -> int:
    async with chosen.opened() as home:
        words = home.words
        stored = await read_set(home.cluster, set_key(chosen, name, home.namespace))
    if output != "text":
        print_object(stored.obj, output)
        return 0
    terminal.echo(words, err=True)
    for title, text in _facts(stored):
        terminal.echo(f"{title + ':':<20}{text}")
    conditions = (stored.obj.get("status") or {}).get("conditions") or ()
    if conditions:
        rows = [[str(one.get(part) or "") for part in ("type", "status", "message")] for one in conditions]
        terminal.echo("\n" + table(("CONDITION", "STATUS", "MESSAGE"), rows))
    if stored.apps:
        steps = {
            one["application"]: f"{one['step']} {one['status']}"
            for one in (stored.obj.get("status") or {}).get("applicationStatus") or ()
        }
        header = ("APPLICATION", "STATUS", "HEALTH", *(("STEP",) if steps else ()))
        listed = [
            [meta.name(app), *sync_and_health(app), *((steps.get(meta.name(app), ""),) if steps else ())]
            for app in stored.apps
        ]
        terminal.echo("\n" + table(header, listed))
    return 0


def _facts(stored: StoredSet) -> list[tuple[str, str]]:
    spec = stored.obj.get("spec") or {}
    health = (stored.obj.get("status") or {}).get("health") or {}
    kinds = [", ".join(sorted(set(entry) - {"selector"})) for entry in spec.get("generators") or ()]
    return [
        ("Name", str(stored.key)),
        ("Project", project_of(stored.obj)),
        ("Generators", "; ".join(kinds) or "<none>"),
        ("Sync Policy", policy_of(spec)),
        ("Health Status", str(health.get("status") or "Unknown")),
        ("Applications", str(len(stored.apps))),
    ]
