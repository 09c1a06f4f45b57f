"""`syncline app sync`: asks for a sync and follows it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import click
import orjson

from syncline.apimachinery.keys import Object
from syncline.apimachinery.selectors import LabelSelector
from syncline.cli.app_list import Filters, select
from syncline.cli.applications import policy_of, split_name
from syncline.cli.following import request_operation
from syncline.cli.local import local_objects, local_option
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.resource_names import ResourceName, parse_resource
from syncline.model.errors import NeedsUser


@click.command()
@click.argument("apps", nargs=-1)
@chosen_cluster
@local_option
@click.option("--prune", is_flag=True, help="Delete objects that Git no longer has.")
@click.option("--dry-run", is_flag=True, help="Only ask the API server whether it would take everything.")
@click.option("--force", is_flag=True, help="Delete and create anew what cannot be changed.")
@click.option("--replace", is_flag=True, help="Replace objects instead of applying them.")
@click.option("--server-side", is_flag=True, help="Use server-side apply.")
@click.option("--apply-out-of-sync-only", is_flag=True, help="Leave out what is Synced.")
@click.option("--revision", default="", help="Commit, branch, tag or chart version to sync to, instead of the newest.")
@click.option("--revisions", multiple=True, help="The same for several sources, in their order.")
@click.option("--source-positions", type=int, multiple=True, help="Which sources --revisions are for, counted from 1.")
@click.option("--resource", "resources", multiple=True, help="Only this object: [!]GROUP:KIND:[NAMESPACE/]NAME.")
@click.option("--label", "labels", multiple=True, help="Only objects with this label KEY=VALUE.")
@click.option(
    "--strategy",
    type=click.Choice(["hook", "apply"]),
    default="hook",
    show_default=True,
    help="With hooks, or without.",
)
@click.option("--info", multiple=True, help="A remark NAME=VALUE that is kept with the operation.")
@click.option("--retry-limit", type=int, default=0, help="How often to try again after a failure.")
@click.option("--retry-backoff-duration", default="5s", show_default=True, help="First wait.")
@click.option("--retry-backoff-max-duration", default="3m0s", show_default=True, help="Longest wait.")
@click.option("--retry-backoff-factor", type=int, default=2, show_default=True, help="How waits grow.")
@click.option("--retry-refresh", is_flag=True, help="Retries take the newest revision.")
@click.option("-l", "--selector", default="", help="All Applications whose labels match.")
@click.option("--project", "projects", multiple=True, help="All Applications of this project.")
@click.option("--async", "no_wait", is_flag=True, help="Do not wait for the end.")
@click.option(
    "--timeout", type=click.IntRange(min=0), default=0, help="Give up waiting after so many seconds (0: never)."
)
def sync(apps: tuple[str, ...], chosen: Chosen, **asked: Any) -> int:
    """Sync Applications and follow them wave by wave."""
    if bool(apps) == bool(asked["selector"] or asked["projects"]):
        raise click.UsageError("say which Applications: by name, or with --selector or --project")
    if len(asked["revisions"]) != len(asked["source_positions"]):
        raise NeedsUser(
            "--revisions and --source-positions belong together", hint="give as many of one as of the other"
        )
    return asyncio.run(_sync(apps, chosen, asked))


async def _sync(apps: tuple[str, ...], chosen: Chosen, asked: dict[str, Any]) -> int:
    if not apps:
        async with chosen.connected() as (cluster, _):
            filters = Filters(selector=asked["selector"], projects=asked["projects"])
            found = await select(cluster, chosen.namespace, filters)
        apps = tuple(f"{obj['metadata']['namespace']}/{obj['metadata']['name']}" for obj in found)
        if not apps:
            raise NeedsUser("no Application matches")
    return max([await _sync_one(app, chosen, asked) for app in apps])


async def _sync_one(app: str, chosen: Chosen, asked: dict[str, Any]) -> int:
    labelled = await _labelled(app, chosen, asked["labels"]) if asked["labels"] else ()
    manifests = await _at_hand(app, chosen, asked["local"]) if asked["local"] is not None else ()

    def wanted(obj: Object) -> dict[str, Any]:
        if manifests and policy_of(obj) != "Manual":
            raise NeedsUser(
                "files at hand cannot be synced while auto-sync is enabled: it would be undone at once",
                hint=f"syncline app set {app} --sync-policy none",
            )
        found = operation(obj, asked, labelled)
        if manifests:
            found["sync"]["manifests"] = list(manifests)
        return found

    return await request_operation(
        app,
        chosen,
        wanted,
        timeout=asked["timeout"],
        wait=not asked["no_wait"],
    )


async def _at_hand(app: str, chosen: Chosen, path: str) -> list[str]:
    """Render the files at hand; the objects travel with the operation."""
    desired = await local_objects(app, chosen, path)
    return [orjson.dumps(item.obj).decode() for item in desired.objects]


async def _labelled(app: str, chosen: Chosen, labels: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the desired objects that have all the labels."""
    from syncline.cli.looking import look

    async with chosen.connected() as (cluster, _):
        assessment = await look(cluster, *split_name(app, chosen.namespace))
    selector = LabelSelector.parse(",".join(labels))
    found = [
        item.key for item in assessment.prepared.objects if selector.matches(item.obj["metadata"].get("labels") or {})
    ]
    if not found:
        raise NeedsUser(f"no object of {app} has the label {', '.join(labels)}")
    return [ResourceName(key.group, key.kind, key.namespace, key.name).as_operation() for key in found]


