"""`syncline app logs`: what the containers of an Application print, each line with its pod."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from datetime import datetime
from typing import Any

import click
import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, key_of
from syncline.cli.app.selection import looked_at
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiError, Cluster
from syncline.verbs.resources import ResourceChoice, chosen_objects

_MOST_PODS = 20


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    group: str
    kind: str
    namespace: str
    name: str
    container: str
    filter: str
    match_case: bool
    until: datetime | None
    options: dict[str, str]
    timestamps: bool
    follow: bool


@click.command()
@app_argument("app")
@chosen_cluster
@click.option("--group", default="", help="API group of the object whose pods to print.")
@click.option("--kind", default="", help="Kind of the object whose pods to print.")
@click.option("--namespace", default="", help="Namespace of the pods.")
@click.option("--name", default="", help="Name of the object whose pods to print.")
@click.option("-c", "--container", default="", help="Container (default: all).")
@click.option("-f", "--follow", is_flag=True, help="Follow the logs.")
@click.option("-p", "--previous", is_flag=True, help="Logs of the previous container.")
@click.option("--tail", type=click.IntRange(min=0), default=0, help="Number of last lines (0: all).")
@click.option("--since-seconds", type=click.IntRange(min=0), default=0, help="Only logs of the last seconds.")
@click.option("--until-time", default="", help="Only logs until this time, such as 2026-01-31T12:00:00Z.")
@click.option("--filter", "wanted", default="", help="Only lines that contain this text; !TEXT omits them.")
@click.option("-m", "--match-case", is_flag=True, help="Make --filter case-sensitive.")
@click.option("--timestamps", is_flag=True, help="With times.")
def logs(app: str, chosen: Chosen, **given: Any) -> int:
    """Print the logs of an Application's containers."""
    options = {
        "follow": "true" if given["follow"] else "",
        "previous": "true" if given["previous"] else "",
        # Without times nobody could tell where the end is.
        "timestamps": "true" if given["timestamps"] or given["until_time"] else "",
        "tailLines": str(given["tail"] or ""),
        "sinceSeconds": str(given["since_seconds"] or ""),
    }
    asked = Asked(
        group=given["group"],
        kind=given["kind"],
        namespace=given["namespace"],
        name=given["name"],
        container=given["container"],
        filter=given["wanted"],
        match_case=given["match_case"],
        until=_time(given["until_time"]),
        timestamps=given["timestamps"],
        options={name: value for name, value in options.items() if value},
        follow=given["follow"],
    )
    return asyncio.run(_logs(app, chosen, asked))


def _time(text: str) -> datetime | None:
    from syncline.apimachinery import times

    if not text:
        return None
    try:
        return times.parse(text)
    except ValueError:
        raise click.BadParameter(
            f"{text!r} is not a time such as 2026-01-31T12:00:00Z", param_hint="--until-time"
        ) from None


async def _logs(app: str, chosen: Chosen, asked: Asked) -> int:
    async with looked_at(app, chosen) as (seen, words):
        terminal.echo(f"{words}, read-only", err=True)
        assessment, place = seen.assessment, seen.place
        pods = chosen_objects(assessment, ResourceChoice(kind="Pod", group="", namespace=asked.namespace))
        if asked.kind or asked.name:
            pods = [pod for pod in pods if _below(pod, assessment.live, asked)]
        streams = [(pod, container) for pod in pods for container in _containers(pod, asked.container)]
        if not streams:
            raise NeedsUser(f"{app} has no pod that matches")
        if asked.follow and len(streams) > _MOST_PODS:
            raise NeedsUser(f"{len(streams)} containers match", hint=f"follow at most {_MOST_PODS}: name an object")
        # One container needs no name on every line.
        prints = [_print(place.cluster, pod, one, asked, named=len(streams) > 1) for pod, one in streams]
        if asked.follow:
            await asyncio.gather(*prints)
        else:
            for one in prints:
                await one
    return 0


def _below(pod: Object, live: Any, asked: Asked) -> bool:
    """Whether a pod is the named object, or is owned by it."""
    by_uid = {meta.uid(obj): obj for obj in live.values()}
    current: Object | None = pod
    while current is not None:
        key = key_of(current)
        fits = (not asked.kind or key.kind == asked.kind) and (not asked.name or key.name == asked.name)
        if fits and (not asked.group or key.group == asked.group):
            return True
        owners = meta.owner_references(current)
        current = next((by_uid[uid] for owner in owners if (uid := str(owner.get("uid"))) in by_uid), None)
    return False


def _containers(pod: Object, wanted: str) -> list[str]:
    spec = pod.get("spec") or {}
    names = [str(one.get("name")) for one in spec.get("containers") or ()]
    if not wanted:
        return names
    every = names + [str(one.get("name")) for one in spec.get("initContainers") or ()]
    return [wanted] if wanted in every else []


async def _print(cluster: Cluster, pod: Object, container: str, asked: Asked, *, named: bool) -> None:
    key = key_of(pod)
    prefix = f"{key.name} {container} | " if named else ""
    lines: Any = cluster.logs(key.namespace, key.name, {**asked.options, "container": container})
    try:
        async with aclosing(lines):
            async for line in lines:
                text = line.decode("utf-8", "replace")
                if asked.until is not None:
                    time, _, rest = text.partition(" ")
                    if _later(time, asked.until):
                        return
                    text = text if asked.timestamps else rest
                if _is_wanted(text, asked):
                    terminal.echo(f"{prefix}{text}")
    except ApiError as error:
        terminal.echo(f"{key.name} {container}: {error.message}", err=True)


def _later(time: str, until: datetime) -> bool:
    from syncline.apimachinery import times

    try:
        return times.parse(time) > until
    except ValueError:
        return False


def _is_wanted(line: str, asked: Asked) -> bool:
    wanted = asked.filter.removeprefix("!")
    found = wanted in line if asked.match_case else wanted.lower() in line.lower()
    return found != asked.filter.startswith("!") or not wanted
