"""`syncline app sync`: asks for a sync and follows it."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click
import msgspec
import orjson

from syncline.cli.app.following import FollowOptions, follow_operation
from syncline.cli.app.get import OUTPUTS
from syncline.cli.app.local import AtHand, local_objects, local_options
from syncline.cli.app.resource_names import parse_resource
from syncline.cli.app.revisions import revision_options
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.model.operation import (
    Backoff,
    Info,
    RetryStrategy,
    SyncOperationResource,
    SyncStrategy,
    SyncStrategyApply,
    SyncStrategyHook,
)
from syncline.verbs import sync as verb
from syncline.verbs.applications import MANAGER, StoredApplication, read_application
from syncline.verbs.home import Home
from syncline.verbs.list import ListRequest
from syncline.verbs.revisions import RevisionChoice
from syncline.verbs.sync import SyncRequest

if TYPE_CHECKING:
    from syncline.model.desired import Desired


@click.command()
@app_argument("apps", several=True)
@chosen_cluster
@local_options
@click.option("--prune", is_flag=True, help="Delete objects that Git no longer has.")
@click.option("--dry-run", is_flag=True, help="Only do a dry run on the API server.")
@click.option("--force", is_flag=True, help="Recreate objects that cannot be updated.")
@click.option("--replace", is_flag=True, help="Replace objects instead of applying them.")
@click.option("--server-side", is_flag=True, help="Use server-side apply.")
@click.option("--apply-out-of-sync-only", is_flag=True, help="Skip objects that are Synced.")
@revision_options
@click.option("--resource", "resources", multiple=True, help="Only this object: [!]GROUP:KIND:[NAMESPACE/]NAME.")
@click.option("--label", "labels", multiple=True, help="Only objects with this label KEY=VALUE.")
@click.option(
    "--strategy",
    type=Choice(["hook", "apply"]),
    default="hook",
    show_default=True,
    help="With hooks, or without.",
)
@click.option("--info", multiple=True, help="Note NAME=VALUE stored with the operation.")
@click.option("--retry-limit", type=int, default=0, help="How often to retry after a failure.")
@click.option("--retry-backoff-duration", default="5s", show_default=True, help="First wait.")
@click.option("--retry-backoff-max-duration", default="3m0s", show_default=True, help="Longest wait.")
@click.option("--retry-backoff-factor", type=int, default=2, show_default=True, help="Factor by which delays grow.")
@click.option("--retry-refresh", is_flag=True, help="Retry with the newest revision.")
@click.option("-l", "--selector", default="", help="All Applications whose labels match.")
@click.option("--project", "projects", multiple=True, help="All Applications of this project.")
@click.option("--async", "no_wait", is_flag=True, help="Do not wait for the sync to finish.")
@click.option(
    "--timeout", type=click.IntRange(min=0), default=0, help="Give up waiting after this many seconds (0: never)."
)
@click.option("--adopt", is_flag=True, help="Take over objects of an app that this installation does not know.")
@click.option("--preview-changes", is_flag=True, help="Show what differs, and ask before syncing.")
@click.option("-y", "--yes", "--assumeYes", "yes", is_flag=True, help="Do not ask.")
@output_option(*OUTPUTS)
def sync(apps: tuple[str, ...], chosen: Chosen, at: RevisionChoice, local: AtHand | None, **given: Any) -> int:
    """Sync Applications and follow them wave by wave."""
    if bool(apps) == bool(given["selector"] or given["projects"]):
        raise click.UsageError("name the Applications, or use --selector or --project")
    return asyncio.run(_sync(apps, chosen, _asked(given, at, local)))


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the flags ask for: a request for each Application, of which objects, and how to go about it."""

    request: Callable[..., SyncRequest]
    """Takes the Application, the objects and the manifests."""
    at: RevisionChoice
    which: ListRequest
    resources: tuple[SyncOperationResource, ...]
    labels: tuple[str, ...]
    local: AtHand | None
    manner: FollowOptions
    preview: bool
    adopt: bool
    yes: bool


