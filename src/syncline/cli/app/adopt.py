"""`syncline app adopt`: approves that an Application takes over objects of an unknown app."""

from __future__ import annotations

import asyncio

import click

from syncline.cli.asking import agree
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.controller.app_key import AppKey
from syncline.verbs import adopt as verb
from syncline.verbs.applications import read_application
from syncline.verbs.home import Home


@click.command()
@app_argument()
@click.argument("objects", required=False, default="")
@chosen_cluster
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def adopt(name: str, objects: str, chosen: Chosen, *, yes: bool) -> int:
    """Approve that an Application takes over objects that are tracked for an app this installation does not know.

    OBJECTS is the hash of the list, as the refusal of another list shows it; a different list needs a new approval.
    """
    return asyncio.run(_adopt(name, objects, chosen, yes=yes))


async def _adopt(name: str, objects: str, chosen: Chosen, *, yes: bool) -> int:
    async with chosen.opened() as home:
        await approve(home, await chosen.find_exactly(home, name), objects, yes=yes)
    return 0


async def approve(home: Home, key: AppKey, objects: str, *, yes: bool) -> None:
    """Print what would change hands, ask, and record the answer."""
    stored = await read_application(home.cluster, key)
    assessment = await home.look(stored)
    waiting = verb.waiting_adoptions(assessment, objects)
    terminal.echo(home.words, err=True)
    for one in waiting:
        terminal.echo(f"{one.key}  tracked for {one.app}")
    if not yes:
        count = f"{len(waiting)} object{'' if len(waiting) == 1 else 's'}"
        agree(home.words, f"Take over {count} as part of {stored.key.name}?", "nothing was approved")
    await verb.adopt(home.cluster, assessment)
    terminal.echo(f"application '{stored.key.name}' may take over these objects")
