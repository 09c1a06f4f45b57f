"""Renders an Application for a command: out of a file or from the cluster, from commits or from files at hand.

Used by `syncline app manifests`, `syncline render` and `syncline blame`. The checkout somebody stands in is read in
place of the addresses of its remotes; `--repo URL=PATH` says the same of another folder. With `--local` its files are
read as they are, committed or not. For an Application of a cluster the credentials of its installation are used, as far
as whoever asks may read them. What may not be fetched is left out and said: nobody syncs from here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from syncline import wiring
from syncline.cli.options import Chosen
from syncline.model.errors import InvalidSpec, NeedsUser, RenderError, SourceError

if TYPE_CHECKING:
    from syncline.controller.sources.capabilities import Capabilities
    from syncline.model.application import Application
    from syncline.model.desired import Desired
    from syncline.model.sources.access import SourceAccess
    from syncline.model.sources.source import ApplicationSource
    from syncline.ports.render import RenderRequest
    from syncline.ports.source import Tree
    from syncline.wiring import Tools


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to render from: files at hand or commits, which revisions, which folders stand for which addresses."""

    local: bool = False
    revisions: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


@dataclass(slots=True)
class Opened:
    """An Application with the files of its sources, ready to be rendered."""

    app: Application
    sources: tuple[ApplicationSource, ...]
    trees: tuple[Tree, ...]
    requests: tuple[RenderRequest, ...]
    tools: Tools
    _parts: list[Desired] = field(default_factory=list)

    @property
    def refs(self) -> dict[str, Tree]:
        """The sources that lend their files to others, by name."""
        return {source.ref: tree for source, tree in zip(self.sources, self.trees, strict=True) if source.ref}

    async def parts(self) -> list[Desired]:
        """Return the render of each source, in their order; made once."""
        if not self._parts:
            from syncline.controller.sources.errors import told
            from syncline.controller.sources.renders import Look

            count, reader, project = len(self.sources), self.tools.source, self.app.spec.project
            made: list[Desired] = []
            for number, (request, tree) in enumerate(zip(self.requests, self.trees, strict=True), start=1):
                async with told(number, count, request.source, tree.revision, reader=reader, project=project):
                    made.append(await self.tools.renders.render(Look(request, tree, self.refs)))
            self._parts += made
        return self._parts

    async def desired(self) -> Desired:
        """Return the objects of all sources."""
        from syncline.controller.sources.renders import combined

        return combined(await self.parts(), tuple(tree.revision for tree in self.trees))


async def opened(name: str, chosen: Chosen, wanted: Wanted) -> list[Opened]:
    """Open the Applications of a file, or one of the cluster; of several, those that cannot be had are only told."""
    return (await opened_of_all(name, chosen, wanted))[0]


async def opened_of_all(name: str, chosen: Chosen, wanted: Wanted) -> tuple[list[Opened], int]:
    """Open Applications; return also how many there are, with those that cannot be had."""
    from syncline.cli.render import application_files
    from syncline.controller.sources.capabilities import Capabilities

    if application_files.is_file(name):
        cluster = Capabilities(wanted.kube_version, wanted.api_versions)
        found = application_files.applications(name)
        if len(found) == 1:
            return [await _open(found[0], wanted, cluster)], 1
        tools = wiring.tools(wanted.repos, local=wanted.local)
        able = [one for app in found if (one := await _open_or_tell(app, wanted, cluster, tools)) is not None]
        if not able:
            raise NeedsUser(f"no Application of {name} could be read")
        return able, len(found)
    app, cluster, access = await _from_cluster(name, chosen)
    if wanted.kube_version or wanted.api_versions:
        cluster = Capabilities(wanted.kube_version or cluster.kube_version, wanted.api_versions or cluster.api_versions)
    return [await _open(app, wanted, cluster, wiring.tools(wanted.repos, local=wanted.local, access=access))], 1


