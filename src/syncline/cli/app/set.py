"""`syncline app set`, `unset`, `add-source` and `remove-source`: change where an Application comes from and goes to."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any

import click

from syncline.cli.app.create import VALIDATE
from syncline.cli.app.denials import naming_rules
from syncline.cli.app.spec_flags import spec_flags
from syncline.cli.app.sync_policy_flags import sync_policy_flags
from syncline.cli.options import Chosen, app_argument, chosen_cluster
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster
from syncline.verbs import edit as verb
from syncline.verbs.applications import StoredApplication
from syncline.verbs.policy import PolicyChange
from syncline.verbs.settings import SourceChoice, SpecSetting, UnsetFields, put_setting

_POSITION = click.option(
    "--source-position", type=click.IntRange(min=1), default=None, help="Which of several sources, counted from 1."
)


Edit = Callable[[Cluster, Callable[..., Any]], Awaitable[StoredApplication]]
"""Changes an Application; what it is handed completes a request with the Application and where it is judged."""


def change(name: str, chosen: Chosen, edit: Edit, done: str = "updated") -> int:
    """Change an Application, and say so."""
    return asyncio.run(_change(name, chosen, edit, done))


async def _change(name: str, chosen: Chosen, edit: Edit, done: str) -> int:
    async with chosen.opened() as home:
        terminal.echo(home.words, err=True)
        key = await chosen.find(home.cluster, name, home)

        def completed(request: Callable[..., Any]) -> Any:
            return request(app=key, control=home.namespace, judged=home.judges)

        async with naming_rules(home.cluster):
            stored = await edit(home.cluster, completed)
    if stored.note:
        terminal.echo(stored.note, err=True)
    terminal.echo(f"application '{stored.key.name}' {done if stored.changed else 'unchanged'}")
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
    policy: PolicyChange,
    settings: tuple[SpecSetting, ...],
    *,
    validate: bool,
) -> int:
    """Change settings of an Application; with several sources, choose one with --source-position or --source-name."""
    source_name = next((str(setting.value) for setting in settings if setting.path == "name"), "")
    settings = tuple(setting for setting in settings if setting.path != "name")
    if not settings and policy == PolicyChange():
        raise NeedsUser("nothing to change", hint="see syncline app set --help")
    request = functools.partial(
        verb.SetRequest,
        settings=settings,
        source=SourceChoice(source_position or 0, source_name),
        policy=policy,
        validate=validate,
    )
    return change(name, chosen, lambda cluster, completed: verb.set_fields(cluster, completed(request)))


@click.command("add-source")
@app_argument()
@chosen_cluster
@spec_flags(application=False)
def add_source(name: str, chosen: Chosen, settings: tuple[SpecSetting, ...]) -> int:
    """Add a source to an Application."""
    source: dict[str, Any] = {}
    for setting in settings:
        put_setting(source, setting)
    request = functools.partial(verb.AddSourceRequest, source=source)
    return change(name, chosen, lambda cluster, completed: verb.add_source(cluster, completed(request)))


@click.command("remove-source")
@app_argument()
@chosen_cluster
@click.option("--source-position", type=click.IntRange(min=1), default=None, help="Which source, counted from 1.")
@click.option("--source-name", default="", help="Which source, by its name.")
def remove_source(name: str, chosen: Chosen, source_position: int | None, source_name: str) -> int:
    """Remove a source from an Application that has several."""
    if (source_position is None) == (not source_name):
        raise NeedsUser("name the source", hint="use --source-position or --source-name")
    choice = SourceChoice(source_position or 0, source_name)
    request = functools.partial(verb.RemoveSourceRequest, source=choice)
    return change(name, chosen, lambda cluster, completed: verb.remove_source(cluster, completed(request)))


@click.command()
@app_argument()
@chosen_cluster
@_POSITION
@click.option("--source-name", default="", help="Which of several sources, by its name.")
@click.option("--values", multiple=True, help="Remove a Helm value file.")
@click.option("--values-literal", is_flag=True, help="Remove inline Helm values.")
@click.option("-p", "--parameter", "parameters", multiple=True, help="Remove a Helm parameter.")
@click.option("--ignore-missing-value-files", is_flag=True, help="Treat missing value files as errors again.")
@click.option("--ignore-missing-components", is_flag=True, help="Treat missing Kustomize components as errors again.")
@click.option("--pass-credentials", is_flag=True, help="Do not pass credentials to all domains.")
@click.option("--nameprefix", is_flag=True, help="Remove the Kustomize name prefix.")
@click.option("--namesuffix", is_flag=True, help="Remove the Kustomize name suffix.")
@click.option("--kustomize-version", is_flag=True, help="Remove the Kustomize version.")
@click.option("--kustomize-namespace", is_flag=True, help="Remove the Kustomize namespace.")
@click.option("--kustomize-image", "images", multiple=True, help="Remove an image override, by image name.")
@click.option("--kustomize-replica", "replicas", multiple=True, help="Remove a replica count, by name.")
@click.option("--plugin-env", "environment", multiple=True, help="Remove a variable of the plugin.")
@click.option("--ref", is_flag=True, help="Remove the reference name.")
def unset(name: str, chosen: Chosen, source_position: int | None, source_name: str, **given: Any) -> int:
    """Remove settings of an Application."""
    if not any(given.values()):
        raise NeedsUser("nothing to remove", hint="see syncline app unset --help")
    fields = [UnsetFields(path) for flag, paths in _WHOLE.items() if given[flag] for path in paths]
    fields += [UnsetFields(path, given[flag]) for flag, path in _ENTRIES.items() if given[flag]]
    choice = SourceChoice(source_position or 0, source_name)
    request = functools.partial(verb.UnsetRequest, fields=tuple(fields), source=choice)
    return change(name, chosen, lambda cluster, completed: verb.unset_fields(cluster, completed(request)))


_WHOLE = {
    "values_literal": ("helm.values", "helm.valuesObject"),
    "ignore_missing_value_files": ("helm.ignoreMissingValueFiles",),
    "pass_credentials": ("helm.passCredentials",),
    "ignore_missing_components": ("kustomize.ignoreMissingComponents",),
    "nameprefix": ("kustomize.namePrefix",),
    "namesuffix": ("kustomize.nameSuffix",),
    "kustomize_version": ("kustomize.version",),
    "kustomize_namespace": ("kustomize.namespace",),
    "ref": ("ref",),
}
_ENTRIES = {
    "values": "helm.valueFiles",
    "parameters": "helm.parameters",
    "images": "kustomize.images",
    "replicas": "kustomize.replicas",
    "environment": "plugin.env",
}
