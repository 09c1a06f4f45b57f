"""`syncline admin settings resource-overrides`: try what argocd-cm says about kinds on objects in files.

The group `settings` is attached to `admin`. Nothing here reaches a cluster: objects and settings come from files, and
scripts run in the same workers as in the controller. A FILE may hold several objects; each gets its own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.api import object_files
from syncline.cli.admin.rbac import rbac
from syncline.cli.admin.validate import validate
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import customizations_option, customized, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.model.settings.settings import Settings
    from syncline.ports.evaluate import Evaluator

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILE = click.argument("file", type=_PATH)
_CM = click.option(
    "--argocd-cm-path",
    "cm",
    type=_PATH,
    required=True,
    help="File with the argocd-cm ConfigMap, ArgoCD resource or chart values.",
)
_Rows = list[dict[str, Any]]


@click.group(cls=SwitchGroup)
def settings() -> None:
    """Try settings on files before they are used."""


settings.add_command(validate)
settings.add_command(rbac)


@settings.group("resource-overrides")
def resource_overrides() -> None:
    """Try health checks, actions and ignored fields of argocd-cm on objects."""


@resource_overrides.command()
@_FILE
@_CM
@customizations_option
@output_option("text", "json")
def health(file: Path, cm: Path, customizations: Path | None, output: str) -> int:
    """Print the health of the objects in FILE."""
    rows = _asked(cm, lambda settings, evaluator: _healths(_objects(file), settings, evaluator), customizations)
    _print(rows, output, _health_lines)
    return 2 if any(row["reason"] == "ScriptFailed" for row in rows) else 0


async def _healths(objects: Sequence[Object], settings: Settings, evaluator: Evaluator) -> _Rows:
    from syncline.core.health import assess, scripts

    checks = [scripts.script(obj, settings.overrides, settings.customizations) for obj in objects]
    results = iter(await evaluator.evaluate([check for check in checks if check is not None]))
    rows: _Rows = []
    for obj, check in zip(objects, checks, strict=True):
        found = scripts.read(next(results)) if check is not None else assess.assess(obj)
        words = {"status": None, "message": "", "reason": ""}
        if found is not None:
            words = {"status": found.status.value, "message": found.message, "reason": found.reason}
        rows.append({"key": _key(obj), **words})
    return rows


def _health_lines(row: dict[str, Any]) -> list[str]:
    if row["status"] is None:
        return ["no health check gives this object a status"]
    return [f"STATUS: {row['status']}", f"MESSAGE: {row['message']}"]


@resource_overrides.command("ignore-differences")
@_FILE
@_CM
@output_option("text", "json")
def ignore_differences(file: Path, cm: Path, output: str) -> int:
    """List the fields of the objects in FILE that are ignored in comparisons, and the managers whose changes are."""
    rows = _asked(cm, lambda settings, evaluator: _all_ignored(_objects(file), settings, evaluator))
    _print(rows, output, _ignored_lines)
    return 2 if any(row["errors"] for row in rows) else 0


async def _all_ignored(objects: Sequence[Object], settings: Settings, evaluator: Evaluator) -> _Rows:
    from syncline.cli.admin import ignored_fields

    return [await ignored_fields.ignored(obj, settings, evaluator) for obj in objects]


def _ignored_lines(row: dict[str, Any]) -> list[str]:
    found = [f"ignored: {path}" for path in row["ignored"]]
    found += [f"ignored where {one['manager']} changed it: {one['path']}" for one in row["trusted"]]
    found = found or ["nothing is ignored"]
    return [*found, *(f"error: {error}" for error in row["errors"])]


@resource_overrides.command("list-actions")
@_FILE
@_CM
@customizations_option
@output_option("text", "json")
def list_actions(file: Path, cm: Path, customizations: Path | None, output: str) -> int:
    """List the actions of the objects in FILE: those of argocd-cm, and the built-in ones."""
    rows = _asked(cm, lambda settings, evaluator: _all_offered(_objects(file), settings, evaluator), customizations)
    _print(rows, output, _action_lines)
    return 2 if any(row["error"] for row in rows) else 0


async def _all_offered(objects: Sequence[Object], settings: Settings, evaluator: Evaluator) -> _Rows:
    import msgspec

    from syncline.verbs import actions

    return [
        {"key": _key(one.obj), "actions": msgspec.to_builtins(one.actions), "error": one.error}
        for one in await actions.offered(objects, settings, evaluator)
    ]


def _action_lines(row: dict[str, Any]) -> list[str]:
    if row["error"]:
        return [f"error: {row['error']}"]
    width = max([len(one["name"]) for one in row["actions"]] + [len("NAME")])
    lines = [f"{one['name']:<{width}}  {str(not one.get('disabled', False)).lower()}" for one in row["actions"]]
    return [f"{'NAME':<{width}}  ENABLED", *lines]


@resource_overrides.command("run-action")
@_FILE
@click.argument("action")
@_CM
@customizations_option
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameter of the action; repeatable.")
@output_option("yaml", "json")
def run_action(
    file: Path, action: str, cm: Path, customizations: Path | None, parameters: Sequence[str], output: str
) -> int:
    """Print what ACTION does to the object in FILE; nothing is changed."""
    from syncline import wiring
    from syncline.cli.app.actions import parameter
    from syncline.cli.show.printing import print_objects
    from syncline.model.errors import InvalidSpec
    from syncline.verbs import actions
    from syncline.verbs.resources import masked

    objects = _objects(file)
    if len(objects) != 1:
        raise InvalidSpec(f"{file} holds {len(objects)} objects", hint="an action runs on one")
    run = actions.Run(action, objects[0], dict(map(parameter, parameters)), wiring.clock().now())
    steps = _asked(cm, lambda settings, evaluator: actions.steps(run, settings, evaluator), customizations)
    for step in steps if output == "yaml" else ():
        terminal.echo(f"{step.operation.value} {_key(step.obj)}", err=True)
    print_objects([masked(step.obj) for step in steps], output)
    return 0


def _asked(cm: Path, ask: Callable[[Settings, Evaluator], Any], folder: Path | None = None) -> Any:
    """Run what `ask` makes of the settings in a file, a folder's scripts among them, and of an evaluator."""
    import asyncio

    from syncline import wiring

    settings = customized(folder)(object_files.kinds_settings(cm, None, lambda text: terminal.echo(text, err=True)))

    async def asked() -> Any:
        async with wiring.evaluating(settings.jq_timeout) as evaluator:
            return await ask(settings, evaluator)

    return asyncio.run(asked())


def _objects(file: Path) -> list[Object]:
    from syncline.model.errors import InvalidSpec

    objects = object_files.objects(file)
    if not objects:
        raise InvalidSpec(f"{file} contains no object")
    return objects


def _key(obj: Object) -> str:
    from syncline.apimachinery.keys import key_of

    return str(key_of(obj))


def _print(rows: _Rows, output: str, lines: Callable[[dict[str, Any]], list[str]]) -> None:
    import orjson

    if output == "json":
        terminal.echo_data(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    for row in rows:
        if len(rows) > 1:
            terminal.echo(row["key"])
        for line in lines(row):
            terminal.echo(f"  {line}" if len(rows) > 1 else line)
