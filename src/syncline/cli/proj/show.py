"""`syncline proj list` and `get`, with the columns and lines of `argocd proj`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import click

from syncline.apimachinery.keys import Object
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.proj.changing import PROJECT
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.model import project as projects
from syncline.model.errors import InvalidSpec
from syncline.model.logins import without_logins
from syncline.model.project import AppProject, GroupKindPattern, ProjectSpec
from syncline.ports.kube import ApiError
from syncline.verbs.home import Home
from syncline.verbs.projects import list_projects, read_project

_HEADER = (
    "NAME",
    "DESCRIPTION",
    "DESTINATIONS",
    "SOURCES",
    "CLUSTER-RESOURCE-WHITELIST",
    "NAMESPACE-RESOURCE-BLACKLIST",
    "SOURCE-INTEGRITY",
    "ORPHANED-RESOURCES",
    "DESTINATION-SERVICE-ACCOUNTS",
)
_NONE = "<none>"


@click.command("list")
@chosen_cluster
@output_option("wide", "name", "json", "yaml")
def list_(chosen: Chosen, output: str) -> int:
    """List the projects."""
    found = asyncio.run(_list(chosen))
    if output in ("json", "yaml"):
        print_objects(found, output)
    elif output == "name":
        terminal.echo("\n".join(str(one["metadata"]["name"]) for one in found))
    else:
        terminal.echo(table(_HEADER, [_row(one) for one in found]))
    return 0


async def _list(chosen: Chosen) -> list[Object]:
    async with chosen.opened() as home:
        return await list_projects(home.cluster, home.namespace)


def _row(obj: Object) -> Sequence[str]:
    try:
        typed = projects.parse(obj)
    except InvalidSpec as error:
        return [str(obj["metadata"]["name"]), str(error), *[""] * (len(_HEADER) - 2)]
    spec = typed.spec
    accounts = [f"{a.server},{a.namespace},{a.default_service_account}" for a in spec.destination_service_accounts]
    denied = spec.namespace_resource_blacklist
    return [
        typed.metadata.name,
        spec.description,
        _counted(_destinations(spec), "destinations"),
        _counted(_repos(spec), "repos"),
        _counted(_kinds(spec.cluster_resource_whitelist), "resources"),
        f"{len(denied)} resources" if denied else _NONE,
        "git" if spec.source_integrity or spec.signature_keys else _NONE,
        _orphans(spec),
        _counted(accounts, "destinationServiceAccounts"),
    ]


def _counted(values: Sequence[str], many: str) -> str:
    return _NONE if not values else values[0] if len(values) == 1 else f"{len(values)} {many}"


def _destinations(spec: ProjectSpec) -> list[str]:
    return [f"{one.server or one.name},{one.namespace}" for one in spec.destinations]


def _repos(spec: ProjectSpec) -> list[str]:
    return [without_logins(one) for one in spec.source_repos]


def _kinds(patterns: Sequence[GroupKindPattern]) -> list[str]:
    return [f"{one.group}/{one.kind}" + (f"/{one.name}" if one.name else "") for one in patterns]


def _orphans(spec: ProjectSpec) -> str:
    rules = spec.orphaned_resources
    if rules is None:
        return "disabled"
    ignored = f", ignored {len(rules.ignore)}" if rules.ignore else ""
    return f"enabled (warn={str(rules.warn is not False).lower()}{ignored})"


@click.command()
@PROJECT
@chosen_cluster
@output_option("wide", "json", "yaml")
def get(project: str, chosen: Chosen, output: str) -> int:
    """Show a project."""
    obj, lines = asyncio.run(_get(project, chosen))
    if output != "wide":
        print_object(obj, output)
        return 0
    for title, values in lines:
        for number, value in enumerate(values or [_NONE]):
            terminal.echo(f"{'' if number else title + ':':<29}{value}".rstrip())
    return 0


async def _get(name: str, chosen: Chosen) -> tuple[Object, list[tuple[str, list[str]]]]:
    async with chosen.opened() as home:
        obj = await read_project(home.cluster, home.namespace, name)
        repos, clusters = await _scoped(home, name)
    return obj, _lines(projects.parse(obj), repos, clusters)


async def _scoped(home: Home, name: str) -> tuple[list[str], list[str]]:
    """Return the repositories and clusters that belong to a project alone."""
    try:
        repositories, known = await home.repositories(), await home.clusters()
    except ApiError as error:
        if error.reason != "Forbidden":
            raise
        return ["unknown: Secrets may not be read"], ["unknown: Secrets may not be read"]
    repos = sorted(without_logins(one.url) for one in repositories if one.project == name)
    return repos, sorted(one.server for one in known if one.project == name)


def _lines(typed: AppProject, repos: list[str], clusters: list[str]) -> list[tuple[str, list[str]]]:
    spec = typed.spec
    keys = ", ".join(one.key_id for one in spec.signature_keys)
    return [
        ("Name", [typed.metadata.name]),
        ("Description", [spec.description]),
        ("Destinations", _destinations(spec)),
        ("Repositories", _repos(spec)),
        ("Source Namespaces", list(spec.source_namespaces)),
        ("Scoped Repositories", repos),
        ("Allowed Cluster Resources", _kinds(spec.cluster_resource_whitelist)),
        ("Scoped Clusters", clusters),
        ("Denied Namespaced Resources", _kinds(spec.namespace_resource_blacklist)),
        ("Signature keys", [keys] if keys else []),
        ("Orphaned Resources", [_orphans(spec)]),
    ]
