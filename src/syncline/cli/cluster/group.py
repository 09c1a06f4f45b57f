"""`syncline cluster`: the clusters Applications may be delivered to, kept in Argo CD's cluster Secrets."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_VERBS = {
    "list": ("syncline.cli.cluster.list:list_", "List the clusters, with their version and whether they answer."),
    "get": ("syncline.cli.cluster.list:get", "Show one cluster, without its credentials."),
    "add": ("syncline.cli.cluster.add:add", "Add a cluster of your kubeconfig as a destination."),
    "rm": ("syncline.cli.cluster.list:rm", "Remove clusters; objects delivered to them stay."),
}


@click.group(cls=LazyGroup, commands_by_name=_VERBS)
def cluster() -> None:
    """List, add and remove the clusters Applications may be delivered to."""
