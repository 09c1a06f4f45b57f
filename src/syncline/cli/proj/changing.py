"""How every command of `syncline proj` changes a project, and what it says afterwards."""

from __future__ import annotations

import asyncio

import click

from syncline.cli.options import Chosen
from syncline.cli.show import terminal
from syncline.verbs.projects import ProjectChange, change_project

PROJECT = click.argument("project")


def changed(chosen: Chosen, project: str, change: ProjectChange, words: str = "updated") -> int:
    """Change a project, and say so on standard error: a script reads nothing from these commands."""
    return asyncio.run(_changed(chosen, project, change, words))


async def _changed(chosen: Chosen, project: str, change: ProjectChange, words: str) -> int:
    async with chosen.connected() as (cluster, _):
        outcome = await change_project(cluster, chosen.namespace, project, change)
    terminal.echo(f"project '{project}' {words if outcome.changed else 'unchanged'}", err=True)
    return 0
