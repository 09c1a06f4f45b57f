"""From a tree of files to desired objects.

The controller hands in the tree and the Application's source settings; `syncline.adapters.render` answers with
`Desired`, in which each object knows its file and line.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from syncline.model.desired import Desired
from syncline.model.source import ApplicationSource
from syncline.ports.source import Tree


class RenderRequest(msgspec.Struct, frozen=True, kw_only=True):
    """All that a render may depend on."""

    app_name: str
    namespace: str
    project: str
    source: ApplicationSource
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()


class Renderer(Protocol):
    """Turns files into objects. Errors are `syncline.model.errors.RenderError` with file and line."""

    async def render(self, request: RenderRequest, tree: Tree) -> Desired:
        """Render one source of one Application."""
        ...
