"""`syncline app sync`: asks for a sync and follows it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import orjson

from syncline.apimachinery.keys import Object
from syncline.apimachinery.selectors import LabelSelector
from syncline.cli.app.following import Manner, request_operation
from syncline.cli.app.get import OUTPUTS
from syncline.cli.app.list import Filters, chosen_applications
from syncline.cli.app.local import local_objects, local_options
from syncline.cli.app.resource_names import ResourceName, parse_resource
from syncline.cli.app.revisions import Revisions, revision_options
from syncline.cli.applications import control_namespace, policy_of, read_application, split_name
from syncline.cli.options import Chosen, app_argument, chosen_cluster, output_option
from syncline.model.errors import NeedsUser

if TYPE_CHECKING:
    from syncline.model.desired import Desired


@click.command()
@app_argument("apps", several=True)
@chosen_cluster
@local_options
@click.option("--prune", is_flag=True, help="Delete objects that Git no longer has.")
@click.option("--dry-run", is_flag=True, help="Only ask the API server whether it would take everything.")
@click.option("--force", is_flag=True, help="Delete and create anew what cannot be changed.")
@click.option("--replace", is_flag=True, help="Replace objects instead of applying them.")
@click.option("--server-side", is_flag=True, help="Use server-side apply.")
@click.option("--apply-out-of-sync-only", is_flag=True, help="Leave out what is Synced.")
@revision_options
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
@click.option("--preview-changes", is_flag=True, help="Show what differs, and ask before syncing.")
@click.option("-y", "--yes", "--assumeYes", "yes", is_flag=True, help="Do not ask.")
@output_option(*OUTPUTS)
def sync(apps: tuple[str, ...], chosen: Chosen, at: Revisions, **asked: Any) -> int:
    """Sync Applications and follow them wave by wave."""
    if bool(apps) == bool(asked["selector"] or asked["projects"]):
        raise click.UsageError("say which Applications: by name, or with --selector or --project")
    return asyncio.run(_sync(apps, chosen, {**asked, "at": at}))


async def _sync(apps: tuple[str, ...], chosen: Chosen, asked: dict[str, Any]) -> int:
    if not apps:
        async with chosen.connected() as (cluster, _):
            filters = Filters(selector=asked["selector"], projects=asked["projects"])
            found = await chosen_applications(cluster, chosen, filters)
        apps = tuple(f"{obj['metadata']['namespace']}/{obj['metadata']['name']}" for obj in found)
        if not apps:
            raise NeedsUser("no Application matches")
    return max([await _sync_one(app, chosen, asked) for app in apps])


async def _sync_one(app: str, chosen: Chosen, asked: dict[str, Any]) -> int:
    labelled = await _labelled(app, chosen, asked["labels"]) if asked["labels"] else ()
    desired = await local_objects(app, chosen, asked["local"]) if asked["local"] is not None else None
    # The objects travel with the operation.
    manifests = [orjson.dumps(item.obj).decode() for item in desired.objects] if desired is not None else []
    if asked["preview_changes"] and not await _previewed(app, chosen, asked, desired):
        return 0

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

    manner = Manner(asked["timeout"], not asked["no_wait"], asked["output"])
    return await request_operation(app, chosen, wanted, manner)


async def _previewed(app: str, chosen: Chosen, asked: dict[str, Any], desired: Desired | None) -> bool:
    """Show what a sync would change; return whether to go on."""
    from syncline.cli.app.diff import Against, compared, print_differences
    from syncline.cli.asking import agree

    found, words = await compared(app, chosen, Against(at=asked["at"], desired=desired))
    differing = print_differences(found, words, aside=asked["output"] in ("json", "yaml"))
    if not differing:
        click.echo(f"{app}: nothing differs, nothing to sync", err=True)
        return False
    if not asked["yes"]:
        agree(words, f"Sync {app}?", "nothing was synced")
    return True


async def _labelled(app: str, chosen: Chosen, labels: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the desired objects that have all the labels."""
    from syncline.cli.looking import look

    async with chosen.connected() as (cluster, _):
        _, obj = await read_application(cluster, *split_name(app, chosen.namespace))
        assessment = await look(cluster, control_namespace(obj, chosen.namespace), obj)
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
    sync |= asked["at"].of(obj)
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


def _info(text: str) -> dict[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise NeedsUser(f"--info {text} is not of the form NAME=VALUE")
    return {"name": name, "value": value}
