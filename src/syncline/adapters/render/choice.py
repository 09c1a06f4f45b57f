"""Decides what is rendered and by which tool: the source with its overrides, its folder, the tool.

Called by both renderers with what the controller handed them; the answer goes to the tool.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from dataclasses import dataclass

from syncline.adapters.render import overrides, tools
from syncline.model.errors import Place
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree


@dataclass(frozen=True, slots=True)
class RenderChoice:
    """A source as it will be rendered; `folder` is its path from the root, empty for the root itself."""

    source: ApplicationSource
    folder: str
    tool: tools.Tool

    @property
    def is_guessed(self) -> bool:
        """Whether only the files say which tool it is."""
        return not self.source.chart and not tools.named(self.source)

    @property
    def place(self) -> Place | None:
        """The folder, as a place for errors."""
        return Place(self.folder) if self.folder else None


def choose(request: RenderRequest, tree: Tree, off: Collection[tools.Tool] = ()) -> RenderChoice:
    """Return what is to be rendered, overrides merged; `off` are tools that may not be used."""
    source = request.source
    folder = posixpath.normpath(source.path) if source.path and not source.chart else "."
    folder = "" if folder == "." else folder
    names = {name for file in tree.files() if "/" not in (name := relative(file.path, folder))}
    for name in overrides.file_names(request.app_name):
        if name in names:
            file = posixpath.join(folder, name)
            source = overrides.merge(source, file, tree.read(file))
    return RenderChoice(source, folder, tools.choose(source, names, off))


def relative(path: str, folder: str) -> str:
    """Return a path as seen from a folder above it."""
    return path[len(folder) + 1 :] if folder else path


def only_lends(source: ApplicationSource) -> bool:
    """Whether a source has no objects of its own, and only lends its files to other sources."""
    return bool(source.ref and not source.path and not source.chart)
