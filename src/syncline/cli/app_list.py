"""`syncline app list`."""

from __future__ import annotations

import click

from syncline import wiring
from syncline.apimachinery.keys import Object
from syncline.cli.applications import application_resource, conditions_of, policy_of, sync_and_health
from syncline.cli.printing import print_objects
from syncline.cli.tables import table

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


async def list_applications(kubeconfig: str, context: str, namespace: str, output: str) -> int:
    """Print all Applications of the control-plane namespace."""
    async with wiring.connected(kubeconfig=kubeconfig, context=context) as (cluster, words):
        resource = await application_resource(cluster)
        items = list((await cluster.list(resource, namespace=namespace)).items)
    items.sort(key=lambda item: str(item["metadata"]["name"]))
    if output in ("json", "yaml"):
        print_objects(items, output)
        return 0
    if output == "name":
        click.echo("\n".join(_name(item) for item in items))
        return 0
    good = sum(1 for item in items if sync_and_health(item) == ("Synced", "Healthy"))
    click.echo(f"{words} · {len(items)} app{'' if len(items) == 1 else 's'}, {good} Synced and Healthy", err=True)
    click.echo(table(_HEADER, (_row(item) for item in items)))
    return 0


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
