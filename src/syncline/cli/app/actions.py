"""`syncline app actions list|run`: what can be done with an Application's objects besides syncing them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from syncline import wiring
from syncline.apimachinery.keys import Object, gvk_of, key_of
from syncline.cli.app.selection import (
    Selection,
    chosen_objects,
    one_of,
    optional_selection,
    seen,
    selection_options,
)
from syncline.cli.applications import MANAGER
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.model.actions import ActionOperation, ActionStep
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.controller.clusters.destinations import Place
    from syncline.core.assess import Assessment

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
    type=click.Choice(("wide", "json", "yaml")),
    default="wide",
    show_default=True,
    help="Output format.",
)
def list_(name: str, chosen: Chosen, selection: Selection, output: str) -> int:
    """List the actions that live objects of an Application offer now."""
    return asyncio.run(_list(name, chosen, selection, output))


async def _list(name: str, chosen: Chosen, selection: Selection, output: str) -> int:
    from syncline.cli.actions import offered

    async with seen(name, chosen) as (assessment, _, words):
        settings = assessment.snapshot.settings
        async with wiring.evaluating(settings.jq_timeout) as evaluator:
            found = await offered(chosen_objects(assessment, selection), settings, evaluator)
    for one in found:
        if one.error:
            click.echo(f"{key_of(one.obj)}: {one.error}", err=True)
    rows = [(key_of(one.obj), action) for one in found for action in one.actions]
    if output != "wide":
        listed = [
            {"group": key.group, "kind": key.kind, "name": key.name, "action": one.name, "disabled": one.disabled}
            for key, one in rows
        ]
        print_objects(listed, output)
        return 0
    click.echo(f"{words}, read-only · {len(rows)} actions", err=True)
    cells = ([key.group, key.kind, key.name, one.name, str(one.disabled).lower()] for key, one in rows)
    click.echo(table(_HEADER, cells))
    return 0


@actions.command()
@app_argument()
@click.argument("action")
@chosen_cluster
@selection_options
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameter of the action; repeatable.")
@click.option("--all", "every", is_flag=True, help="Run it on all objects that match.")
def run(
    name: str, action: str, chosen: Chosen, selection: Selection, parameters: tuple[str, ...], *, every: bool
) -> int:
    """Run an action, such as restart, on a live object of an Application."""
    from syncline.cli.actions import parameter

    return asyncio.run(_run(name, action, chosen, selection, dict(map(parameter, parameters)), every=every))


async def _run(
    name: str, action: str, chosen: Chosen, selection: Selection, parameters: Mapping[str, str], *, every: bool
) -> int:
    async with seen(name, chosen) as (assessment, place, words):
        click.echo(words, err=True)
        for obj in one_of(chosen_objects(assessment, selection), selection, every=every):
            for step in await _steps(action, obj, parameters, assessment):
                await _write(place, obj, step)
                click.echo(f"{action}: {step.operation.value} {key_of(step.obj).short}")
    return 0


async def _steps(
    action: str, obj: Object, parameters: Mapping[str, str], assessment: Assessment
) -> tuple[ActionStep, ...]:
    """Return what to write; an action that the object does not offer right now is refused."""
    from syncline.cli.actions import Run, offered, steps

    settings = assessment.snapshot.settings
    async with wiring.evaluating(settings.jq_timeout) as evaluator:
        (found,) = await offered([obj], settings, evaluator)
        now = next((one for one in found.actions if one.name == action), None)
        if now is not None and now.disabled:
            raise NeedsUser(f"{key_of(obj)} does not offer {action} now: it would change nothing")
        return await steps(Run(action, obj, parameters, wiring.clock().now()), settings, evaluator)


async def _write(place: Place, before: Object, step: ActionStep) -> None:
    """Write one step: a new object is created, a changed one sent as the difference to what was read."""
    from syncline.apimachinery.patch import json_merge

    gvk, key = gvk_of(step.obj), key_of(step.obj)
    resource = (await place.cluster.discover()).find(gvk.group_kind, gvk.version)
    if resource is None:
        raise NeedsUser(f"the cluster serves no {gvk.kind}")
    if step.operation is ActionOperation.CREATE:
        await place.cluster.create(resource, step.obj, manager=MANAGER)
        return
    if key != key_of(before):
        raise NeedsUser(f"the action changes {key}, which it was not run on")
    patch = json_merge.make(before, step.obj)
    if patch:
        await place.cluster.patch(resource, key.namespace, key.name, patch, manager=MANAGER)
