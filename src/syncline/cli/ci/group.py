"""`syncline ci`: what a pipeline of GitHub or GitLab calls."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_COMMANDS = {
    "comment": (
        "syncline.cli.ci.comment:comment",
        "Preview a pull request and keep one comment on it up to date.",
    ),
}


@click.group(cls=LazyGroup, commands_by_name=_COMMANDS)
def ci() -> None:
    """Commands for pipelines: write the preview of a pull request as one comment."""
