"""`syncline app resources`, `get-resource`, `patch-resource` and `delete-resource`: an Application's live objects."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.cli.app.selection import looked_at, one_or_all, project_option, selection_options
from syncline.cli.asking import agree
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.verbs.resources import (
    ChildPolicy,
    DeleteResourceRequest,
    PatchResourceRequest,
    ResourceChoice,
    chosen_objects,
    masked,
)

_HEADER = ("GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED")
_PATCHES = {
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
    "application/strategic-merge-patch+json": "strategic",
}


@click.command()
@app_argument()
@chosen_cluster
@click.option("--orphaned", is_flag=True, help="Only objects of the destination namespace that no app manages.")
@project_option
@output_option("wide", "tree", "tree=detailed", "json", "yaml")
def resources(name: str, chosen: Chosen, project: str, output: str, *, orphaned: bool) -> int:
    """List an Application's objects and the orphans of its namespace; as a tree with their dependents."""
    return asyncio.run(_resources(name, chosen, project, output, orphaned=orphaned))


async def _resources(name: str, chosen: Chosen, project: str, output: str, *, orphaned: bool) -> int:
    from syncline import wiring
    from syncline.cli.show.object_tree import resource_tree

    async with looked_at(name, chosen, project) as (seen, words):
        assessment = seen.assessment
        managed = [] if orphaned else sorted(row.key for row in assessment.comparison.rows)
        orphans = await seen.orphans()
    rows = [(key, "No") for key in managed] + [(key, "Yes") for key in orphans]
    if output in ("json", "yaml"):
        print_objects([{**_values(key), "orphaned": yes == "Yes"} for key, yes in rows], output)
        return 0
    terminal.echo(f"{words}, read-only · {len(managed)} objects, {len(orphans)} orphaned", err=True)
    if output.startswith("tree"):
        terminal.echo(resource_tree(assessment, rows, wiring.clock().now(), detailed=output == "tree=detailed"))
    else:
        terminal.echo(table(_HEADER, ([key.group, key.kind, key.namespace, key.name, yes] for key, yes in rows)))
    return 0


def _values(key: ObjectKey) -> dict[str, Any]:
    return {"group": key.group, "kind": key.kind, "namespace": key.namespace, "name": key.name}


@click.command("get-resource")
@app_argument()
@chosen_cluster
@selection_options
@project_option
@click.option("--filter-fields", multiple=True, help="Only these fields, such as status.podIP,spec.replicas.")
@click.option("--show-managed-fields", is_flag=True, help="Show managed fields.")
@output_option("wide", "yaml", "json")
def get_resource(
    name: str,
    chosen: Chosen,
    selection: ResourceChoice,
    project: str,
    filter_fields: tuple[str, ...],
    output: str,
    *,
    show_managed_fields: bool,
) -> int:
    """Show live objects of an Application; values of Secrets are masked."""
    from syncline.cli.show.fields import fields_table, only_fields

    found, words = asyncio.run(_live(name, chosen, selection, project))
    if not show_managed_fields:
        found = [without_managed_fields(obj) for obj in found]
    names = [str(obj["metadata"]["name"]) for obj in found]
    if wanted := [field.strip() for text in filter_fields for field in text.split(",") if field.strip()]:
        found = [only_fields(obj, wanted) for obj in found]
    if output == "wide":
        terminal.echo(f"{words}, read-only", err=True)
        terminal.echo(fields_table(found, [] if selection.name else names))
    elif output == "json" and selection.name:
        print_object(found[0], output)
    else:
        print_objects(found, output)
    return 0


async def _live(name: str, chosen: Chosen, selection: ResourceChoice, project: str) -> tuple[list[Object], str]:
    async with looked_at(name, chosen, project) as (seen, words):
        return [masked(obj) for obj in chosen_objects(seen.assessment, selection)], words


def without_managed_fields(obj: Object) -> Object:
    """Return an object without the long list of who wrote what."""
    metadata = {name: value for name, value in (meta.metadata(obj)).items() if name != "managedFields"}
    return {**obj, "metadata": metadata}


@click.command("patch-resource")
@app_argument()
@chosen_cluster
@selection_options
@project_option
@click.option("--patch", "text", required=True, help="The patch, as JSON or YAML.")
@click.option(
    "--patch-type",
    type=Choice(list(_PATCHES)),
    default="application/merge-patch+json",
    show_default=True,
    help="Media type of the patch.",
)
@click.option("--all", "every", is_flag=True, help="Patch all objects that match.")
def patch_resource(
    name: str, chosen: Chosen, selection: ResourceChoice, project: str, text: str, patch_type: str, *, every: bool
) -> int:
    """Patch live objects of an Application."""
    from syncline.apimachinery import yaml

    patch = (yaml.load(text.encode(), source="--patch"), _PATCHES[patch_type])
    return asyncio.run(_patch(name, chosen, selection, project, patch, every=every))


async def _patch(
    name: str, chosen: Chosen, selection: ResourceChoice, project: str, patch: tuple[Any, Any], *, every: bool
) -> int:
    change, kind = patch
    async with looked_at(name, chosen, project) as (seen, words):
        terminal.echo(words, err=True)
        for obj in one_or_all(chosen_objects(seen.assessment, selection), selection, every=every):
            request = PatchResourceRequest(key=key_of(obj), patch=change, kind=kind)
            await seen.patch(request)
            terminal.echo(f"Resource '{request.key.name}' patched")
    return 0


@click.command("delete-resource")
@app_argument()
@chosen_cluster
@selection_options
@project_option
@click.option("--all", "every", is_flag=True, help="Delete all objects that match.")
@click.option("--force", is_flag=True, help="Do not wait for dependents.")
@click.option("--orphan", is_flag=True, help="Keep dependents.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete_resource(name: str, chosen: Chosen, selection: ResourceChoice, project: str, **asked: bool) -> int:
    """Delete live objects of an Application."""
    return asyncio.run(_delete(name, chosen, selection, project, asked))


async def _delete(name: str, chosen: Chosen, selection: ResourceChoice, project: str, asked: dict[str, bool]) -> int:
    children = ChildPolicy.FOREGROUND
    if asked["force"] or asked["orphan"]:
        children = ChildPolicy.ORPHAN if asked["orphan"] else ChildPolicy.BACKGROUND
    async with looked_at(name, chosen, project) as (seen, words):
        found = one_or_all(chosen_objects(seen.assessment, selection), selection, every=asked["every"])
        if not asked["yes"]:
            listed = ", ".join(key_of(obj).short for obj in found[:10])
            agree(words, f"Delete {len(found)} objects ({listed})?")
        for obj in found:
            request = DeleteResourceRequest(key=key_of(obj), children=children)
            await seen.delete(request)
            terminal.echo(f"Resource '{request.key.name}' deleted")
    return 0
