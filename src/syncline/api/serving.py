"""What the web server needs beside the ports of a controller, with what only this layer can do for it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from syncline import wiring
from syncline.api.branches import look_at_branch

if TYPE_CHECKING:
    from syncline.server.app import ServerTools


def server_tools(version: str) -> ServerTools:
    """Return the tools of a server that also looks at branches."""
    return dataclasses.replace(wiring.server_tools(version), look_at_branch=look_at_branch)
