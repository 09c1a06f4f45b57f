"""`syncline appset create`, `delete` and `approve`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from syncline.apimachinery import meta
from syncline.cli.appset.naming import set_key
from syncline.cli.asking import agree
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.show import terminal
from syncline.model.errors import InvalidSpec
from syncline.verbs import applicationsets as verb


@click.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
@chosen_cluster
@click.option("--upsert", is_flag=True, help="Overwrite an existing ApplicationSet that differs.")
def create(files: tuple[Path, ...], chosen: Chosen, *, upsert: bool) -> int:
    """Create the ApplicationSets of files."""
    from syncline.api import object_files

    found = [obj for file in files for obj in object_files.objects(file)]
    others = [obj for obj in found if obj.get("kind") != "ApplicationSet"]
    if others:
        raise InvalidSpec(f"{others[0].get('kind')} {meta.name(others[0])} is not an ApplicationSet")
    if not found:
        raise InvalidSpec(f"{files[0]} contains no ApplicationSet")

    async def create_all() -> int:
        async with chosen.connected() as (cluster, words):
            terminal.echo(words, err=True)
            for obj in found:
                stored, outcome = await verb.create_set(cluster, obj, chosen.namespace, upsert=upsert)
                terminal.echo(f"applicationset '{meta.name(stored)}' {outcome}")
        return 0

    return asyncio.run(create_all())


@click.command()
@click.argument("names", nargs=-1, required=True)
@chosen_cluster
@click.option("--cascade/--no-cascade", default=True, show_default=True, help="Delete the Applications too.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete(names: tuple[str, ...], chosen: Chosen, *, cascade: bool, yes: bool) -> int:
    """Delete ApplicationSets, with their Applications or without."""

    async def delete_all() -> int:
        async with chosen.connected() as (cluster, words):
            found = [await verb.read_set(cluster, set_key(chosen, name)) for name in names]
            if not yes:
                apps = sum(len(one.apps) for one in found)
                listed = ", ".join(str(one.key) for one in found)
                what = f"and their {apps} Applications" if cascade else f"and keep their {apps} Applications"
                agree(words, f"Delete {len(found)} ApplicationSet{'s' if len(found) > 1 else ''} ({listed}) {what}?")
            for one in found:
                await verb.delete_set(cluster, one, orphan=not cascade)
                terminal.echo(f"applicationset '{one.key.name}' deleted")
        return 0

    return asyncio.run(delete_all())


@click.command()
@click.argument("name")
@click.argument("deletions", required=False, default="")
@chosen_cluster
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def approve(name: str, deletions: str, chosen: Chosen, *, yes: bool) -> int:
    """Approve the deletions that an ApplicationSet holds back because it would delete most of its Applications.

    DELETIONS is the hash of the list, as `appset why` shows it; a different list needs a new approval.
    """

    async def approve_them() -> int:
        async with chosen.connected() as (cluster, words):
            stored = await verb.read_set(cluster, set_key(chosen, name))
            waiting = verb.waiting_deletions(stored, deletions)
            if not yes:
                agree(words, f"{waiting.what}. Delete them?", "nothing was approved")
            await verb.approve(cluster, stored, waiting)
            terminal.echo(f"applicationset '{stored.key.name}': approved: {waiting.what}")
        return 0

    return asyncio.run(approve_them())
