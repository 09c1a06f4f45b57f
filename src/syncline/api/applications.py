"""Renders Applications from commits or from files at hand, without a cluster: `syncline.render_application`.

Used by `syncline app manifests`, `syncline blame` and everything else that renders an Application for somebody who
looks. The checkout somebody stands in is read in place of the addresses of its remotes; other folders can stand for
other addresses. With `local` files are read as they are, committed or not. What may not be fetched is left out with a
warning: nobody syncs from here.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from syncline import wiring
from syncline.api import inputs
from syncline.api.build_options import checkout_around, options_in, permitted
from syncline.api.running import run
from syncline.controller.sources.capabilities import Capabilities
from syncline.controller.sources.desired import render_request, request_of
from syncline.controller.sources.errors import told
from syncline.controller.sources.renders import Look, combined
from syncline.core.sources import is_chart, sources_of
from syncline.model.cluster import KnownCluster
from syncline.model.errors import InvalidSpec, NeedsUser, SourceError
from syncline.ports.render import RenderRequest
from syncline.ports.source import RevisionRequest

if TYPE_CHECKING:
    from syncline.controller.sources.render_stores import RenderStore
    from syncline.model.application import Application
    from syncline.model.desired import Desired
    from syncline.model.sources.access import SourceAccess
    from syncline.model.sources.source import ApplicationSource
    from syncline.ports.source import Tree
    from syncline.wiring import RenderTools


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderFlags:
    """What to render from: files at hand or commits, which revisions, which folders stand for which addresses."""

    local: bool = False
    revisions: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    build_options: str = ""
    """Options of kustomize, as in `kustomize.buildOptions`; empty for those of the repository or the installation."""
    clusters: tuple[KnownCluster, ...] = ()
    """Clusters that ApplicationSets may deliver to, besides the local one."""
    source_repos: tuple[str, ...] = ("*",)
    """Repositories that renders may be led to, as patterns."""

    @property
    def cluster(self) -> Capabilities:
        """What the cluster to render for can do."""
        return Capabilities(self.kube_version, self.api_versions)


@dataclass(slots=True)
class Opened:
    """An Application with the files of its sources, ready to be rendered."""

    app: Application
    sources: tuple[ApplicationSource, ...]
    trees: tuple[Tree, ...]
    requests: tuple[RenderRequest, ...]
    tools: RenderTools
    label: str = ""
    """What it is called among those that were opened with it; empty where its name says enough."""
    _parts: list[Desired] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What to call it in texts."""
        return self.label or self.app.metadata.name

    @property
    def refs(self) -> dict[str, Tree]:
        """The sources that lend their files to others, by name."""
        return {source.ref: tree for source, tree in zip(self.sources, self.trees, strict=True) if source.ref}

    async def parts(self) -> list[Desired]:
        """Return the render of each source, in their order; made once."""
        if not self._parts:
            count, reader, project = len(self.sources), self.tools.source, self.app.spec.project
            made: list[Desired] = []
            for number, (request, tree) in enumerate(zip(self.requests, self.trees, strict=True), start=1):
                async with told(number, count, request.source, tree.revision, reader=reader, project=project):
                    made.append(await self.tools.renders.render(Look(request, tree, self.refs)))
            self._parts += made
        return self._parts

    async def desired(self) -> Desired:
        """Return the objects of all sources."""
        return combined(await self.parts(), tuple(tree.revision for tree in self.trees))


def render_application(
    app: inputs.File | Mapping[str, Any],
    *,
    local: bool = False,
    revisions: Sequence[str] = (),
    repos: Mapping[str, str | os.PathLike[str]] | None = None,
    kube_version: str = "",
    api_versions: Sequence[str] = (),
    kustomize_build_options: str = "",
) -> Desired:
    """Return the objects of an Application, from a file that holds exactly one or from a dict.

    The result is that of `render`. The checkout in the working directory stands for its remotes, and `repos` lets
    other folders stand for other addresses; `local` takes their files as they are, committed or not. `revisions` are
    rendered in place of the targetRevisions, in the order of the sources. `kustomize_build_options` are as in
    `kustomize.buildOptions`; without them those count that the settings in the checkout have.

    Raises `InvalidSpec` where the Application cannot be read, `SourceError` where a source cannot be fetched, and
    `RenderError` where its files make no objects.
    """
    parsed = inputs.parsed(app)
    if parsed is None:
        raise InvalidSpec("no Application to render", hint="give a file or a dict")
    wanted = RenderFlags(
        local=local,
        revisions=tuple(revisions),
        repos=tuple(f"{url}={os.fspath(folder)}" for url, folder in (repos or {}).items()),
        kube_version=kube_version,
        api_versions=tuple(api_versions),
        build_options=kustomize_build_options,
    )

    async def rendered() -> Desired:
        return await (await open_application(parsed, wanted, wanted.cluster)).desired()

    return run(rendered())


