"""`syncline proj create`, `set`, `edit` and `delete`."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.asking import agree
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.proj.changing import PROJECT, changed
from syncline.cli.show import terminal
from syncline.model import names
from syncline.model.errors import NeedsUser
from syncline.verbs import project_edits
from syncline.verbs.projects import create_project, delete_project, read_project

_SERVER_FIELDS = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink")


def _spec_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that set fields of a spec; the command takes what was given as `fields`."""

    @functools.wraps(command)
    def with_fields(*args: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in _READERS}
        context = click.get_current_context()
        default = click.core.ParameterSource.DEFAULT
        said = {name: value for name, value in given.items() if context.get_parameter_source(name) is not default}
        return command(*args, fields=_fields(said), **options)

    for option in reversed(_OPTIONS):
        with_fields = option(with_fields)
    return with_fields


def _pairs(values: Sequence[str], titles: Sequence[str], flag: str) -> list[dict[str, str]]:
    found = []
    for value in values:
        parts = value.split(",")
        if len(parts) != len(titles):
            raise click.BadParameter(f"'{value}' is not of the form {','.join(titles)}", param_hint=flag)
        found.append(dict(zip(titles, parts, strict=True)))
    return found


def _kinds(values: Sequence[str], *, named: bool) -> list[dict[str, str]]:
    found = []
    for value in values:
        parts = value.split("/")
        if len(parts) > (3 if named else 2):
            raise click.BadParameter(f"'{value}' is not of the form GROUP/KIND{'/NAME' if named else ''}")
        group, kind, name = ("", *parts, "") if len(parts) == 1 else (*parts, "")[:3]
        found.append({"group": group, "kind": kind, **({"name": name} if name else {})})
    return found


def _words(values: Sequence[str]) -> list[str]:
    return [word for value in values for word in value.split(",") if word]


_READERS: dict[str, Callable[[Any], Any]] = {
    "description": str,
    "destinations": lambda given: _pairs(given, ("server", "namespace"), "--dest"),
    "source_repos": list,
    "signature_keys": lambda given: [{"keyID": key} for key in _words(given)],
    "allowed_cluster": lambda given: _kinds(given, named=True),
    "denied_cluster": lambda given: _kinds(given, named=True),
    "allowed_namespaced": lambda given: _kinds(given, named=False),
    "denied_namespaced": lambda given: _kinds(given, named=False),
    "source_namespaces": _words,
    "service_accounts": lambda given: _pairs(
        given, ("server", "namespace", "defaultServiceAccount"), "--dest-service-accounts"
    ),
    "orphans": bool,
    "orphans_warn": bool,
}
_NAMES = {
    "description": "description",
    "destinations": "destinations",
    "source_repos": "sourceRepos",
    "signature_keys": "signatureKeys",
    "allowed_cluster": "clusterResourceWhitelist",
    "denied_cluster": "clusterResourceBlacklist",
    "allowed_namespaced": "namespaceResourceWhitelist",
    "denied_namespaced": "namespaceResourceBlacklist",
    "source_namespaces": "sourceNamespaces",
    "service_accounts": "destinationServiceAccounts",
}
_OPTIONS = (
    click.option("--description", default="", help="Description."),
    click.option("-d", "--dest", "destinations", multiple=True, metavar="SERVER,NAMESPACE", help="Destination."),
    click.option("-s", "--src", "source_repos", multiple=True, metavar="URL", help="Source repository."),
    click.option("--signature-keys", multiple=True, metavar="KEY-ID", help="Key that commits are signed with."),
    click.option("--allow-cluster-resource", "allowed_cluster", multiple=True, metavar="GROUP/KIND[/NAME]",
                 help="Cluster-scoped kind that is permitted."),
    click.option("--deny-cluster-resource", "denied_cluster", multiple=True, metavar="GROUP/KIND[/NAME]",
                 help="Cluster-scoped kind that is forbidden."),
    click.option("--allow-namespaced-resource", "allowed_namespaced", multiple=True, metavar="GROUP/KIND",
                 help="Namespaced kind that is permitted."),
    click.option("--deny-namespaced-resource", "denied_namespaced", multiple=True, metavar="GROUP/KIND",
                 help="Namespaced kind that is forbidden."),
    click.option("--source-namespaces", multiple=True, metavar="NAMESPACE", help="Namespace of Applications."),
    click.option("--dest-service-accounts", "service_accounts", multiple=True,
                 metavar="SERVER,NAMESPACE,ACCOUNT", help="Service account of a destination."),
    click.option("--orphaned-resources/--no-orphaned-resources", "orphans", default=False,
                 help="Monitor objects that belong to no Application."),
    click.option("--orphaned-resources-warn/--no-orphaned-resources-warn", "orphans_warn", default=False,
                 help="Warn about such objects."),
)  # fmt: skip


