"""`syncline app delete`, `confirm-deletion` and `terminate-op`."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import click

from syncline import wiring
from syncline.apimachinery import times
from syncline.apimachinery.keys import Object
from syncline.cli.app.list import Filters, chosen_applications
from syncline.cli.applications import MANAGER, application_resource, change_application, read_application, split_name
from syncline.cli.asking import agree
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.model import names
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster

_POLICIES = ("foreground", "background")


@click.command()
@app_argument("apps", several=True)
@chosen_cluster
@click.option("--cascade/--no-cascade", default=True, show_default=True, help="Delete the Application's objects too.")
@click.option(
    "-p",
    "--propagation-policy",
    type=click.Choice(_POLICIES),
    default="foreground",
    show_default=True,
    help="Whether to wait for what the objects own.",
)
@click.option("-l", "--selector", default="", help="All Applications whose labels match.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="Wait until the Applications are gone.")
@click.option("--timeout", type=click.IntRange(min=0), default=0, help="Give up waiting after so many seconds.")
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
        raise NeedsUser("say which Applications", hint="by name, or with --selector")
    finalizer = names.RESOURCES_FINALIZER
    if propagation_policy == "background":
        finalizer = f"{names.RESOURCES_FINALIZER}/background"
    wanted = finalizer if cascade else ""
    return asyncio.run(_delete(apps, selector, chosen, wanted, ask=not yes, timeout=timeout if wait else None))


async def _delete(
    apps: tuple[str, ...], selector: str, chosen: Chosen, finalizer: str, *, ask: bool, timeout: int | None
) -> int:
    async with chosen.connected() as (cluster, words):
        click.echo(words, err=True)
        if selector:
            found = await chosen_applications(cluster, chosen, Filters(selector=selector))
        else:
            found = [(await read_application(cluster, *split_name(app, chosen.namespace)))[1] for app in apps]
        if not found:
            click.echo("no Application matches, nothing was deleted")
            return 0
        if ask:
            agree(words, _question(found, with_objects=bool(finalizer)))
        for obj in found:
            await _delete_one(cluster, obj, finalizer)
            click.echo(f"application '{obj['metadata']['name']}' deleted")
        return await _gone(cluster, found, timeout) if timeout is not None else 0


def _question(found: list[Object], *, with_objects: bool) -> str:
    listed = ", ".join(str(obj["metadata"]["name"]) for obj in found[:10]) + (", …" if len(found) > 10 else "")
    objects = sum(len((obj.get("status") or {}).get("resources") or ()) for obj in found)
    what = f"and their {objects} objects" if with_objects else "and keep their objects"
    return f"Delete {len(found)} Application{'s' if len(found) > 1 else ''} ({listed}) {what}?"


async def _delete_one(cluster: Cluster, obj: Object, finalizer: str) -> None:
    """Set or take away the finalizer that deletes objects, then delete that very Application."""

    def change(app: Object) -> Object:
        others = [one for one in app["metadata"].get("finalizers") or [] if not _is_ours(one)]
        app["metadata"]["finalizers"] = [*others, *([finalizer] if finalizer else [])]
        if not app["metadata"]["finalizers"]:
            del app["metadata"]["finalizers"]
        return app

    metadata = obj["metadata"]
    await change_application(cluster, metadata["namespace"], metadata["name"], change)
    resource = await application_resource(cluster)
    await cluster.delete(resource, metadata["namespace"], metadata["name"], uid=metadata["uid"])


def _is_ours(finalizer: str) -> bool:
    return finalizer.partition("/")[0] == names.RESOURCES_FINALIZER


async def _gone(cluster: Cluster, found: list[Object], timeout: int) -> int:
    resource = await application_resource(cluster)
    left = [obj["metadata"] for obj in found]
    try:
        async with asyncio.timeout(timeout or None):
            while left:
                alive = [await cluster.get(resource, one["namespace"], one["name"]) for one in left]
                left = [obj["metadata"] for obj in alive if obj is not None]
                if left:
                    await asyncio.sleep(0.3)
    except TimeoutError:
        click.echo(f"timed out after {timeout} s: {', '.join(one['name'] for one in left)} still there", err=True)
        return 1
    return 0


@click.command("confirm-deletion")
@app_argument()
@chosen_cluster
def confirm_deletion(name: str, chosen: Chosen) -> int:
    """Agree to delete or prune the objects that ask for it (Delete=confirm, Prune=confirm)."""
    approved = times.format_time(wiring.clock().now())
    return asyncio.run(_annotate(name, chosen, {names.DELETION_APPROVED: approved}))


async def _annotate(name: str, chosen: Chosen, annotations: dict[str, str]) -> int:
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        click.echo(words, err=True)
        resource, _ = await read_application(cluster, namespace, name)
        patch = {"metadata": {"annotations": annotations}}
        await cluster.patch(resource, namespace, name, patch, manager=MANAGER)
    click.echo(f"application '{name}' updated")
    return 0


@click.command("terminate-op")
@app_argument()
@chosen_cluster
def terminate_op(name: str, chosen: Chosen) -> int:
    """End the sync that runs."""
    return asyncio.run(_terminate(name, chosen, wiring.clock().now()))


async def _terminate(name: str, chosen: Chosen, now: datetime) -> int:
    namespace, name = split_name(name, chosen.namespace)

    def change(app: Object) -> Object:
        state: dict[str, Any] = (app.get("status") or {}).get("operationState") or {}
        if not app.get("operation"):
            raise NeedsUser(f"Application {name} has no operation in progress, so there is nothing to end")
        if not state:
            state = {"operation": app["operation"], "startedAt": times.format_time(now)}
        app["status"] = {**(app.get("status") or {}), "operationState": {**state, "phase": "Terminating"}}
        return app

    async with chosen.connected() as (cluster, words):
        click.echo(words, err=True)
        await change_application(cluster, namespace, name, change)
    click.echo(f"application '{name}' operation terminating")
    return 0