async def _from_cluster(name: str, chosen: Chosen) -> tuple[Application, Capabilities, SourceAccess]:
    from syncline.cli.applications import control_namespace, read_application, split_name
    from syncline.controller.clusters.access import read_access
    from syncline.controller.sources.capabilities import capabilities
    from syncline.model import application

    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        _resource, obj = await read_application(cluster, namespace, name)
        click.echo(f"{words}, read-only", err=True)
        access = await read_access(cluster, control_namespace(obj, chosen.namespace))
        return application.parse(obj), capabilities(await cluster.discover()), access


async def _open_or_tell(app: Application, wanted: Wanted, cluster: Capabilities, tools: Tools) -> Opened | None:
    try:
        return await _open(app, wanted, cluster, tools)
    except (SourceError, InvalidSpec) as error:
        click.echo(f"{app.metadata.name}: {error}", err=True)
        return None


async def _open(app: Application, wanted: Wanted, cluster: Capabilities, tools: Tools | None = None) -> Opened:
    from syncline.core.sources import sources_of

    sources = sources_of(app)
    tools = tools or wiring.tools(wanted.repos, local=wanted.local)
    if len(wanted.revisions) > len(sources):
        raise NeedsUser(f"{len(wanted.revisions)} revisions are given for {len(sources)} sources")
    trees = []
    for index, source in enumerate(sources):
        revision = wanted.revisions[index] if index < len(wanted.revisions) else ""
        trees.append(await _tree(app, source, tools, revision, (index + 1, len(sources))))
    requests = tuple(request_for(app, source, cluster) for source in sources)
    return Opened(app, sources, tuple(trees), requests, tools)


async def _tree(
    app: Application, source: ApplicationSource, tools: Tools, revision: str, number: tuple[int, int]
) -> Tree:
    from syncline.controller.sources.desired import request_of
    from syncline.controller.sources.errors import told
    from syncline.core.sources import is_chart
    from syncline.ports.source import ChartRequest, RevisionRequest

    folder = tools.folder_of(source.repo_url)
    if folder and not revision:
        return wiring.folder(folder, source.path)
    asked = request_of(source, revision or source.target_revision, app.spec.project)
    if isinstance(asked, RevisionRequest):
        try:
            sha = await tools.source.resolve(asked)
        except SourceError as error:
            if not error.what.startswith("failed to list refs"):
                raise
            raise SourceError(error.what, hint=f"{error.hint}; a copy is read with --repo URL=PATH") from None
        async with told(*number, source, sha, reader=tools.source, project=app.spec.project):
            return await tools.source.tree(source.repo_url, sha, source.path, project=app.spec.project)
    if tools.charts is None:
        raise NeedsUser(f"charts are not fetched here: {source.repo_url} {source.chart}".rstrip())
    version = await tools.charts.resolve(asked)
    tree = await tools.charts.tree(ChartRequest(asked.repo_url, asked.chart, version, asked.project))
    return tree.below(source.path) if is_chart(source) and source.path and not source.chart else tree


def request_for(app: Application, source: ApplicationSource, cluster: Capabilities) -> RenderRequest:
    """Return the request to render one source for somebody who looks."""
    from syncline.ports.render import RenderRequest

    return RenderRequest(
        app_name=app.metadata.name,
        namespace=app.spec.destination.namespace,
        project=app.spec.project,
        source=source,
        kube_version=cluster.kube_version,
        api_versions=cluster.api_versions,
        source_repos=("*",),
        partial=True,
    )


async def rendered(found: Sequence[Opened]) -> list[tuple[Opened, Desired]]:
    """Return the objects of Applications, rendered side by side; of several, one that makes none is only told."""
    if len(found) == 1:
        return [(found[0], await found[0].desired())]
    able = []
    for one, desired in zip(found, await asyncio.gather(*map(_desired_or_error, found)), strict=True):
        if isinstance(desired, RenderError):
            click.echo(f"{one.app.metadata.name}: {desired}", err=True)
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
        click.echo(orjson.dumps(list(rows), option=orjson.OPT_INDENT_2).decode())
    else:
        for item, obj in zip(desired.objects, shown, strict=True):
            origin = f"# {item.origin.place()}\n" if show_origin else ""
            click.echo(f"---\n{origin}{yaml.dump(obj)}", nl=False)
    for warning in desired.warnings:
        click.echo(f"warning: {warning}", err=True)
