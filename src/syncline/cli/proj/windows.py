"""`syncline proj windows`: when the Applications of a project may sync."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import click

from syncline import wiring
from syncline.apimachinery.times import format_time
from syncline.cli.choice import Choice
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.proj.changing import PROJECT, changed
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.core.policy import windows as rules
from syncline.core.policy.windows import WindowState
from syncline.model import project as projects
from syncline.model.project import SyncWindow
from syncline.verbs import project_edits
from syncline.verbs.projects import read_project

_HEADER = (
    "ID",
    "STATUS",
    "KIND",
    "SCHEDULE",
    "DURATION",
    "APPLICATIONS",
    "NAMESPACES",
    "CLUSTERS",
    "MANUALSYNC",
    "SYNCOVERRUN",
    "TIMEZONE",
    "USEANDOPERATOR",
)
_ID = click.argument("number", metavar="ID", type=int)


@click.group(cls=SwitchGroup)
def windows() -> None:
    """Manage the sync windows of a project."""


@windows.command("list")
@PROJECT
@chosen_cluster
@output_option("wide", "json", "yaml")
def list_(project: str, chosen: Chosen, output: str) -> int:
    """List the sync windows of a project, and which are active now; when each changes goes to standard error."""
    obj = asyncio.run(_read(project, chosen))
    if output != "wide":
        print_objects((obj.get("spec") or {}).get("syncWindows") or [], output)
        return 0
    found = projects.parse(obj).spec.sync_windows
    states = rules.states(found, format_time(wiring.clock().now()))
    rows = [_row(number, rule, state) for number, (rule, state) in enumerate(zip(found, states, strict=True))]
    terminal.echo(table(_HEADER, rows))
    for number, (rule, state) in enumerate(zip(found, states, strict=True)):
        terminal.echo(f"{number}: {_turns(rule, state)}", err=True)
    return 0


async def _read(project: str, chosen: Chosen) -> dict[str, Any]:
    async with chosen.connected() as (cluster, _):
        return await read_project(cluster, chosen.namespace, project)


def _row(number: int, rule: SyncWindow, state: WindowState | None) -> Sequence[str]:
    return [
        str(number),
        "Active" if state is not None and state.open else "Inactive",
        rule.kind,
        rule.schedule,
        rule.duration,
        *(",".join(values) or "-" for values in (rule.applications, rule.namespaces, rule.clusters)),
        _enabled(on=rule.manual_sync),
        _enabled(on=rule.sync_overrun),
        rule.time_zone,
        _enabled(on=rule.and_operator),
    ]


def _enabled(*, on: bool) -> str:
    return "Enabled" if on else "Disabled"


def _turns(rule: SyncWindow, state: WindowState | None) -> str:
    if state is None:
        return f"cannot be used, so nothing that it concerns is synced: {rules.problem(rule)}"
    note = f" ({rule.description})" if rule.description else ""
    if state.open and any(then is not None and then.open for then in rules.states([rule], state.turns)):
        return f"stays active, since it starts again {state.turns}, as it ends{note}"
    return f"{'closes' if state.open else 'opens'} {state.turns}{note}"


def _words(values: Sequence[str]) -> list[str]:
    return [word for value in values for word in value.split(",") if word]


def _choice(command: Any) -> Any:
    """Add the options that choose Applications and times."""
    for option in (
        click.option("--description", default=None, help="Description."),
        click.option("--time-zone", default=None, help="Time zone of the schedule (default: UTC)."),
        click.option("--clusters", multiple=True, help="Clusters, separated by commas; globs are allowed."),
        click.option("--namespaces", multiple=True, help="Namespaces, separated by commas; globs are allowed."),
        click.option("--applications", multiple=True, help="Applications, separated by commas; globs are allowed."),
        click.option("--duration", default=None, help="How long it is open, such as 1h."),
        click.option("--schedule", default=None, help="When it opens, as a cron schedule: '0 22 * * *'."),
    ):
        command = option(command)
    return command


def _fields(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a window that were given."""
    lists = {name: _words(given[name]) for name in ("applications", "namespaces", "clusters") if given[name]}
    single = {
        field: given[name]
        for name, field in (
            ("schedule", "schedule"),
            ("duration", "duration"),
            ("time_zone", "timeZone"),
            ("description", "description"),
        )
        if given[name] is not None
    }
    return {**single, **lists}


@windows.command()
@PROJECT
@click.option("-k", "--kind", type=Choice(["allow", "deny"]), required=True, help="Allow or deny syncs.")
@_choice
@click.option("--manual-sync", is_flag=True, help="Let people sync even while the window forbids it.")
@click.option("--sync-overrun", is_flag=True, help="Let a sync finish that started while it was allowed.")
@click.option("--use-and-operator", is_flag=True, help="Require all lists to match, not just one.")
@chosen_cluster
def add(
    project: str,
    kind: str,
    chosen: Chosen,
    *,
    manual_sync: bool,
    sync_overrun: bool,
    use_and_operator: bool,
    **given: Any,
) -> int:
    """Add a sync window."""
    switches = {"manualSync": manual_sync, "syncOverrun": sync_overrun, "andOperator": use_and_operator}
    fields = {"timeZone": "UTC", **_fields(given), **{name: True for name, on in switches.items() if on}}
    window = {"kind": kind, **fields}
    return changed(chosen, project, project_edits.add("syncWindows", window, "this sync window"))


@windows.command()
@PROJECT
@_ID
@_choice
@chosen_cluster
def update(project: str, number: int, chosen: Chosen, **given: Any) -> int:
    """Set fields of a sync window."""
    fields = _fields(given)
    if not fields:
        raise click.UsageError("nothing to set: give at least one option")
    return changed(chosen, project, project_edits.set_window(number, fields))


@windows.command()
@PROJECT
@_ID
@chosen_cluster
def delete(project: str, number: int, chosen: Chosen) -> int:
    """Delete a sync window."""
    return changed(chosen, project, project_edits.delete_window(number))


def _switch(name: str, field: str, *, on: bool, words: str) -> None:
    """Add the command that switches one field of a window."""

    @windows.command(name, help=words)
    @PROJECT
    @_ID
    @chosen_cluster
    def command(project: str, number: int, chosen: Chosen) -> int:
        return changed(chosen, project, project_edits.set_window(number, {field: on}))


_switch("enable-manual-sync", "manualSync", on=True, words="Let people sync even while a window forbids it.")
_switch("disable-manual-sync", "manualSync", on=False, words="Do not let people sync while a window forbids it.")
_switch("enable-sync-overrun", "syncOverrun", on=True, words="Let a sync finish that started while it was allowed.")
_switch("disable-sync-overrun", "syncOverrun", on=False, words="Hold a running sync when a window closes.")
