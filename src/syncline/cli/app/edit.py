"""`syncline app edit` and `app patch`: change an Application's spec by hand."""

from __future__ import annotations

import asyncio

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.set import change
from syncline.cli.applications import read_application, split_name
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.model.errors import NeedsUser


@click.command()
@app_argument()
@chosen_cluster
def edit(name: str, chosen: Chosen) -> int:
    """Open an Application's spec in your editor, and store what you made of it."""
    from syncline.apimachinery import yaml

    obj = asyncio.run(_read(name, chosen))
    before = yaml.dump(obj["spec"])
    text = click.edit(before, extension=".yaml")
    if text is None or text == before:
        click.echo("edit cancelled, nothing was changed")
        return 0
    spec = yaml.load(text.encode(), source="what you wrote")
    if not isinstance(spec, dict):
        raise NeedsUser("what you wrote is no mapping, so nothing was changed")

    def put(app: Object) -> Object:
        if app["spec"] != obj["spec"]:
            raise NeedsUser(f"somebody else changed {name} while you edited it, so nothing was changed")
        return {**app, "spec": spec}

    return change(name, chosen, put)


async def _read(name: str, chosen: Chosen) -> Object:
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, _):
        return (await read_application(cluster, namespace, name))[1]


@click.command()
@app_argument()
@chosen_cluster
@click.option("--patch", "text", required=True, help="The patch, as JSON or YAML.")
@click.option(
    "--type",
    "kind",
    type=click.Choice(["json", "merge"]),
    default="json",
    show_default=True,
    help="JSON patch or merge patch.",
)
def patch(name: str, chosen: Chosen, text: str, kind: str) -> int:
    """Patch an Application, for example --type merge --patch '{"spec": {"source": {"targetRevision": "v2"}}}'."""
    from syncline.apimachinery import yaml
    from syncline.apimachinery.patch import json_merge, json_patch
    from syncline.apimachinery.patch.errors import PatchError

    value = yaml.load(text.encode(), source="--patch")
    if kind == "json" and not isinstance(value, list):
        raise NeedsUser("a JSON patch is a list of operations", hint="for a mapping say --type merge")
    if kind == "merge" and not isinstance(value, dict):
        raise NeedsUser("a merge patch is a mapping", hint="for a list of operations say --type json")

    def put(app: Object) -> Object:
        try:
            patched: Object = json_patch.apply(app, value) if kind == "json" else json_merge.apply(app, value)
        except PatchError as error:
            raise NeedsUser(f"the patch does not fit: {error}") from None
        if (patched.get("metadata") or {}).get("name") != app["metadata"]["name"]:
            raise NeedsUser("a patch cannot rename an Application")
        return patched

    return change(name, chosen, put, done="patched")
