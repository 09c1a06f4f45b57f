"""From a tree of files to desired objects.

The controller hands in the tree and the Application's source settings; `syncline.adapters.render` answers with
`Desired`, in which each object knows its file and line.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """Turns files into objects. Errors are `syncline.model.errors.RenderError` with file and line.

    A render can be used again as long as the request and the fingerprint are the same and every one of its `inputs`
    has the digest it had.
    """

    @property
    def fingerprint(self) -> str:
        """What a render depends on besides its request: the programs in use."""
        ...

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        """Render one source of one Application; `refs` are the trees it may name as `$ref` in value files."""
        ...
