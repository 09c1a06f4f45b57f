"""`syncline admin notifications`: try triggers and templates on an Application, before anybody is told.

Settings come from files (`--config-map`, `--secret`) or from the installation, the Application from a file or by name.
Flags and columns are those of `argocd admin notifications`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import click

from syncline.api import object_files
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.model.notifications import NotificationSettings, Recipient
    from syncline.ports.kube import Cluster

_EMPTY = ":empty"
_CONSOLE = "console"
_PREVIEW = 100
_FORMATS = ("wide", "name", "json", "yaml")


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--config-map", default="", metavar="FILE", help="File of argocd-notifications-cm.")(command)
    command = click.option(
        "--secret", default="", metavar="FILE", help=f"File of argocd-notifications-secret; {_EMPTY} for none."
    )(command)
    return chosen_cluster(command)


@click.group(cls=SwitchGroup)
def notifications() -> None:
    """Try triggers and templates of notifications."""


@notifications.group()
def trigger() -> None:
    """Show triggers, and evaluate one."""


@notifications.group()
def template() -> None:
    """Show templates, and send one."""


@trigger.command("get")
@click.argument("name", default="")
@output_option(*_FORMATS)
@_settings_options
def trigger_get(name: str, output: str, config_map: str, secret: str, chosen: Chosen) -> int:
    """Print all triggers, or one."""
    import msgspec

    settings = asyncio.run(_settings_alone(chosen, config_map, secret))
    found = _chosen("trigger", settings.triggers, name)
    rows = [
        (key if at == 0 else "", ", ".join(one.send), one.when)
        for key, conditions in found.items()
        for at, one in enumerate(conditions)
    ]
    _print(msgspec.to_builtins(found), ("NAME", "TEMPLATE", "CONDITION"), rows, output)
    return 0


@trigger.command("run")
@click.argument("name")
@click.argument("resource")
@_settings_options
def trigger_run(name: str, resource: str, config_map: str, secret: str, chosen: Chosen) -> int:
    """Evaluate the conditions of trigger NAME for RESOURCE: a file, or the name of an Application."""
    return asyncio.run(_run(name, resource, config_map, secret, chosen))


@template.command("get")
@click.argument("name", default="")
@output_option(*_FORMATS)
@_settings_options
def template_get(name: str, output: str, config_map: str, secret: str, chosen: Chosen) -> int:
    """Print all templates, or one."""
    settings = asyncio.run(_settings_alone(chosen, config_map, secret))
    found = _chosen("template", settings.templates, name)
    _print(dict(found), ("NAME", "PREVIEW"), [(key, _preview(one)) for key, one in found.items()], output)
    return 0


@template.command("notify")
@click.argument("name")
@click.argument("resource")
@click.option(
    "--recipient", "recipients", multiple=True, default=(f"{_CONSOLE}:stdout",), show_default=True,
    metavar="SERVICE:RECIPIENT", help="Whom to send it to; the console only prints it. Repeatable.",
)  # fmt: skip
@_settings_options
def template_notify(
    name: str, resource: str, recipients: tuple[str, ...], config_map: str, secret: str, chosen: Chosen
) -> int:
    """Fill in template NAME for RESOURCE, a file or the name of an Application, and send it."""
    return asyncio.run(_notify(name, resource, recipients, config_map, secret, chosen))


async def _run(name: str, resource: str, config_map: str, secret: str, chosen: Chosen) -> int:
    from syncline import wiring
    from syncline.cli.show.tables import table
    from syncline.controller.notify.commits import KnownCommits
    from syncline.core.notify import triggers
    from syncline.core.notify.variables import variables

    settings, app = await _given(resource, config_map, secret, chosen)
    conditions = _chosen("trigger", settings.triggers, name)[name]
    now = wiring.clock().now()
    results = await KnownCommits(wiring.source(["/"])).with_commits(
        app,
        lambda commits: triggers.run(name, conditions, variables(settings, now, objects={"app": app}, commits=commits)),
    )
    rows = [(one.condition.when, "true" if one.holds else "false") for one in results]
    terminal.echo(table(("CONDITION", "RESULT"), rows))
    problems = [one.problem for one in results if one.problem]
    for problem in problems:
        terminal.echo(problem, err=True)
    return 2 if problems else 0


async def _notify(
    name: str, resource: str, recipients: Sequence[str], config_map: str, secret: str, chosen: Chosen
) -> int:
    from syncline.core.notify.errors import NotifyError
    from syncline.core.notify.settings import recipient
    from syncline.model.errors import NeedsUser
    from syncline.ports.notify import NotDelivered

    settings, app = await _given(resource, config_map, secret, chosen)
    _chosen("template", settings.templates, name)
    for text in recipients:
        try:
            await _send(name, app, settings, recipient(text))
        except (NotifyError, NotDelivered) as error:
            raise NeedsUser(f"{text} was not notified: {error}") from None
    return 0


async def _send(name: str, app: Object, settings: NotificationSettings, to: Recipient) -> None:
    from syncline import wiring
    from syncline.controller.notify.commits import KnownCommits
    from syncline.core.notify.due import Due, message_for
    from syncline.core.notify.templates import fill
    from syncline.core.notify.variables import variables

    commits, now = KnownCommits(wiring.source(["/"])), wiring.clock().now()
    if to.service == _CONSOLE:
        filled = await commits.with_commits(
            app,
            lambda known: fill(
                settings, [name], variables(settings, now, objects={"app": app}, commits=known, to=to), now
            ),
        )
        _print(filled, (), (), "yaml")
        return
    due = Due(key="", trigger="", to=to, templates=(name,))
    message = await commits.with_commits(app, lambda known: message_for(due, {"app": app}, settings, known, now))
    await wiring.messenger().deliver(message)
    terminal.echo(f"{to} was notified", err=True)


async def _settings_alone(chosen: Chosen, config_map: str, secret: str) -> NotificationSettings:
    async with AsyncExitStack() as stack:
        return await _settings(_Home(chosen, stack), config_map, secret)


async def _given(resource: str, config_map: str, secret: str, chosen: Chosen) -> tuple[NotificationSettings, Object]:
    """Return settings and Application; the cluster is asked only for what no file holds."""
    async with AsyncExitStack() as stack:
        home = _Home(chosen, stack)
        settings = await _settings(home, config_map, secret)
        if resource.startswith((".", "/")) or resource.endswith((".yaml", ".yml", ".json")):
            return settings, object_files.one(resource, "Application")
        from syncline.verbs.applications import read_application

        cluster = await home.cluster()
        return settings, (await read_application(cluster, await chosen.find(cluster, resource))).obj


class _Home:
    """The cluster of the installation, connected to when it is first asked for."""

    def __init__(self, chosen: Chosen, stack: AsyncExitStack) -> None:
        self.namespace = chosen.namespace
        self._chosen = chosen
        self._stack = stack
        self._cluster: Cluster | None = None

    async def cluster(self) -> Cluster:
        """Return a client."""
        if self._cluster is None:
            found, _words = await self._stack.enter_async_context(self._chosen.connected())
            self._cluster = found
        return self._cluster


async def _settings(home: _Home, config_map: str, secret: str) -> NotificationSettings:
    from syncline.controller.notify.configuration import stored_settings
    from syncline.core.notify.settings import read_settings

    if not config_map:
        settings = await stored_settings(await home.cluster(), home.namespace)
    else:
        values = object_files.one(secret, "Secret") if secret not in ("", _EMPTY) else None
        settings = read_settings(object_files.one(config_map, "ConfigMap"), values)
    for problem in settings.problems:
        terminal.echo(problem, err=True)
    return settings


def _chosen(kind: str, items: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the item of a name, or without one all of them."""
    from syncline.apimachinery.nearest import did_you_mean
    from syncline.model.errors import NeedsUser

    if name and name not in items:
        raise NeedsUser(f"{kind} {name} does not exist", hint=did_you_mean(name, sorted(items)))
    return {key: items[key] for key in sorted(items) if not name or key == name}


def _preview(template: Mapping[str, Any]) -> str:
    import msgspec

    text = str(template.get("message") or "") or msgspec.json.encode(template).decode()
    line = text.split("\n", 1)[0]
    return line if len(line) <= _PREVIEW else f"{line[: _PREVIEW - 1]}..."


def _print(value: Any, header: Sequence[str], rows: Sequence[Sequence[str]], output: str) -> None:
    import orjson

    from syncline.apimachinery.yaml import dump
    from syncline.cli.show.tables import table

    match output:
        case "json":
            terminal.echo_data(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
        case "yaml":
            terminal.echo_data(dump(value), nl=False)
        case "name":
            for key in value:
                terminal.echo(key)
        case _:
            terminal.echo(table(header, rows))
