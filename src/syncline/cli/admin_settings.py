"""`syncline admin settings resource-overrides`: try what argocd-cm says about kinds on objects in files.

The group `settings` is attached to `admin`. Nothing here reaches a cluster: objects and settings come from files, and
scripts run in the same workers as in the controller. A FILE may hold several objects; each gets its own answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.admin_validate import validate
from syncline.cli.options import output_option

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.model.settings_resources import ResourceActions, ResourceOverride
    from syncline.ports.evaluate import Evaluator

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILE = click.argument("file", type=_PATH)
_CM = click.option("--argocd-cm-path", "cm", type=_PATH, required=True, help="File with the argocd-cm ConfigMap.")
_Rows = list[dict[str, Any]]


@click.group()
def settings() -> None:
    """Try settings on files before they are used."""


settings.add_command(validate)


@settings.group("resource-overrides")
def resource_overrides() -> None:
    """Try health checks, actions and ignored fields of argocd-cm on objects."""


@resource_overrides.command()
@_FILE
@_CM
@output_option("text", "json")
def health(file: Path, cm: Path, output: str) -> int:
    """Say how healthy the objects of FILE are."""
    rows = _with_evaluator(lambda evaluator: _healths(_objects(file), _overrides(cm), evaluator))
    _print(rows, output, _health_lines)
    return 2 if any(row["reason"] == "ScriptFailed" for row in rows) else 0


async def _healths(objects: Sequence[Object], overrides: Sequence[ResourceOverride], evaluator: Evaluator) -> _Rows:
    from syncline.core.health import assess, scripts

    checks = [scripts.script(obj, overrides) for obj in objects]
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
    """Say which fields of the objects of FILE do not count in comparisons, by JSON pointer and by jq path."""
    rows = _with_evaluator(lambda evaluator: _all_ignored(_objects(file), _overrides(cm), evaluator))
    _print(rows, output, _ignored_lines)
    return 2 if any(row["errors"] for row in rows) else 0


async def _all_ignored(objects: Sequence[Object], overrides: Sequence[ResourceOverride], evaluator: Evaluator) -> _Rows:
    return [await _ignored(obj, overrides, evaluator) for obj in objects]


async def _ignored(obj: Object, overrides: Sequence[ResourceOverride], evaluator: Evaluator) -> dict[str, Any]:
    from syncline.apimachinery import diff
    from syncline.model.script import Script, ScriptKind

    rules = [one.ignore_differences for one in overrides if one.ignore_differences and _covers(one.pattern, obj)]
    after, errors = obj, list[str]()
    for rule in rules:
        for pointer in rule.json_pointers:
            after = _without_pointer(after, pointer)
        for expression in rule.jq_path_expressions:
            (result,) = await evaluator.evaluate([Script(kind=ScriptKind.DELETE, text=expression, obj=after)])
            errors += [result.error] if result.error else []
            after = after if result.error else result.value
    return {"key": _key(obj), "ignored": [change.path for change in diff.diff(obj, after)], "errors": errors}


def _covers(pattern: str, obj: Object) -> bool:
    """Whether an ignore rule is about an object; group and kind are globs of their own, so `*/*` covers core kinds."""
    from syncline.apimachinery.keys import gvk_of
    from syncline.core.policy import globs

    group, _, kind = pattern.rpartition("/")
    gvk = gvk_of(obj)
    return globs.matches(gvk.group, group) and globs.matches(gvk.kind, kind)


def _without_pointer(obj: Object, pointer: str) -> Object:
    from syncline.apimachinery.patch import json_patch
    from syncline.apimachinery.patch.errors import PatchError

    try:
        changed: Object = json_patch.apply(obj, [{"op": "remove", "path": pointer}])
    except PatchError:
        return obj
    return changed


def _ignored_lines(row: dict[str, Any]) -> list[str]:
    found = [f"ignored: {path}" for path in row["ignored"]] or ["nothing is ignored"]
    return [*found, *(f"error: {error}" for error in row["errors"])]


@resource_overrides.command("list-actions")
@_FILE
@_CM
@output_option("text", "json")
def list_actions(file: Path, cm: Path, output: str) -> int:
    """List the actions that the objects of FILE offer."""
    rows = _with_evaluator(lambda evaluator: _all_offered(_objects(file), _overrides(cm), evaluator))
    _print(rows, output, _action_lines)
    return 2 if any(row["error"] for row in rows) else 0


async def _all_offered(objects: Sequence[Object], overrides: Sequence[ResourceOverride], evaluator: Evaluator) -> _Rows:
    import msgspec

    from syncline.model import actions
    from syncline.model.script import Script, ScriptKind

    # A kind without actions offers none: the shortest script that says so.
    texts = [_actions(obj, overrides).discovery_lua or "return {}" for obj in objects]
    batch = [Script(kind=ScriptKind.DISCOVERY, text=text, obj=obj) for text, obj in zip(texts, objects, strict=True)]
    rows: _Rows = []
    for obj, result in zip(objects, await evaluator.evaluate(batch), strict=True):
        offered = () if result.error else actions.offered(result.value)
        rows.append({"key": _key(obj), "actions": msgspec.to_builtins(offered), "error": result.error})
    return rows


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
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUE", help="Parameter of the action; repeatable.")
@output_option("yaml", "json")
def run_action(file: Path, action: str, cm: Path, parameters: Sequence[str], output: str) -> int:
    """Print what ACTION makes of the one object of FILE; nothing is changed anywhere."""
    from syncline.cli.printing import print_objects
    from syncline.model import actions
    from syncline.model.errors import InvalidSpec
    from syncline.model.script import Script, ScriptKind

    objects = _objects(file)
    if len(objects) != 1:
        raise InvalidSpec(f"{file} holds {len(objects)} objects", hint="an action runs on one")
    defined = {one.name: one.action_lua for one in _actions(objects[0], _overrides(cm)).definitions}
    if action not in defined:
        hint = f"there are: {', '.join(sorted(defined))}" if defined else "the settings define none for this kind"
        raise InvalidSpec(f"no action {action} is defined for {_key(objects[0])}", hint=hint)
    given = dict(_parameter(text) for text in parameters)
    script = Script(kind=ScriptKind.ACTION, text=defined[action], obj=objects[0], parameters=given)
    (result,) = _with_evaluator(lambda evaluator: evaluator.evaluate([script]))
    if result.error:
        raise InvalidSpec(f"{action}: {result.error}")
    steps = actions.steps(result.value)
    for step in steps if output == "yaml" else ():
        click.echo(f"{step.operation.value} {_key(step.obj)}", err=True)
    print_objects([step.obj for step in steps], output)
    return 0


def _parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise click.UsageError(f"--param {text}: write NAME=VALUE")
    return name, value


def _actions(obj: Object, overrides: Sequence[ResourceOverride]) -> ResourceActions:
    """Return the actions of a kind; unlike health checks they are found by the exact kind only."""
    from syncline.apimachinery.keys import gvk_of
    from syncline.model.settings_resources import ResourceActions

    name = str(gvk_of(obj).group_kind)
    return next((one.actions for one in overrides if one.pattern == name and one.actions), ResourceActions())


def _with_evaluator(ask: Callable[[Evaluator], Any]) -> Any:
    """Run what `ask` makes of an evaluator, and end its workers."""
    import asyncio

    from syncline import wiring

    async def asked() -> Any:
        evaluator = wiring.evaluator()
        try:
            return await ask(evaluator)
        finally:
            await evaluator.close()

    return asyncio.run(asked())


def _objects(file: Path) -> list[Object]:
    from syncline.apimachinery import yaml
    from syncline.model.errors import InvalidSpec, Place

    documents = yaml.load_documents(file.read_bytes(), source=str(file))
    objects = [document.value for document in documents if document.value is not None]
    for document in documents:
        if document.value is not None and not (isinstance(document.value, dict) and document.value.get("kind")):
            raise InvalidSpec("this is no Kubernetes object", place=Place(str(file), document.line))
    if not objects:
        raise InvalidSpec(f"{file} holds no object")
    return objects


def _overrides(cm: Path) -> tuple[ResourceOverride, ...]:
    from syncline.core.settings import overrides
    from syncline.model.errors import InvalidSpec

    for obj in _objects(cm):
        content = obj.get("data")
        if obj["kind"] == "ConfigMap" and isinstance(content, dict):
            return overrides.parse({key: value for key, value in content.items() if isinstance(value, str)})
    raise InvalidSpec(f"{cm} holds no ConfigMap with data", hint="give the file with the ConfigMap argocd-cm")


def _key(obj: Object) -> str:
    from syncline.apimachinery.keys import key_of

    return str(key_of(obj))


def _print(rows: _Rows, output: str, lines: Callable[[dict[str, Any]], list[str]]) -> None:
    import orjson

    if output == "json":
        click.echo(orjson.dumps(rows, option=orjson.OPT_INDENT_2).decode())
        return
    for row in rows:
        if len(rows) > 1:
            click.echo(row["key"])
        for line in lines(row):
            click.echo(f"  {line}" if len(rows) > 1 else line)
