"""`syncline app resources`, `get-resource`, `patch-resource` and `delete-resource`: an Application's live objects.

All four see what the Application manages and what those objects own, and nothing else: a name that belongs to another
Application is not found here.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import click
import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, gvk_of, key_of
from syncline.cli.actions import shown
from syncline.cli.applications import MANAGER, read_application, split_name
from syncline.cli.asking import agree
from syncline.cli.looking import looking
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.printing import print_objects
from syncline.cli.tables import table
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource, Cluster

if TYPE_CHECKING:
    from syncline.controller.destinations import Place
    from syncline.core.assess import Assessment

_HEADER = ("GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED")
_PATCHES = {
    "application/merge-patch+json": "merge",
    "application/json-patch+json": "json",
    "application/strategic-merge-patch+json": "strategic",
}
_NEVER_ORPHANS = (
    ("", "ServiceAccount", "default"),
    ("", "Service", "kubernetes"),
    ("", "ConfigMap", "kube-root-ca.crt"),
)


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of an Application are meant."""

    kind: str
    group: str | None
    namespace: str
    name: str

    def matches(self, key: ObjectKey) -> bool:
        """Whether an object is meant; what was not said matches everything."""
        return (
            key.kind == self.kind
            and (self.group is None or key.group == self.group)
            and (not self.namespace or key.namespace == self.namespace)
            and (not self.name or key.name == self.name)
        )

    def __str__(self) -> str:
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {where}{self.name}".strip()


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name objects; the command takes them as one `selection`."""

    @functools.wraps(command)
    def with_selection(
        *args: Any, kind: str, group: str | None, namespace: str, resource_name: str, **others: Any
    ) -> Any:
        selection = Selection(kind=kind, group=group, namespace=namespace, name=resource_name)
        return command(*args, selection=selection, **others)

    wrapped: Callable[..., Any] = with_selection
    for option in (
        click.option("--resource-name", default="", help="Name of the object."),
        click.option("--namespace", default="", help="Namespace of the object."),
        click.option("--group", default=None, help="API group of the object."),
        click.option("--kind", required=True, help="Kind of the object."),
    ):
        wrapped = option(wrapped)
    return wrapped


@asynccontextmanager
async def seen(name: str, chosen: Chosen) -> AsyncIterator[tuple[Assessment, Place, str]]:
    """Yield the Application as it is now, the cluster it is delivered to, and the words for the home cluster."""
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        await read_application(cluster, namespace, name)
        async with looking(cluster, chosen.namespace) as eyes:
            assessment = await eyes.assess(namespace, name)
            yield assessment, await eyes.place(assessment), words


@click.command()
@click.argument("name")
@chosen_cluster
@click.option("--orphaned", is_flag=True, help="Only objects of the destination namespace that no app manages.")
@output_option("wide", "json", "yaml")
def resources(name: str, chosen: Chosen, output: str, *, orphaned: bool) -> int:
    """List an Application's objects, those they own, and those of its namespace that nobody manages."""
    return asyncio.run(_resources(name, chosen, output, orphaned=orphaned))


async def _resources(name: str, chosen: Chosen, output: str, *, orphaned: bool) -> int:
    async with seen(name, chosen) as (assessment, place, words):
        managed = [] if orphaned else sorted(_keys(assessment))
        orphans = _orphans(assessment, place)
    rows = [(key, "No") for key in managed] + [(key, "Yes") for key in orphans]
    if output != "wide":
        print_objects([{**_values(key), "orphaned": yes == "Yes"} for key, yes in rows], output)
        return 0
    click.echo(f"{words}, read-only · {len(managed)} objects, {len(orphans)} orphaned", err=True)
    click.echo(table(_HEADER, ([key.group, key.kind, key.namespace, key.name, yes] for key, yes in rows)))
    return 0


def _values(key: ObjectKey) -> dict[str, Any]:
    return {"group": key.group, "kind": key.kind, "namespace": key.namespace, "name": key.name}


def _keys(assessment: Assessment) -> set[ObjectKey]:
    """Return what the app manages and what is owned by that: live objects, and desired ones that are missing."""
    rows = {row.key for row in assessment.comparison.rows}
    uids = {_uid(obj) for key, obj in assessment.live.items() if key in rows}
    owned: set[ObjectKey] = set()
    while True:
        fresh = {
            key
            for key, obj in assessment.live.items()
            if key not in owned and any(owner.get("uid") in uids for owner in _owners(obj))
        }
        if not fresh:
            return rows | owned
        owned |= fresh
        uids |= {_uid(assessment.live[key]) for key in fresh}


def _uid(obj: Object) -> Any:
    return (obj.get("metadata") or {}).get("uid")


def _owners(obj: Object) -> list[Any]:
    return (obj.get("metadata") or {}).get("ownerReferences") or []


def _orphans(assessment: Assessment, place: Place) -> list[ObjectKey]:
    """Return the roots in the destination namespace that belong to no app, less what Kubernetes puts there itself."""
    from syncline.core.compare import tracking

    settings = assessment.snapshot.settings
    ignored = ((assessment.snapshot.project or {}).get("spec") or {}).get("orphanedResources") or {}
    found = []
    for obj in place.live.index.in_namespace(assessment.app.spec.destination.namespace):
        key = key_of(obj)
        if _owners(obj) or tracking.owner_of(obj, settings) or key in assessment.live:
            continue
        if (key.group, key.kind, key.name) in _NEVER_ORPHANS or _is_ignored(key, ignored.get("ignore") or []):
            continue
        found.append(key)
    return sorted(found)


