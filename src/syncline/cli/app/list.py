"""`syncline app list`."""

from __future__ import annotations

import asyncio

import click
import msgspec

from syncline.apimachinery.keys import Object
from syncline.cli.applications import application_resource, conditions_of, policy_of, sync_and_health
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.ports.kube import Cluster

_HEADER = (
    "NAME",
    "CLUSTER",
    "NAMESPACE",
    "PROJECT",
    "STATUS",
    "HEALTH",
    "SYNCPOLICY",
    "CONDITIONS",
    "REPO",
    "PATH",
    "TARGET",
)


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """Which Applications to show; empty fields show all."""

    selector: str = ""
    projects: tuple[str, ...] = ()
    repo: str = ""
    cluster: str = ""
    path: str = ""

    def matches(self, obj: Object) -> bool:
        """Whether an Application is wanted; the selector is left to the API server."""
        spec = obj.get("spec") or {}
        destination = spec.get("destination") or {}
        sources = spec.get("sources") or [spec.get("source") or {}]
        return (
            (not self.projects or (spec.get("project") or "default") in self.projects)
            and (not self.repo or any(item.get("repoURL") == self.repo for item in sources))
            and (not self.cluster or self.cluster in (destination.get("server"), destination.get("name")))
            and (not self.path or any(item.get("path") == self.path for item in sources))
        )


@click.command("list")
@chosen_cluster
@click.option("-A", "--all-namespaces", is_flag=True, help="Applications of every namespace.")
@click.option("-l", "--selector", default="", help="Only those whose labels match.")
@click.option("-p", "--project", "projects", multiple=True, help="Only those of this project (can be repeated).")
@click.option("-r", "--repo", default="", help="Only those from this repository.")
@click.option("-c", "--cluster", default="", help="Only those for this cluster, by name or address.")
@click.option("-P", "--path", default="", help="Only those of this path.")
@output_option("wide", "name", "json", "yaml")
def list_(
    chosen: Chosen,
    selector: str,
    projects: tuple[str, ...],
    repo: str,
    cluster: str,
    path: str,
    output: str,
    *,
    all_namespaces: bool,
) -> int:
    """List Applications."""
    filters = Filters(selector=selector, projects=projects, repo=repo, cluster=cluster, path=path)
    return asyncio.run(_list(chosen, filters, output, all_namespaces=all_namespaces))


async def _list(chosen: Chosen, filters: Filters, output: str, *, all_namespaces: bool) -> int:
    async with chosen.connected() as (cluster, words):
        if all_namespaces:
            items = await select(cluster, "", filters)
        else:
            items = await chosen_applications(cluster, chosen, filters)
    if output in ("json", "yaml"):
        print_objects(items, output)
        return 0
    if output == "name":
        for item in items:
            click.echo(_name(item))
        return 0
    good = sum(1 for item in items if sync_and_health(item) == ("Synced", "Healthy"))
    click.echo(f"{words} · {len(items)} app{'' if len(items) == 1 else 's'}, {good} Synced and Healthy", err=True)
    click.echo(table(_HEADER, (_row(item) for item in items)))
    return 0


async def chosen_applications(cluster: Cluster, chosen: Chosen, filters: Filters) -> list[Object]:
    """Return the Applications of an installation that match: of all its namespaces, unless somebody named one."""
    from syncline.controller.settings import read_settings
    from syncline.core.policy import namespaces

    if chosen.named:
        return await select(cluster, chosen.namespace, filters)
    settings = (await read_settings(cluster, chosen.namespace)).settings
    if not settings.application_namespaces:
        return await select(cluster, chosen.namespace, filters)
    found = await select(cluster, "", filters)
    return [item for item in found if namespaces.permitted(item["metadata"]["namespace"], settings)]


async def select(cluster: Cluster, namespace: str, filters: Filters) -> list[Object]:
    """Return the Applications of a namespace (empty: of all) that match, by namespace and name."""
    resource = await application_resource(cluster)
    listed = await cluster.list(resource, namespace=namespace, label_selector=filters.selector)
    return sorted(filter(filters.matches, listed.items), key=_name)


def _name(obj: Object) -> str:
    return f"{obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"


def _row(obj: Object) -> list[str]:
    spec = obj.get("spec") or {}
    destination = spec.get("destination") or {}
    source = spec.get("source") or (spec.get("sources") or [{}])[0]
    sync, health = sync_and_health(obj)
    return [
        _name(obj),
        str(destination.get("name") or destination.get("server") or ""),
        str(destination.get("namespace") or ""),
        str(spec.get("project") or "default"),
        sync,
        health,
        policy_of(obj),
        conditions_of(obj),
        str(source.get("repoURL") or ""),
        str(source.get("path") or source.get("chart") or ""),
        str(source.get("targetRevision") or ""),
    ]
