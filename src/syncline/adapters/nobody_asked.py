"""A reader of charts that asks nobody, for proofs that contact no server.

Put by `syncline.wiring` in the place of the one that asks Helm repositories and registries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncline.model.errors import SourceError
from syncline.model.settings.parts import SourceSettings
from syncline.model.sources.access import SourceAccess
from syncline.ports.source import ChartRequest, Tree


class NoCharts:
    """Has none."""

    async def resolve(self, request: ChartRequest) -> str:
        """Raise that nothing is fetched."""
        raise not_fetched(f"chart {request.chart} of {request.repo_url}" if request.chart else request.repo_url)

    async def tree(self, request: ChartRequest) -> Tree:
        """Raise that nothing is fetched."""
        raise not_fetched(request.repo_url)

    async def charts(self, repo_url: str, project: str = "") -> Mapping[str, Sequence[str]]:
        """Raise that nothing is fetched."""
        del project
        raise not_fetched(repo_url)

    def use(self, access: SourceAccess) -> None:
        """Nobody is asked, so there is nothing to log in to."""

    def adjust(self, settings: SourceSettings) -> None:
        """Nobody is asked, whatever the settings."""


def not_fetched(what: str) -> SourceError:
    """Return the error that something is not here and is not fetched."""
    return SourceError(f"{what} is not fetched", hint="fetch it with --fetch")