def _is_ignored(key: ObjectKey, rules: list[dict[str, str]]) -> bool:
    return any(
        fnmatchcase(key.group, rule.get("group") or "*")
        and fnmatchcase(key.kind, rule.get("kind") or "*")
        and fnmatchcase(key.name, rule.get("name") or "*")
        for rule in rules
    )


def chosen_objects(assessment: Assessment, selection: Selection) -> list[Object]:
    """Return the live objects that are meant; raises a sentence that names those of the same kind."""
    keys = _keys(assessment)
    found = [obj for key, obj in sorted(assessment.live.items()) if key in keys and selection.matches(key)]
    if not found:
        others = sorted(key.name for key in keys if key.kind == selection.kind)
        kinds = ", ".join(sorted({key.kind for key in keys}))
        there = f"of that kind: {', '.join(others)}" if others else f"kinds there: {kinds or 'none'}"
        raise NeedsUser(f"{assessment.app.metadata.name} has no {selection}", hint=there)
    return found


def one_of(found: list[Object], selection: Selection, *, every: bool) -> list[Object]:
    """Return the objects when there is one, or when all are meant; raises a sentence otherwise."""
    if len(found) > 1 and not every:
        listed = ", ".join(key_of(obj).short for obj in found[:10])
        raise NeedsUser(f"{len(found)} objects match {selection}", hint=f"name one, or say --all: {listed}")
    return found


async def _resource_of(cluster: Cluster, obj: Object) -> ApiResource:
    gvk = gvk_of(obj)
    resource = (await cluster.discover()).find(gvk.group_kind, gvk.version)
    if resource is None:
        raise NeedsUser(f"the cluster no longer serves {gvk.kind}")
    return resource


@click.command("get-resource")
@click.argument("name")
@chosen_cluster
@selection_options
@click.option("--show-managed-fields", is_flag=True, help="Show who wrote which field.")
@output_option("yaml", "json", "wide")
def get_resource(name: str, chosen: Chosen, selection: Selection, output: str, *, show_managed_fields: bool) -> int:
    """Show live objects of an Application; values of Secrets are masked."""
    return asyncio.run(_get_resource(name, chosen, selection, output, managed=show_managed_fields))


async def _get_resource(name: str, chosen: Chosen, selection: Selection, output: str, *, managed: bool) -> int:
    async with seen(name, chosen) as (assessment, _, words):
        found = [shown(obj) for obj in chosen_objects(assessment, selection)]
    if not managed:
        found = [_without_managed_fields(obj) for obj in found]
    if output == "wide":
        click.echo(f"{words}, read-only", err=True)
        rows = [[key.group, key.kind, key.namespace, key.name] for key in map(key_of, found)]
        click.echo(table(_HEADER[:4], rows))
        return 0
    print_objects(found, output)
    return 0


def _without_managed_fields(obj: Object) -> Object:
    metadata = {name: value for name, value in (obj.get("metadata") or {}).items() if name != "managedFields"}
    return {**obj, "metadata": metadata}


@click.command("patch-resource")
@click.argument("name")
@chosen_cluster
@selection_options
@click.option("--patch", "text", required=True, help="The patch, as JSON or YAML.")
@click.option(
    "--patch-type",
    type=click.Choice(list(_PATCHES)),
    default="application/merge-patch+json",
    show_default=True,
    help="Media type of the patch.",
)
@click.option("--all", "every", is_flag=True, help="Patch all objects that match.")
def patch_resource(name: str, chosen: Chosen, selection: Selection, text: str, patch_type: str, *, every: bool) -> int:
    """Patch live objects of an Application."""
    from syncline.apimachinery import yaml

    patch = yaml.load(text.encode(), source="--patch")
    return asyncio.run(_patch(name, chosen, selection, patch, _PATCHES[patch_type], every=every))


async def _patch(name: str, chosen: Chosen, selection: Selection, patch: Any, kind: Any, *, every: bool) -> int:
    async with seen(name, chosen) as (assessment, place, words):
        click.echo(words, err=True)
        for obj in one_of(chosen_objects(assessment, selection), selection, every=every):
            key = key_of(obj)
            resource = await _resource_of(place.cluster, obj)
            await place.cluster.patch(resource, key.namespace, key.name, patch, kind=kind, manager=MANAGER)
            click.echo(f"Resource '{key.name}' patched")
    return 0


@click.command("delete-resource")
@click.argument("name")
@chosen_cluster
@selection_options
@click.option("--all", "every", is_flag=True, help="Delete all objects that match.")
@click.option("--force", is_flag=True, help="Do not wait for what the object owns.")
@click.option("--orphan", is_flag=True, help="Keep what the object owns.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete_resource(
    name: str, chosen: Chosen, selection: Selection, *, every: bool, force: bool, orphan: bool, yes: bool
) -> int:
    """Delete live objects of an Application."""
    propagation = "Orphan" if orphan else "Background" if force else "Foreground"
    return asyncio.run(_delete(name, chosen, selection, propagation, every=every, ask=not yes))


async def _delete(name: str, chosen: Chosen, selection: Selection, propagation: str, *, every: bool, ask: bool) -> int:
    async with seen(name, chosen) as (assessment, place, words):
        found = one_of(chosen_objects(assessment, selection), selection, every=every)
        if ask:
            listed = ", ".join(key_of(obj).short for obj in found[:10])
            agree(words, f"Delete {len(found)} objects ({listed})?")
        for obj in found:
            key = key_of(obj)
            resource = await _resource_of(place.cluster, obj)
            uid = str(_uid(obj) or "")
            await place.cluster.delete(resource, key.namespace, key.name, uid=uid, propagation=propagation)
            click.echo(f"Resource '{key.name}' deleted")
    return 0
