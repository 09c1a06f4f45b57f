"""`syncline app resources`, `get-resource`, `patch-resource` and `delete-resource`: an Application's live objects."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import click

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.cli.actions import shown
from syncline.cli.app.selection import (
    Selection,
    chosen_objects,
    one_of,
    project_option,
    seen,
    selection_options,
    uid_of,
)
from syncline.cli.applications import MANAGER
from syncline.cli.asking import agree
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource, Cluster

if TYPE_CHECKING:
    from syncline.controller.clusters.destinations import Place
    from syncline.core.assess import Assessment

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
    """List an Application's objects, and those of its namespace that nobody manages; as a tree with what they own."""
    return asyncio.run(_resources(name, chosen, project, output, orphaned=orphaned))


async def _resources(name: str, chosen: Chosen, project: str, output: str, *, orphaned: bool) -> int:
    from syncline import wiring
    from syncline.cli.show.object_tree import resource_tree

    async with seen(name, chosen, project) as (assessment, place, words):
        managed = [] if orphaned else sorted(row.key for row in assessment.comparison.rows)
        orphans = _orphans(assessment, place)
    rows = [(key, "No") for key in managed] + [(key, "Yes") for key in orphans]
    if output in ("json", "yaml"):
        print_objects([{**_values(key), "orphaned": yes == "Yes"} for key, yes in rows], output)
        return 0
    click.echo(f"{words}, read-only · {len(managed)} objects, {len(orphans)} orphaned", err=True)
    if output.startswith("tree"):
        click.echo(resource_tree(assessment, rows, wiring.clock().now(), detailed=output == "tree=detailed"))
    else:
        click.echo(table(_HEADER, ([key.group, key.kind, key.namespace, key.name, yes] for key, yes in rows)))
    return 0


def _values(key: ObjectKey) -> dict[str, Any]:
    return {"group": key.group, "kind": key.kind, "namespace": key.namespace, "name": key.name}


def _orphans(assessment: Assessment, place: Place) -> list[ObjectKey]:
    """Return the roots in the destination namespace that belong to no app, less what Kubernetes puts there itself."""
    from syncline.core.policy import orphans
    from syncline.model import project
    from syncline.model.project import OrphanedResources

    described = assessment.snapshot.project
    rules = project.parse(described).spec.orphaned_resources if described else None
    index, namespace = place.live.index, assessment.app.spec.destination.namespace
    return orphans.roots(index.strays(namespace), assessment.live, rules or OrphanedResources(), index.excluded)


async def _resource_of(cluster: Cluster, obj: Object) -> ApiResource:
    gvk = gvk_of(obj)
    resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
    if resource is None:
        raise NeedsUser(f"the cluster no longer serves {gvk.kind}")
    return resource


@click.command("get-resource")
@app_argument()
@chosen_cluster
@selection_options
@project_option
@click.option("--filter-fields", multiple=True, help="Only these fields, such as status.podIP,spec.replicas.")
@click.option("--show-managed-fields", is_flag=True, help="Show who wrote which field.")
@output_option("wide", "yaml", "json")
def get_resource(
    name: str,
    chosen: Chosen,
    selection: Selection,
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
        click.echo(f"{words}, read-only", err=True)
        click.echo(fields_table(found, [] if selection.name else names))
    elif output == "json" and selection.name:
        print_object(found[0], output)
    else:
        print_objects(found, output)
    return 0


async def _live(name: str, chosen: Chosen, selection: Selection, project: str) -> tuple[list[Object], str]:
    async with seen(name, chosen, project) as (assessment, _, words):
        return [shown(obj) for obj in chosen_objects(assessment, selection)], words


def without_managed_fields(obj: Object) -> Object:
    """Return an object without the long list of who wrote what."""
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name != "managedFields"}
    return {**obj, "metadata": metadata}


@click.command("patch-resource")
@app_argument()
@chosen_cluster
@selection_options
@project_option
@click.option("--patch", "text", required=True, help="The patch, as JSON or YAML.")
@click.option(
    "--patch-type",
    type=click.Choice(list(_PATCHES)),
    default="application/merge-patch+json",
    show_default=True,
    help="Media type of the patch.",
)
@click.option("--all", "every", is_flag=True, help="Patch all objects that match.")
def patch_resource(
    name: str, chosen: Chosen, selection: Selection, project: str, text: str, patch_type: str, *, every: bool
) -> int:
    """Patch live objects of an Application."""
    from syncline.apimachinery import yaml

    patch = (yaml.load(text.encode(), source="--patch"), _PATCHES[patch_type])
    return asyncio.run(_patch(name, chosen, selection, project, patch, every=every))


async def _patch(
    name: str, chosen: Chosen, selection: Selection, project: str, patch: tuple[Any, Any], *, every: bool
) -> int:
    change, kind = patch
    async with seen(name, chosen, project) as (assessment, place, words):
        click.echo(words, err=True)
        for obj in one_of(chosen_objects(assessment, selection), selection, every=every):
            key = key_of(obj)
            resource = await _resource_of(place.cluster, obj)
            await place.cluster.patch(resource, key.namespace, key.name, change, kind=kind, manager=MANAGER)
            click.echo(f"Resource '{key.name}' patched")
    return 0


@click.command("delete-resource")
@app_argument()
@chosen_cluster
@selection_options
@project_option
@click.option("--all", "every", is_flag=True, help="Delete all objects that match.")
@click.option("--force", is_flag=True, help="Do not wait for what the object owns.")
@click.option("--orphan", is_flag=True, help="Keep what the object owns.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete_resource(name: str, chosen: Chosen, selection: Selection, project: str, **asked: bool) -> int:
    """Delete live objects of an Application."""
    return asyncio.run(_delete(name, chosen, selection, project, asked))


async def _delete(name: str, chosen: Chosen, selection: Selection, project: str, asked: dict[str, bool]) -> int:
    propagation = "Orphan" if asked["orphan"] else "Background" if asked["force"] else "Foreground"
    async with seen(name, chosen, project) as (assessment, place, words):
        found = one_of(chosen_objects(assessment, selection), selection, every=asked["every"])
        if not asked["yes"]:
            listed = ", ".join(key_of(obj).short for obj in found[:10])
            agree(words, f"Delete {len(found)} objects ({listed})?")
        for obj in found:
            key = key_of(obj)
            resource = await _resource_of(place.cluster, obj)
            uid = str(uid_of(obj) or "")
            await place.cluster.delete(resource, key.namespace, key.name, uid=uid, propagation=propagation)
            click.echo(f"Resource '{key.name}' deleted")
    return 0
