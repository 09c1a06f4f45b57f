"""What a renderer works with besides files: limits, switches of tools, what it may fetch, the operator's plugins.

Made by `syncline.wiring`; `syncline.adapters.render.renderer` holds it, and puts another one in its place when the
operator's settings change.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from syncline.adapters.render.kustomize import options as build_options
from syncline.adapters.render.kustomize.options import BuildOptions
from syncline.adapters.render.plugins.run import Plugins
from syncline.adapters.render.remote import RemoteSources
from syncline.adapters.render.tools import Tool
from syncline.model.settings.settings import Settings

MAX_BYTES = 10_000_000
"""Argo CD's default for all manifests of one source together."""
_NO_LIMIT = 500_000_000


@dataclass(frozen=True, slots=True)
class RenderMeans:
    """Limits, tools that are off, options of kustomize, the readers of what is fetched, and plugins."""

    max_bytes: int = MAX_BYTES
    off: frozenset[Tool] = frozenset()
    jsonnet: bool = True
    build_options: BuildOptions = field(default_factory=BuildOptions)
    remote: RemoteSources = field(default_factory=RemoteSources)
    plugins: Plugins = field(default_factory=Plugins)

    def under(self, settings: Settings) -> RenderMeans:
        """Return the same means with what the operator's settings say of limits and tools."""
        switches = {Tool.HELM: settings.tools.helm, Tool.KUSTOMIZE: settings.tools.kustomize}
        return dataclasses.replace(
            self,
            max_bytes=settings.sources.max_directory_bytes or _NO_LIMIT,
            off=frozenset(tool for tool, on in switches.items() if not on),
            jsonnet=settings.tools.jsonnet,
            build_options=build_options.parse(settings.tools.kustomize_build_options),
        )

    @property
    def fingerprint(self) -> str:
        """What of them a render depends on; empty where nothing is unusual."""
        switches = "" if not self.off and self.jsonnet else f"{sorted(self.off)} {self.jsonnet}"
        options = "" if self.build_options == BuildOptions() else str(self.build_options)
        limit = "" if self.max_bytes == MAX_BYTES else str(self.max_bytes)
        return " ".join(filter(None, (self.plugins.fingerprint, switches, options, limit)))
