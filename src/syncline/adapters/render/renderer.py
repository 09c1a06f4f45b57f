"""Renders any source with the tool it needs: `syncline.ports.render.Renderer` for all of Argo CD's kinds.

Built by `syncline.wiring`. Chooses the tool by Argo CD's rules and hands the work to it; a plugin that says a folder
is its own comes before what the files suggest. `syncline.controller.sources.renders` keeps what comes out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from syncline.adapters.render import choice as choices
from syncline.adapters.render import directory
from syncline.adapters.render.helm import explain
from syncline.adapters.render.helm import template as helm
from syncline.adapters.render.kustomize import build as kustomize
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.programs import Programs, limits
from syncline.adapters.render.tools import Tool
from syncline.apimachinery import yaml
from syncline.model.desired import ChartValues, Desired, ValuesLayer
from syncline.model.errors import RenderError, SourceError
from syncline.model.fairness import TurnFigures
from syncline.model.logins import without_logins
from syncline.model.settings.settings import Settings
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree


class ToolRenderer:
    """Directories by itself, charts by helm, kustomizations by kubectl, the rest by plugins."""

    def __init__(self, programs: Programs | None = None, means: RenderMeans | None = None) -> None:
        self._programs = programs or Programs()
        self._means = means or RenderMeans()

    @property
    def fingerprint(self) -> str:
        """Which programs and plugins are in use."""
        return " ".join(filter(None, (self._programs.fingerprint, self._means.fingerprint)))

    def adjust(self, settings: Settings) -> None:
        """Go on under other settings of the operator; what is being rendered ends under the old ones."""
        self._means = self._means.under(settings)
        sources = settings.sources
        self._programs.use(limits(sources.exec_timeout), sources.parallelism, sources.project_processor_seconds)

    async def until_waiting(self) -> None:
        """Wait until a render waits for its turn."""
        await self._programs.until_waiting()

    def figures(self) -> TurnFigures:
        """Return what waits for its turn, what runs, and what projects have used."""
        return self._programs.figures()

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Render one source of one Application."""
        if choices.only_lends(request.source):
            return Desired((), revisions=(tree.revision,), source_types=("",))
        try:
            return _without_logins(await self._render(request, tree, refs or {}))
        except (RenderError, SourceError) as error:
            # The files were had; a link or name among them is what is wrong.
            raise _shown(error) from None

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        """Whether what an earlier render fetched besides its source is still what it was."""
        return await self._means.remote.is_current(request, desired.fetched)

    async def layers(
        self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None
    ) -> tuple[ValuesLayer, ...]:
        """Return what sets the values of a chart, the weakest first; nothing where the source is not a chart."""
        if choices.only_lends(request.source):
            return ()
        try:
            choice = choices.choose(request, tree, self._means.off)
            return await explain.layers(request, choice, tree, refs or {}) if choice.tool is Tool.HELM else ()
        except (RenderError, SourceError) as error:
            raise _shown(error) from None

    async def chart_values(
        self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None
    ) -> ChartValues | None:
        """Return what sets the values of a chart, and what the chart sees; None where the source is not a chart."""
        if choices.only_lends(request.source):
            return None
        try:
            choice = choices.choose(request, tree, self._means.off)
            if choice.tool is not Tool.HELM:
                return None
            programs = self._for(request)
            async with programs.place():
                return await explain.chart_values(request, choice, tree, refs or {}, programs, self._means.remote)
        except (RenderError, SourceError) as error:
            raise _shown(error) from None

    async def with_values(
        self, request: RenderRequest, tree: Tree, values: Mapping[str, Any], refs: Mapping[str, Tree] | None = None
    ) -> Desired:
        """Render a chart with values that count above all others."""
        choice = explain.without_parameters(choices.choose(request, tree, self._means.off), values)
        above = yaml.dump(dict(values)).encode()
        programs = self._for(request)
        async with programs.place():
            return await helm.render(request, choice, tree, refs or {}, programs, self._means.remote, above)

    def _for(self, request: RenderRequest) -> Programs:
        """Return the programs, whose turns are those of the project that a render is for."""
        return self._programs.on_behalf_of(request.project, awaited=request.awaited)

    async def _render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree]) -> Desired:
        programs, means = self._for(request), self._means
        choice = choices.choose(request, tree, means.off)
        if choice.tool is Tool.PLUGIN or (means.plugins and choice.is_guessed):
            plugin = await means.plugins.find(request, choice, tree, programs)
            if plugin is not None:
                async with programs.place():
                    return _with_emptiness(await means.plugins.render(request, choice, tree, plugin, programs), choice)
        match choice.tool:
            case Tool.HELM:
                async with programs.place():
                    made = await helm.render(request, choice, tree, refs, programs, means.remote)
                return _with_emptiness(made, choice)
            case Tool.KUSTOMIZE:
                async with programs.place():
                    made = await kustomize.render(request, choice, tree, programs, means.remote, means.build_options)
                return _with_emptiness(made, choice)
        allowed = directory.DirectoryLimits(max_bytes=means.max_bytes, jsonnet=means.jsonnet)
        return await directory.render_files(request, choice, tree, programs, allowed)


def _shown(error: RenderError | SourceError) -> RenderError:
    if isinstance(error, SourceError):
        return RenderError(error.what, place=error.place, hint=error.hint, missing=error.missing, passing=True)
    return RenderError(
        error.what,
        place=error.place,
        hint=error.hint,
        missing=error.missing,
        passing=error.passing,
        fetched=error.fetched,
        over_limit=error.over_limit,
    )


def _with_emptiness(desired: Desired, choice: choices.RenderChoice) -> Desired:
    """Return the render with a warning where it has no objects; plain folders say why themselves."""
    if desired.objects or choice.tool is Tool.DIRECTORY:
        return desired
    told = f"{choice.folder or choice.source.chart or '.'} makes no objects: {choice.tool.value} printed none"
    return msgspec.structs.replace(desired, manifest_warnings=(*desired.manifest_warnings, told))


def _without_logins(desired: Desired) -> Desired:
    told, shown = desired.warnings, desired.manifest_warnings
    warnings, manifest_warnings = tuple(map(without_logins, told)), tuple(map(without_logins, shown))
    if (warnings, manifest_warnings) == (told, shown):
        return desired
    return msgspec.structs.replace(desired, warnings=warnings, manifest_warnings=manifest_warnings)
