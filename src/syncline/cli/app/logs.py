"""`syncline app logs`: what the containers of an Application print, each line with its pod."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Any

import click

from syncline.cli.app.selection import looked_at
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.verbs.logs import LogRequest, printing


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
@click.option("--timestamps", is_flag=True, help="Print timestamps.")
def logs(app: str, chosen: Chosen, **given: Any) -> int:
    """Print the logs of an Application's containers."""
    options = {
        "previous": "true" if given["previous"] else "",
        "timestamps": "true" if given["timestamps"] else "",
        "tailLines": str(given["tail"] or ""),
        "sinceSeconds": str(given["since_seconds"] or ""),
    }
    asked = LogRequest(
        group=given["group"],
        kind=given["kind"],
        namespace=given["namespace"],
        name=given["name"],
        container=given["container"],
        filter=given["wanted"],
        match_case=given["match_case"],
        until=_time(given["until_time"]),
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


async def _logs(app: str, chosen: Chosen, asked: LogRequest) -> int:
    async with looked_at(app, chosen) as (seen, words):
        terminal.echo(f"{words}, read-only", err=True)
        found = printing(seen.assessment, asked)
        # One container needs no name on every line.
        named = len(found) > 1
        async for line in seen.lines(found, asked):
            if line.problem:
                terminal.echo(f"{line.pod} {line.container}: {line.text}", err=True)
                continue
            prefix = f"{line.pod} {line.container} | " if named else ""
            terminal.echo(f"{prefix}{line.time} {line.text}" if line.time else f"{prefix}{line.text}")
    return 0
