"""Opens and renders Applications for a command: out of a file or from the cluster, and prints what they make.

Used by `syncline app manifests`, `syncline render` and `syncline blame`; the rendering itself is that of
`syncline.api.applications`. For an Application of a cluster the credentials of its installation are used, as far as
whoever asks may read them, and its project decides what is fetched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from syncline import wiring
from syncline.api.applications import Opened, RenderFlags, open_application, render_tools
from syncline.cli.options import Chosen
from syncline.cli.show import terminal
from syncline.controller.sources.capabilities import Capabilities
from syncline.model.errors import InvalidSpec, NeedsUser, RenderError, SourceError

if TYPE_CHECKING:
    from syncline.model.application import Application
    from syncline.model.desired import Desired
    from syncline.model.sources.access import SourceAccess
    from syncline.wiring import RenderTools


async def opened(name: str, chosen: Chosen, wanted: RenderFlags) -> list[Opened]:
    """Open the Applications of a file, or one of the cluster; of several, those that cannot be opened are only told."""
    return (await opened_of_all(name, chosen, wanted))[0]


async def opened_of_all(name: str, chosen: Chosen, wanted: RenderFlags) -> tuple[list[Opened], int]:
    """Open Applications; return also how many there are, with those that cannot be opened."""
    from syncline.api import application_files

    if application_files.is_file(name):
        cluster = wanted.cluster
        tools = await render_tools(wanted, tell=_warn)
        items = application_files.located(name)
        if any(item.obj.get("kind") == "ApplicationSet" for item in items):
            from syncline.api.applicationsets import expanded

            items = await expanded(items, tools, wanted.clusters)
        found = application_files.labelled(name, items)
        if len(found) == 1:
            return [await open_application(found[0][1], wanted, cluster, tools)], 1
        # All at once: whoever asks for an address that is being asked for joins in, also where nobody answers.
        answers = await asyncio.gather(*(_opened_or_error(app, wanted, cluster, tools) for _label, app in found))
        able = list(_able([label for label, _app in found], answers))
        if not able:
            raise NeedsUser(f"no Application of {name} could be read")
        return able, len(found)
    stored = await _from_cluster(name, chosen)
    cluster = stored.cluster
    if wanted.kube_version or wanted.api_versions:
        cluster = Capabilities(wanted.kube_version or cluster.kube_version, wanted.api_versions or cluster.api_versions)
    kept = wiring.kept_repositories(chosen.kubeconfig, chosen.context)
    tools = await render_tools(wanted, access=stored.access, installed_options=stored.build_options, kept=kept)
    return [await open_application(stored.app, wanted, cluster, tools, stored.source_repos)], 1


def _warn(sentence: str) -> None:
    terminal.echo(f"warning: {sentence}", err=True)


class _Stored(NamedTuple):
    """An Application of a cluster, what that can do, and what its installation lets it read, with what logins."""

    app: Application
    cluster: Capabilities
    access: SourceAccess
    source_repos: tuple[str, ...]
    build_options: str


async def _from_cluster(name: str, chosen: Chosen) -> _Stored:
    """Return an Application with what its cluster and its installation say about rendering it."""
    from syncline.controller.clusters.access import read_access
    from syncline.controller.settings import read_settings
    from syncline.controller.sources.capabilities import capabilities
    from syncline.verbs.applications import read_application
    from syncline.verbs.permission import permitted_repos

    async with chosen.connected() as (cluster, words):
        stored = await read_application(cluster, await chosen.find(cluster, name))
        terminal.echo(f"{words}, read-only", err=True)
        home = stored.control_namespace(chosen.namespace)
        repos = await permitted_repos(cluster, home, stored.app)
        access = await read_access(cluster, home)
        options = (await read_settings(cluster, home)).settings.tools.kustomize_build_options
        return _Stored(stored.app, capabilities(await cluster.discover()), access, repos, options)


async def _opened_or_error(
    app: Application, wanted: RenderFlags, cluster: Capabilities, tools: RenderTools
) -> Opened | SourceError | InvalidSpec:
    try:
        return await open_application(app, wanted, cluster, tools)
    except (SourceError, InvalidSpec) as error:
        return error


def _able(labels: Sequence[str], answers: Sequence[Opened | SourceError | InvalidSpec]) -> Iterator[Opened]:
    """Yield the Applications that could be opened; the others are told."""
    for label, answer in zip(labels, answers, strict=True):
        if isinstance(answer, Opened):
            answer.label = label
            yield answer
        else:
            terminal.echo(f"{label}: {answer}", err=True)


async def rendered(found: Sequence[Opened]) -> list[tuple[Opened, Desired]]:
    """Return the objects of Applications, rendered side by side; of several, one that makes none is only told."""
    if len(found) == 1:
        return [(found[0], await found[0].desired())]
    able = []
    for one, desired in zip(found, await asyncio.gather(*map(_desired_or_error, found)), strict=True):
        if isinstance(desired, RenderError):
            terminal.echo(f"{one.name}: {desired}", err=True)
        else:
            able.append((one, desired))
    return able


async def _desired_or_error(opened: Opened) -> Desired | RenderError:
    try:
        return await opened.desired()
    except RenderError as error:
        return error


def print_desired(desired: Desired, output: str, *, show_origin: bool, show_secrets: bool = False) -> None:
    """Print objects as YAML or JSON; Secrets without their values unless those are asked for."""
    import orjson

    from syncline.apimachinery import yaml
    from syncline.model.masking import MASK, is_secret, with_values

    shown = [
        with_values(item.obj, lambda _field, _value: MASK) if is_secret(item.obj) and not show_secrets else item.obj
        for item in desired.objects
    ]
    if output == "json":
        rows: Sequence[Mapping[str, object]] = shown
        if show_origin:
            places = [str(item.origin.place()) for item in desired.objects]
            rows = [{"origin": place, "object": obj} for place, obj in zip(places, shown, strict=True)]
        terminal.echo_data(orjson.dumps(list(rows), option=orjson.OPT_INDENT_2).decode())
    else:
        for item, obj in zip(desired.objects, shown, strict=True):
            origin = f"# {item.origin.place()}\n" if show_origin else ""
            terminal.echo_data(f"---\n{origin}{yaml.dump(obj)}", nl=False)
    for warning in desired.warnings:
        terminal.echo(f"warning: {warning}", err=True)
