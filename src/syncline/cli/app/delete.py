"""`syncline app delete`, `confirm-deletion` and `terminate-op`."""

from __future__ import annotations

import asyncio

import click

from syncline import wiring
from syncline.cli.asking import agree
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster
from syncline.verbs import delete as verb
from syncline.verbs.applications import StoredApplication, application_resource, read_application
from syncline.verbs.delete import DeleteRequest, Propagation
from syncline.verbs.list import ListRequest

_POLICIES = ("foreground", "background")


@click.command()
@app_argument("apps", several=True)
@chosen_cluster
@click.option("--cascade/--no-cascade", default=True, show_default=True, help="Delete the Application's objects too.")
@click.option(
    "-p",
    "--propagation-policy",
    type=Choice(_POLICIES),
    default="foreground",
    show_default=True,
    help="Whether to wait for dependents of the objects.",
)
@click.option("-l", "--selector", default="", help="All Applications whose labels match.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="Wait until the Applications are gone.")
@click.option("--timeout", type=click.IntRange(min=0), default=0, help="Give up waiting after this many seconds.")
def delete(
    apps: tuple[str, ...],
    chosen: Chosen,
    propagation_policy: str,
    selector: str,
    timeout: int,
    *,
    cascade: bool,
    yes: bool,
    wait: bool,
) -> int:
    """Delete Applications, with their objects or without."""
    if bool(apps) == bool(selector):
        raise NeedsUser("name the Applications", hint="by name, or with --selector")
    propagation = Propagation(propagation_policy) if cascade else None
    return asyncio.run(_delete(apps, selector, chosen, propagation, ask=not yes, timeout=timeout if wait else None))


async def _delete(
    apps: tuple[str, ...],
    selector: str,
    chosen: Chosen,
    propagation: Propagation | None,
    *,
    ask: bool,
    timeout: int | None,
) -> int:
    async with chosen.opened() as home:
        terminal.echo(home.words, err=True)
        if selector:
            found = await chosen.applications(home.cluster, ListRequest(selector=selector))
        else:
            found = [await read_application(home.cluster, await chosen.find_exactly(home, app)) for app in apps]
        if not found:
            terminal.echo("no Application matches, nothing was deleted")
            return 0
        if ask:
            agree(home.words, _question(found, with_objects=propagation is not None))
        for stored in found:
            request = DeleteRequest(
                app=stored.key,
                cascade=propagation is not None,
                propagation=propagation or Propagation.DEFAULT,
                uid=stored.obj["metadata"]["uid"],
            )
            await home.delete(request)
            terminal.echo(f"application '{stored.key.name}' deleted")
        return await _gone(home.cluster, found, timeout) if timeout is not None else 0


def _question(found: list[StoredApplication], *, with_objects: bool) -> str:
    listed = ", ".join(stored.key.name for stored in found[:10]) + (", …" if len(found) > 10 else "")
    objects = sum(len((stored.obj.get("status") or {}).get("resources") or ()) for stored in found)
    what = f"and their {objects} objects" if with_objects else "and keep their objects"
    return f"Delete {len(found)} Application{'s' if len(found) > 1 else ''} ({listed}) {what}?"


async def _gone(cluster: Cluster, found: list[StoredApplication], timeout: int) -> int:
    resource = await application_resource(cluster)
    left = [stored.key for stored in found]
    try:
        async with asyncio.timeout(timeout or None):
            while left:
                left = [key for key in left if await cluster.get(resource, key.namespace, key.name) is not None]
                if left:
                    await asyncio.sleep(0.3)
    except TimeoutError:
        terminal.echo(f"timed out after {timeout} s: {', '.join(key.name for key in left)} still there", err=True)
        return 1
    return 0


@click.command("confirm-deletion")
@app_argument()
@chosen_cluster
def confirm_deletion(name: str, chosen: Chosen) -> int:
    """Confirm the deletion or pruning of objects that require it (Delete=confirm, Prune=confirm)."""
    return asyncio.run(_confirm(name, chosen))


async def _confirm(name: str, chosen: Chosen) -> int:
    async with chosen.opened() as home:
        terminal.echo(home.words, err=True)
        stored = await verb.confirm_deletion(home.cluster, await chosen.find_exactly(home, name), wiring.clock())
    terminal.echo(f"application '{stored.key.name}' updated")
    return 0


@click.command("terminate-op")
@app_argument()
@chosen_cluster
def terminate_op(name: str, chosen: Chosen) -> int:
    """Terminate the running sync."""
    return asyncio.run(_terminate(name, chosen))


async def _terminate(name: str, chosen: Chosen) -> int:
    async with chosen.opened() as home:
        terminal.echo(home.words, err=True)
        key = await chosen.find(home.cluster, name, home)
        await home.terminate(key)
    terminal.echo(f"application '{key.name}' operation terminating")
    return 0
