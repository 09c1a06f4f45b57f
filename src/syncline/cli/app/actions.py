"""`syncline app actions list|run`: what can be done with an Application's objects besides syncing them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import click

from syncline.apimachinery.keys import key_of
from syncline.cli.app.selection import looked_at, one_or_all, optional_selection, selection_options
from syncline.cli.choice import Choice
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.model.errors import InvalidSpec
from syncline.verbs.resources import ResourceChoice, chosen_objects

_HEADER = ("GROUP", "KIND", "NAME", "ACTION", "DISABLED")


@click.group(cls=SwitchGroup)
def actions() -> None:
    """List and run actions on an Application's objects."""


@actions.command("list")
@app_argument()
@chosen_cluster
@optional_selection
@click.option(
    "-o",
    "--output",
    "--out",
    type=Choice(("wide", "json", "yaml")),
    default="wide",
    show_default=True,
    help="Output format.",
)
def list_(name: str, chosen: Chosen, selection: ResourceChoice, output: str) -> int:
    """List the actions that live objects of an Application offer now."""
    return asyncio.run(_list(name, chosen, selection, output))


async def _list(name: str, chosen: Chosen, selection: ResourceChoice, output: str) -> int:
    async with looked_at(name, chosen) as (seen, words):
        found = await seen.offered(chosen_objects(seen.assessment, selection))
    for one in found:
        if one.error:
            terminal.echo(f"{key_of(one.obj)}: {one.error}", err=True)
    rows = [(key_of(one.obj), action) for one in found for action in one.actions]
    if output != "wide":
        listed = [
            {"group": key.group, "kind": key.kind, "name": key.name, "action": one.name, "disabled": one.disabled}
            for key, one in rows
        ]
        print_objects(listed, output)
        return 0
    terminal.echo(f"{words}, read-only · {len(rows)} actions", err=True)
    cells = ([key.group, key.kind, key.name, one.name, str(one.disabled).lower()] for key, one in rows)
    terminal.echo(table(_HEADER, cells))
    return 0


@actions.command()
@app_argument()
@click.argument("action")
@chosen_cluster
@selection_options
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameter of the action; repeatable.")
@click.option("--all", "every", is_flag=True, help="Run it on all objects that match.")
def run(
    name: str, action: str, chosen: Chosen, selection: ResourceChoice, parameters: tuple[str, ...], *, every: bool
) -> int:
    """Run an action, such as restart, on a live object of an Application."""
    return asyncio.run(_run(name, action, chosen, selection, dict(map(parameter, parameters)), every=every))


def parameter(text: str) -> tuple[str, str]:
    """Read NAME=VALUE; raises a sentence."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidSpec(f"--param {text}: write NAME=VALUE")
    return name, value


async def _run(
    name: str, action: str, chosen: Chosen, selection: ResourceChoice, parameters: Mapping[str, str], *, every: bool
) -> int:
    from syncline.verbs.actions import ActionRequest

    async with looked_at(name, chosen) as (seen, words):
        terminal.echo(words, err=True)
        for obj in one_or_all(chosen_objects(seen.assessment, selection), selection, every=every):
            request = ActionRequest(key=key_of(obj), action=action, parameters=parameters)
            async for operation, key in seen.run_action(request):
                terminal.echo(f"{action}: {operation} {key.short}")
    return 0
