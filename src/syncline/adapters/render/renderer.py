"""Renders any source with the tool it needs: `syncline.ports.render.Renderer` for directories, Helm and Kustomize.

Built by `syncline.wiring`. Chooses the tool by Argo CD's rules and hands the work to it; what no tool here can
render is refused with a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.adapters.render import choice as choices
from syncline.adapters.render import directory, helm, kustomize
from syncline.adapters.render.programs import Programs
from syncline.adapters.render.tools import Tool
from syncline.model.desired import Desired
from syncline.model.errors import RenderError, SourceError
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree


class ToolRenderer:
    """Directories by itself, charts by helm, kustomizations by kubectl."""

    def __init__(self, programs: Programs | None = None, *, max_bytes: int = directory.MAX_BYTES) -> None:
        self._programs = programs or Programs()
        self._max_bytes = max_bytes

    @property
    def fingerprint(self) -> str:
        """Which programs are in use."""
        return self._programs.fingerprint

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Render one source of one Application."""
        if choices.only_lends(request.source):
            return Desired((), revisions=(tree.revision,), source_types=("",))
        try:
            return await self._render(request, tree, refs or {})
        except SourceError as error:
            # The files were had; a link or name among them is what is wrong.
            raise RenderError(error.what, place=error.place, hint=error.hint) from None

    async def _render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree]) -> Desired:
        choice = choices.choose(request, tree)
        match choice.tool:
            case Tool.DIRECTORY:
                return await directory.render_files(choice, tree, max_bytes=self._max_bytes)
            case Tool.HELM:
                async with self._programs.turns:
                    return await helm.render(request, choice, tree, refs, self._programs)
            case Tool.KUSTOMIZE:
                async with self._programs.turns:
                    return await kustomize.render(request, choice, tree, self._programs)
            case Tool.PLUGIN:
                name = choice.source.plugin.name if choice.source.plugin else ""
                what = f"config management plugins are not supported yet: {name or 'unnamed'}"
                raise choices.refused(choice, what, hint="use Helm, Kustomize or plain YAML")