async def render_tools(
    wanted: RenderFlags,
    *,
    access: SourceAccess | None = None,
    installed_options: str | None = None,
    kept: Mapping[str, str] | None = None,
    tell: Callable[[str], None] | None = None,
    checkout: Path | None = None,
    offline: bool = False,
    memory: RenderStore | None = None,
    look: wiring.FolderLook | None = None,
) -> RenderTools:
    """Return what Applications are rendered with; kustomize has the installation's options, else the repository's.

    That is the one of `checkout`, else the one somebody stands in. With `offline` nobody is contacted.
    `memory` keeps renders for others that are made later in this process, `look` what is known of the checkout's files.
    """
    options = wanted.build_options or installed_options
    if options is None:
        found = await permitted(options_in(checkout or checkout_around(Path()), look))
        options = found.text
        if found.warning and tell:
            tell(found.warning)
    return wiring.tools(
        wanted.repos,
        local=wanted.local,
        access=access,
        build_options=options,
        kept=kept,
        offline=offline,
        memory=memory,
        look=look,
    )


async def open_application(
    app: Application,
    wanted: RenderFlags,
    cluster: Capabilities,
    tools: RenderTools | None = None,
    source_repos: tuple[str, ...] = ("*",),
) -> Opened:
    """Fetch the files of an Application's sources; what they lead to comes from `source_repos` alone."""
    sources = sources_of(app)
    tools = tools or await render_tools(wanted)
    if len(wanted.revisions) > len(sources):
        raise NeedsUser(f"{len(wanted.revisions)} revisions given for {len(sources)} sources")
    revisions = [*wanted.revisions, *[""] * (len(sources) - len(wanted.revisions))]
    asked = [
        _tree(app, source, tools, revision, (number, len(sources)), source_repos)
        for number, (source, revision) in enumerate(zip(sources, revisions, strict=True), start=1)
    ]
    # Servers are asked side by side; of several errors the one of the first source counts.
    trees = [_or_raise(found) for found in await asyncio.gather(*asked, return_exceptions=True)]
    requests = tuple(render_request(app, source, cluster, source_repos, partial=True) for source in sources)
    return Opened(app, sources, tuple(trees), requests, tools)


def _or_raise(found: Tree | BaseException) -> Tree:
    if isinstance(found, BaseException):
        raise found
    return found


async def _tree(
    app: Application,
    source: ApplicationSource,
    tools: RenderTools,
    revision: str,
    number: tuple[int, int],
    permitted: tuple[str, ...],
) -> Tree:
    folder = tools.folder_of(source.repo_url)
    if folder and not revision:
        return tools.tree(folder, source.path)
    asked = request_of(source, revision or source.target_revision, app.spec.project)
    if isinstance(asked, RevisionRequest):
        try:
            sha = await tools.source.resolve(asked)
        except SourceError as error:
            if not error.is_unanswered:
                raise
            raise SourceError(
                error.what,
                hint=f"{error.hint}; read a local copy with --repo URL=PATH, in Python with repos={{URL: PATH}}",
            ) from None
        reader, project = tools.source, app.spec.project
        async with told(*number, source, sha, reader=reader, project=project, permitted=permitted):
            return await reader.tree(source.repo_url, sha, source.path, project=project, permitted=permitted)
    if tools.charts is None:
        raise NeedsUser(f"charts are not fetched here: {source.repo_url} {source.chart}".rstrip())
    version = await tools.charts.resolve(asked)
    tree = await tools.charts.tree(msgspec.structs.replace(asked, version=version, permitted=tuple(permitted)))
    return tree.below(source.path) if is_chart(source) and source.path and not source.chart else tree
