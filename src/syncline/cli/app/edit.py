"""`syncline app edit` and `app patch`: change an Application's spec by hand."""

from __future__ import annotations

import asyncio
import functools
from typing import Literal

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.set import change
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.verbs import edit as verb
from syncline.verbs.applications import read_application


@click.command()
@app_argument()
@chosen_cluster
def edit(name: str, chosen: Chosen) -> int:
    """Edit an Application's spec in your editor."""
    from syncline.apimachinery import yaml

    obj = asyncio.run(_read(name, chosen))
    before = yaml.dump(obj["spec"])
    text = click.edit(before, extension=".yaml")
    if text is None or text == before:
        terminal.echo("edit cancelled, nothing was changed")
        return 0
    spec = yaml.load(text.encode(), source="the edited text")
    if not isinstance(spec, dict):
        raise NeedsUser("the edited text is not a YAML mapping, so nothing was changed")

    request = functools.partial(verb.ReplaceSpecRequest, spec=spec, expected=obj["spec"])
    return change(name, chosen, lambda cluster, completed: verb.replace_spec(cluster, completed(request)))


async def _read(name: str, chosen: Chosen) -> Object:
    async with chosen.opened() as home:
        return (await read_application(home.cluster, await chosen.find(home.cluster, name, home))).obj


@click.command()
@app_argument()
@chosen_cluster
@click.option("--patch", "text", required=True, help="The patch, as JSON or YAML.")
@click.option(
    "--type",
    "kind",
    type=Choice(["json", "merge"]),
    default="json",
    show_default=True,
    help="JSON patch or merge patch.",
)
def patch(name: str, chosen: Chosen, text: str, kind: Literal["json", "merge"]) -> int:
    """Patch an Application, for example --type merge --patch '{"spec": {"source": {"targetRevision": "v2"}}}'."""
    from syncline.apimachinery import yaml

    value = yaml.load(text.encode(), source="--patch")
    request = functools.partial(verb.PatchRequest, patch=value, kind=kind)
    return change(
        name,
        chosen,
        lambda cluster, completed: verb.patch_application(cluster, completed(request)),
        done="patched",
    )
