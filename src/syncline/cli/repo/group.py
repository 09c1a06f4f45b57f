"""`syncline repo`: the repositories of an installation, with the verbs, flags and columns of `argocd repo`."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_VERBS = {
    "add": ("syncline.cli.repo.add:add", "Add a repository with credentials."),
    "list": ("syncline.cli.repo.list:list_", "List the repositories, and whether they can be read."),
    "get": ("syncline.cli.repo.list:get", "Show one repository, without its credentials."),
    "test": ("syncline.cli.repo.add:test", "Test access to a repository with the stored credentials."),
    "rm": ("syncline.cli.repo.list:rm", "Forget repositories."),
}


@click.group(cls=LazyGroup, commands_by_name=_VERBS)
def repo() -> None:
    """Manage the repositories Applications may come from."""