def operation(obj: Object, asked: dict[str, Any], labelled: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return the operation that the flags ask for; `labelled` are the objects that --label stands for."""
    strategy: dict[str, Any] = {"force": True} if asked["force"] else {}
    sync: dict[str, Any] = {"prune": asked["prune"], "syncStrategy": {asked["strategy"]: strategy}}
    if asked["dry_run"]:
        sync["dryRun"] = True
    if asked["revision"]:
        sync["revision"] = asked["revision"]
    if asked["revisions"]:
        sync["revisions"] = _revisions(obj, asked["revisions"], asked["source_positions"])
    if resources := [*(parse_resource(text).as_operation() for text in asked["resources"]), *labelled]:
        sync["resources"] = resources
    if options := _options(obj, asked):
        sync["syncOptions"] = options
    wanted: dict[str, Any] = {"sync": sync, "initiatedBy": {"username": "syncline-cli"}}
    if asked["info"]:
        wanted["info"] = [_info(one) for one in asked["info"]]
    if retry := _retry(obj, asked):
        wanted["retry"] = retry
    return wanted


def _options(obj: Object, asked: dict[str, Any]) -> list[str]:
    """Return the app's own sync options and those that flags stand for."""
    policy = (obj.get("spec") or {}).get("syncPolicy") or {}
    flags = {
        "Replace=true": asked["replace"],
        "ServerSideApply=true": asked["server_side"],
        "ApplyOutOfSyncOnly=true": asked["apply_out_of_sync_only"],
    }
    return list(dict.fromkeys([*(policy.get("syncOptions") or []), *(name for name, on in flags.items() if on)]))


def _retry(obj: Object, asked: dict[str, Any]) -> dict[str, Any]:
    if not asked["retry_limit"]:
        retry: dict[str, Any] = ((obj.get("spec") or {}).get("syncPolicy") or {}).get("retry") or {}
        return retry
    backoff = {
        "duration": asked["retry_backoff_duration"],
        "maxDuration": asked["retry_backoff_max_duration"],
        "factor": asked["retry_backoff_factor"],
    }
    refresh = {"refresh": True} if asked["retry_refresh"] else {}
    return {"limit": asked["retry_limit"], "backoff": backoff, **refresh}


def _revisions(obj: Object, revisions: tuple[str, ...], positions: tuple[int, ...]) -> list[str]:
    sources = (obj.get("spec") or {}).get("sources") or []
    wanted = [str(source.get("targetRevision") or "") for source in sources]
    for position, revision in zip(positions, revisions, strict=True):
        if not 1 <= position <= len(sources):
            raise NeedsUser(f"there is no source {position}: this Application has {len(sources)} sources in a list")
        wanted[position - 1] = revision
    return wanted


def _info(text: str) -> dict[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise NeedsUser(f"--info {text} is not of the form NAME=VALUE")
    return {"name": name, "value": value}
