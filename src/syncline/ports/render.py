"""From a tree of files to desired objects.

The controller hands in the tree and the Application's source settings; `syncline.adapters.render` answers with
`Desired`, in which each object knows its file and line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

from syncline.model.desired import ChartValues, Desired, ValuesLayer
from syncline.model.fairness import TurnFigures
from syncline.model.settings.settings import Settings
from syncline.model.sources.source import ApplicationSource
from syncline.ports.source import Tree


class RenderRequest(msgspec.Struct, frozen=True, kw_only=True):
    """All that a render may depend on."""

    app_name: str
    namespace: str
    project: str
    source: ApplicationSource
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    source_repos: tuple[str, ...] = ()
    """Repositories that the project permits, as patterns: chart dependencies and remote bases come from these alone."""
    fresh: bool = False
    """Whether nothing that was kept may be used: somebody asked for a hard refresh."""
    partial: bool = False
    """Whether what is not fetched is left out with a warning, for people who look; never to sync from."""
    awaited: bool = True
    """Whether somebody waits for the render; those that nobody waits for come after, and what they make is the same."""


class Renderer(Protocol):
    """Turns files into objects. Errors are `syncline.model.errors.RenderError` with file and line.

    A render can be used again as long as the request and the fingerprint are the same and every one of its `inputs`
    has the digest it had, and what it fetched besides is current.
    """

    @property
    def fingerprint(self) -> str:
        """What a render depends on besides its request: the programs in use."""
        ...

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Render one source of one Application; `refs` are the trees it may name as `$ref` in value files."""
        ...

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        """Whether what an earlier render fetched besides its source is still what it was; asks the servers."""
        ...

    def adjust(self, settings: Settings) -> None:
        """Go on under other settings of the operator, from the next render on."""
        ...


@runtime_checkable
class SharedRenderer(Protocol):
    """A renderer whose turns projects share."""

    async def until_waiting(self) -> None:
        """Wait until a render waits for its turn."""
        ...

    def figures(self) -> TurnFigures:
        """Return what waits for its turn, what runs, and what projects have used."""
        ...


@runtime_checkable
class LayerReader(Protocol):
    """Somebody who tells what sets the values of a chart, without rendering it; raises a `RenderError`."""

    async def layers(
        self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None
    ) -> tuple[ValuesLayer, ...]:
        """Return what sets the values of a chart, the weakest first; nothing where the source is not a chart."""
        ...


@runtime_checkable
class Explainer(Renderer, LayerReader, Protocol):
    """A renderer that also answers questions about a render, by rendering again; it raises a `RenderError`."""

    async def chart_values(
        self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None
    ) -> ChartValues | None:
        """Return what sets the values of a chart, and what the chart sees; None where the source is not a chart."""
        ...

    async def with_values(
        self, request: RenderRequest, tree: Tree, values: Mapping[str, Any], refs: Mapping[str, Tree] | None = None
    ) -> Desired:
        """Render a chart with values that count above all others; `null` takes one away."""
        ...
