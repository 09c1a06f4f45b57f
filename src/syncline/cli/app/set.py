"""`syncline app set`, `unset`, `add-source` and `remove-source`: change where an Application comes from and goes to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.app.create import VALIDATE, check, of_source, source_of
from syncline.cli.app.spec_flags import Flag, image_name, put_flags, spec_flags
from syncline.cli.app.sync_policy_flags import PolicyFlags, put_policy, sync_policy_flags
from syncline.cli.applications import change_application, split_name
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.model.errors import NeedsUser

_POSITION = click.option(
    "--source-position", type=click.IntRange(min=1), default=None, help="Which of several sources, counted from 1."
)


def change(
    name: str, chosen: Chosen, edit: Callable[[Object], Object], done: str = "updated", *, validate: bool = True
) -> int:
    """Change an Application as it is stored, and say so; `edit` gets a copy and may change it."""

    def changed(app: Object) -> Object:
        wanted = edit(app)
        if validate:
            check(wanted)
        return wanted

    return asyncio.run(_change(name, chosen, changed, done))


async def _change(name: str, chosen: Chosen, changed: Callable[[Object], Object], done: str) -> int:
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        click.echo(words, err=True)
        _, differs = await change_application(cluster, namespace, name, changed)
    click.echo(f"application '{name}' {done if differs else 'unchanged'}")
    return 0


@click.command("set")
@app_argument()
@chosen_cluster
@_POSITION
@VALIDATE
@sync_policy_flags
@spec_flags(application=True)
def set_(
    name: str,
    chosen: Chosen,
    source_position: int | None,
    policy: PolicyFlags,
    given: Mapping[Flag, Any],
    *,
    validate: bool,
) -> int:
    """Change settings of an Application; of several sources, --source-position or --source-name says which."""
    source_name = str(next((value for flag, value in given.items() if flag.name == "--source-name"), ""))
    given = {flag: value for flag, value in given.items() if flag.name != "--source-name"}
    if not given and policy == PolicyFlags():
        raise NeedsUser("nothing to change was named", hint="see syncline app set --help")

    def edit(app: Object) -> Object:
        put_flags(app, _chosen_source(app, source_position, source_name) if of_source(given) else {}, given)
        put_policy(app, policy)
        return app

    return change(name, chosen, edit, validate=validate)


def _chosen_source(app: Object, position: int | None, name: str) -> dict[str, Any]:
    if position and name:
        raise NeedsUser("--source-position and --source-name say the same", hint="give one of them")
    return source_of(app, _position_of(app["spec"].get("sources") or [], name) if name else position or 0)


@click.command("add-source")
@app_argument()
@chosen_cluster
@spec_flags(application=False)
def add_source(name: str, chosen: Chosen, given: Mapping[Flag, Any]) -> int:
    """Add a source to an Application."""
    source: dict[str, Any] = {}
    put_flags({}, source, given)

    def edit(app: Object) -> Object:
        spec = app["spec"]
        if spec.get("sourceHydrator"):
            raise NeedsUser("a hydrated Application has just one source")
        before = spec.get("sources") or ([spec["source"]] if spec.get("source") else [])
        spec["sources"] = [*before, source]
        spec.pop("source", None)
        return app

    return change(name, chosen, edit)


@click.command("remove-source")
@app_argument()
@chosen_cluster
@click.option("--source-position", type=click.IntRange(min=1), default=None, help="Which source, counted from 1.")
@click.option("--source-name", default="", help="Which source, by its name.")
def remove_source(name: str, chosen: Chosen, source_position: int | None, source_name: str) -> int:
    """Take a source away from an Application that has several."""
    if (source_position is None) == (not source_name):
        raise NeedsUser("say which source", hint="with either --source-position or --source-name")

    def edit(app: Object) -> Object:
        sources = app["spec"].get("sources") or []
        position = source_position or _position_of(sources, source_name)
        if position > len(sources):
            raise NeedsUser(f"there is no source {position}: this Application has {len(sources)} sources in a list")
        if len(sources) == 1:
            raise NeedsUser("this is the last source", hint="delete the Application instead")
        del sources[position - 1]
        return app

    return change(name, chosen, edit)


def _position_of(sources: list[dict[str, Any]], name: str) -> int:
    for position, source in enumerate(sources, start=1):
        if source.get("name") == name:
            return position
    named = ", ".join(str(one["name"]) for one in sources if one.get("name"))
    raise NeedsUser(f"no source is called {name}", hint=f"there: {named or 'none has a name'}")


@click.command()
@app_argument()
@chosen_cluster
@_POSITION
@click.option("--source-name", default="", help="Which of several sources, by its name.")
@click.option("--values", multiple=True, help="Take away a Helm value file.")
@click.option("--values-literal", is_flag=True, help="Take away inline Helm values.")
@click.option("-p", "--parameter", "parameters", multiple=True, help="Take away a Helm parameter.")
@click.option("--ignore-missing-value-files", is_flag=True, help="Missing value files are errors again.")
@click.option("--ignore-missing-components", is_flag=True, help="Missing Kustomize components are errors again.")
@click.option("--pass-credentials", is_flag=True, help="Do not pass credentials to all domains.")
@click.option("--nameprefix", is_flag=True, help="Take away the Kustomize name prefix.")
@click.option("--namesuffix", is_flag=True, help="Take away the Kustomize name suffix.")
@click.option("--kustomize-version", is_flag=True, help="Take away the Kustomize version.")
@click.option("--kustomize-namespace", is_flag=True, help="Take away the Kustomize namespace.")
@click.option("--kustomize-image", "images", multiple=True, help="Take away an image override, by image name.")
@click.option("--kustomize-replica", "replicas", multiple=True, help="Take away a replica count, by name.")
@click.option("--plugin-env", "environment", multiple=True, help="Take away a variable of the plugin.")
@click.option("--ref", is_flag=True, help="Take away the reference name.")
def unset(name: str, chosen: Chosen, source_position: int | None, source_name: str, **given: Any) -> int:
    """Take settings of an Application away again."""
    if not any(given.values()):
        raise NeedsUser("nothing to take away was named", hint="see syncline app unset --help")

    def edit(app: Object) -> Object:
        source = _chosen_source(app, source_position, source_name)
        for parent, field, flag in _WHOLE:
            if given[flag]:
                (source.get(parent, {}) if parent else source).pop(field, None)
        for parent, field, flag, identity in _ENTRIES:
            if given[flag] and field in source.get(parent, {}):
                kept = [entry for entry in source[parent][field] if identity(entry) not in given[flag]]
                source[parent].pop(field)
                source[parent].update({field: kept} if kept else {})
        for parent in ("helm", "kustomize", "plugin"):
            if source.get(parent) == {}:
                del source[parent]
        return app

    return change(name, chosen, edit)


_WHOLE = (
    ("helm", "values", "values_literal"),
    ("helm", "valuesObject", "values_literal"),
    ("helm", "ignoreMissingValueFiles", "ignore_missing_value_files"),
    ("helm", "passCredentials", "pass_credentials"),
    ("kustomize", "ignoreMissingComponents", "ignore_missing_components"),
    ("kustomize", "namePrefix", "nameprefix"),
    ("kustomize", "nameSuffix", "namesuffix"),
    ("kustomize", "version", "kustomize_version"),
    ("kustomize", "namespace", "kustomize_namespace"),
    ("", "ref", "ref"),
)


def _name_of(entry: Any) -> str:
    return str(entry["name"])


_ENTRIES: tuple[tuple[str, str, str, Callable[[Any], str]], ...] = (
    ("helm", "valueFiles", "values", str),
    ("helm", "parameters", "parameters", _name_of),
    ("kustomize", "images", "images", image_name),
    ("kustomize", "replicas", "replicas", _name_of),
    ("plugin", "env", "environment", _name_of),
)