def _fields(said: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a spec that options stand for; None is to be removed."""
    fields = {_NAMES[name]: _READERS[name](value) for name, value in said.items() if name in _NAMES}
    if said.get("orphans_warn") is not None:
        fields["orphanedResources"] = {"warn": bool(said["orphans_warn"])}
    elif "orphans" in said:
        fields["orphanedResources"] = {} if said["orphans"] else None
    return fields


@click.command()
@click.argument("project", default="")
@_spec_options
@click.option("-f", "--file", default="", help="File with the AppProject; `-` is standard input.")
@click.option("--upsert", is_flag=True, help="Overwrite an existing project that differs.")
@chosen_cluster
def create(project: str, fields: dict[str, Any], file: str, chosen: Chosen, *, upsert: bool) -> int:
    """Create a project."""
    from syncline.api import object_files

    given: Object = object_files.one(file, "AppProject") if file else {}
    metadata = {name: value for name, value in (given.get("metadata") or {}).items() if name not in _SERVER_FIELDS}
    metadata["name"] = project or metadata.get("name") or ""
    if not metadata["name"]:
        raise click.UsageError("the project has no name: give one as argument, or in the file")
    metadata["namespace"] = metadata.get("namespace") or chosen.namespace
    spec = dict(given.get("spec") or {})
    project_edits.set_fields(fields)(spec)
    obj = {"apiVersion": names.API_VERSION, "kind": "AppProject", "metadata": metadata, "spec": spec}
    return asyncio.run(_create(obj, chosen, upsert=upsert))


async def _create(obj: Object, chosen: Chosen, *, upsert: bool) -> int:
    async with chosen.connected() as (cluster, _):
        outcome = await create_project(cluster, obj, upsert=upsert)
    terminal.echo(f"project '{obj['metadata']['name']}' {'stored' if outcome.changed else 'unchanged'}", err=True)
    return 0


@click.command("set")
@PROJECT
@_spec_options
@chosen_cluster
def set_(project: str, fields: dict[str, Any], chosen: Chosen) -> int:
    """Set fields of a project; a list is replaced as a whole."""
    if not fields:
        raise click.UsageError("nothing to set: give at least one option")
    return changed(chosen, project, project_edits.set_fields(fields))


@click.command()
@PROJECT
@chosen_cluster
def edit(project: str, chosen: Chosen) -> int:
    """Edit a project's spec in your editor."""
    from syncline.apimachinery import yaml

    spec = asyncio.run(_read(project, chosen)).get("spec") or {}
    before = yaml.dump(spec)
    text = click.edit(before, extension=".yaml")
    if text is None or text == before:
        terminal.echo("edit cancelled, nothing was changed")
        return 0
    wanted = yaml.load(text.encode(), source="the edited text")
    if not isinstance(wanted, dict):
        raise NeedsUser("the edited text is not a YAML mapping, so nothing was changed")
    return changed(chosen, project, project_edits.replace_spec(wanted, expected=spec))


async def _read(project: str, chosen: Chosen) -> Object:
    async with chosen.connected() as (cluster, _):
        return await read_project(cluster, chosen.namespace, project)


@click.command()
@click.argument("wanted", metavar="PROJECT...", nargs=-1, required=True)
@chosen_cluster
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete(wanted: tuple[str, ...], chosen: Chosen, *, yes: bool) -> int:
    """Delete projects that no Application uses."""
    return asyncio.run(_delete(wanted, chosen, ask=not yes))


async def _delete(wanted: tuple[str, ...], chosen: Chosen, *, ask: bool) -> int:
    async with chosen.connected() as (cluster, words):
        for project in wanted:
            await read_project(cluster, chosen.namespace, project)
        if ask:
            agree(words, f"Delete {len(wanted)} project{'' if len(wanted) == 1 else 's'} ({', '.join(wanted)})?")
        for project in wanted:
            await delete_project(cluster, chosen.namespace, project)
            terminal.echo(f"project '{project}' deleted", err=True)
    return 0
