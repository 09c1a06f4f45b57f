"""`syncline appset`: the verbs of `argocd appset`, directly on the Kubernetes API or on files."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_VERBS = {
    "list": ("syncline.cli.appset.look:list_", "List ApplicationSets."),
    "get": ("syncline.cli.appset.look:get", "Show one ApplicationSet with its Applications."),
    "why": ("syncline.cli.appset.why:why", "Explain why an ApplicationSet is not up to date, on one screen."),
    "generate": (
        "syncline.cli.appset.generate:generate",
        "Print the Applications that ApplicationSets of a file create; no cluster is asked.",
    ),
    "create": ("syncline.cli.appset.change:create", "Create ApplicationSets from a file."),
    "delete": ("syncline.cli.appset.change:delete", "Delete ApplicationSets, with their Applications or without."),
    "approve": ("syncline.cli.appset.change:approve", "Approve the deletions that an ApplicationSet waits with."),
}


@click.group(cls=LazyGroup, commands_by_name=_VERBS)
def appset() -> None:
    """Generate, list, show, create, delete and explain ApplicationSets."""
