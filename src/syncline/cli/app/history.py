"""`syncline app history` and `app rollback`."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.following import FollowOptions, follow_operation
from syncline.cli.app.get import OUTPUTS
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.cli.show.words import short_revision
from syncline.model.logins import without_logins
from syncline.verbs.applications import MANAGER, StoredApplication, read_application
from syncline.verbs.home import Home
from syncline.verbs.sync import RollbackRequest

_HEADER = ("ID", "DATE", "REVISION", "SOURCE", "BY")


@click.command()
@app_argument()
@chosen_cluster
@output_option("wide", "id", "json", "yaml")
def history(name: str, chosen: Chosen, output: str) -> int:
    """List the syncs of an Application, oldest first."""
    entries = _history(asyncio.run(_read(name, chosen)))
    if output in ("json", "yaml"):
        print_objects(entries, output)
    elif output == "id":
        terminal.echo("\n".join(str(entry.get("id", 0)) for entry in entries))
    else:
        terminal.echo(table(_HEADER, (row for entry in entries for row in _rows(entry))))
    return 0


def _history(obj: Object) -> list[dict[str, Any]]:
    return list((obj.get("status") or {}).get("history") or ())


def _rows(entry: dict[str, Any]) -> list[list[str]]:
    sources = entry.get("sources") or [entry.get("source") or {}]
    revisions = entry.get("revisions") or [entry.get("revision", "")]
    initiated = entry.get("initiatedBy") or {}
    who = "auto-sync" if initiated.get("automated") else str(initiated.get("username") or "")
    return [
        [str(entry.get("id", 0)), str(entry.get("deployedAt", "")), _revision(source, revision), _words(source), who]
        for source, revision in zip(sources, revisions, strict=False)
    ]


def _revision(source: dict[str, Any], revision: str) -> str:
    wanted = str(source.get("targetRevision") or "HEAD")
    return f"{wanted} ({short_revision(revision)})" if revision and revision != wanted else wanted


def _words(source: dict[str, Any]) -> str:
    return " ".join(without_logins(str(source[name])) for name in ("repoURL", "path", "chart") if source.get(name))


async def _read(name: str, chosen: Chosen) -> Object:
    async with chosen.opened() as home:
        terminal.echo(home.words, err=True)
        return (await read_application(home.cluster, await chosen.find(home.cluster, name, home))).obj


@click.command()
@app_argument()
@click.argument("history_id", metavar="[ID]", type=int, required=False)
@chosen_cluster
@click.option("--prune", is_flag=True, help="Delete objects that the older revision does not have.")
@click.option("--timeout", type=click.IntRange(min=0), default=0, help="Give up waiting after this many seconds.")
@output_option(*OUTPUTS)
def rollback(name: str, history_id: int | None, chosen: Chosen, timeout: int, output: str, *, prune: bool) -> int:
    """Sync to an entry of the history (default: the one before the last)."""

    async def start(home: Home) -> StoredApplication:
        app = await chosen.find(home.cluster, name, home)
        control = home.namespace
        return await home.rollback(
            RollbackRequest(app=app, username=MANAGER, id=history_id, prune=prune, control=control)
        )

    return asyncio.run(follow_operation(chosen, start, FollowOptions(timeout, output=output)))
