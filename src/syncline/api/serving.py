"""What the web server needs beside the ports of a controller, with what only this layer can do for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

from syncline import wiring
from syncline.api.branches import look_at_branch

if TYPE_CHECKING:
    from syncline.server.app import ServerTools


def server_tools(version: str, dex: str = "", say: Callable[[str], None] | None = None) -> ServerTools:
    """Return the tools of a server that also looks at branches; `dex` is the program to run, `say` who is told."""
    return dataclasses.replace(wiring.server_tools(version, dex, say), look_at_branch=look_at_branch)