def _asked(given: dict[str, Any], at: RevisionChoice, local: AtHand | None) -> _Asked:
    force = bool(given["force"])
    by_hooks = given["strategy"] == "hook"
    options = {
        "Replace=true": given["replace"],
        "ServerSideApply=true": given["server_side"],
        "ApplyOutOfSyncOnly=true": given["apply_out_of_sync_only"],
    }
    request = functools.partial(
        SyncRequest,
        username=MANAGER,
        revisions=at,
        prune=given["prune"],
        dry_run=given["dry_run"],
        strategy=SyncStrategy(
            hook=SyncStrategyHook(force=force) if by_hooks else None,
            apply=None if by_hooks else SyncStrategyApply(force=force),
        ),
        more_options=tuple(name for name, on in options.items() if on),
        info=tuple(map(_info, given["info"])),
        retry=_retry(given),
    )
    return _Asked(
        request=request,
        at=at,
        which=ListRequest(selector=given["selector"], projects=given["projects"]),
        resources=tuple(parse_resource(text).as_operation() for text in given["resources"]),
        labels=given["labels"],
        local=local,
        manner=FollowOptions(given["timeout"], not given["no_wait"], given["output"]),
        preview=given["preview_changes"],
        adopt=given["adopt"],
        yes=given["yes"],
    )


def _retry(given: dict[str, Any]) -> RetryStrategy | None:
    if not given["retry_limit"]:
        return None
    backoff = Backoff(
        duration=given["retry_backoff_duration"],
        max_duration=given["retry_backoff_max_duration"],
        factor=given["retry_backoff_factor"],
    )
    return RetryStrategy(limit=given["retry_limit"], backoff=backoff, refresh=given["retry_refresh"])


def _info(text: str) -> Info:
    name, equals, value = text.partition("=")
    if not equals:
        raise NeedsUser(f"--info {text} is not of the form NAME=VALUE")
    return Info(name, value)


async def _sync(apps: tuple[str, ...], chosen: Chosen, asked: _Asked) -> int:
    if not apps:
        async with chosen.opened() as home:
            apps = tuple(str(stored.key) for stored in await chosen.applications(home.cluster, asked.which))
        if not apps:
            raise NeedsUser("no Application matches")
    return max([await _sync_one(app, chosen, asked) for app in apps])


async def _sync_one(app: str, chosen: Chosen, asked: _Asked) -> int:
    labelled = await _labelled(app, chosen, asked.labels) if asked.labels else ()
    desired = await local_objects(app, chosen, asked.local) if asked.local is not None else None
    if asked.preview and not await _previewed(app, chosen, asked, desired):
        return 0

    async def start(home: Home) -> StoredApplication:
        stored = await read_application(home.cluster, await chosen.find(home.cluster, app, home))
        if asked.adopt:
            await _adopt(home, stored, yes=asked.yes)
        request = asked.request(
            app=stored.key,
            resources=(*asked.resources, *labelled),
            # The objects travel with the operation.
            manifests=tuple(orjson.dumps(item.obj).decode() for item in desired.objects) if desired is not None else (),
        )
        return await home.sync(stored, request)

    return await follow_operation(chosen, start, asked.manner)


async def _adopt(home: Home, stored: StoredApplication, *, yes: bool) -> None:
    """Approve what a sync would wait with; nothing where there is nothing to take over."""
    from syncline.cli.app.adopt import approve

    if (await home.look(stored)).unapproved:
        await approve(home, stored.key, "", yes=yes)


async def _previewed(app: str, chosen: Chosen, asked: _Asked, desired: Desired | None) -> bool:
    """Show what a sync would change; return whether to go on."""
    from syncline.cli.app.diff import Against, compared, print_differences
    from syncline.cli.asking import agree

    found, words = await compared(app, chosen, Against(at=asked.at, desired=desired))
    differing = print_differences(found, words, aside=asked.manner.output in ("json", "yaml"))
    if not differing:
        terminal.echo(f"{app}: nothing differs, nothing to sync", err=True)
        return False
    if not asked.yes:
        agree(words, f"Sync {app}?", "nothing was synced")
    return True


async def _labelled(app: str, chosen: Chosen, labels: tuple[str, ...]) -> tuple[SyncOperationResource, ...]:
    """Return the desired objects that have all the labels."""
    async with chosen.opened() as home:
        stored = await read_application(home.cluster, await chosen.find(home.cluster, app, home))
        return verb.resources_with_labels(await home.look(stored), labels)
