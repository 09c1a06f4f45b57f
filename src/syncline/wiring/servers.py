"""Builds what the web server needs beside the ports of a controller."""

from __future__ import annotations

from typing import TYPE_CHECKING

from syncline.wiring.controllers import tell_bug, web
from syncline.wiring.sources import checker

if TYPE_CHECKING:
    from syncline.server.app import ServerTools


def server_tools(version: str) -> ServerTools:
    """Return hashes of passwords, unguessable texts, and who is told of bugs."""
    import asyncio
    from functools import partial

    from syncline.adapters.auth import BcryptPasswords, SystemSecrets
    from syncline.server.app import ServerTools

    return ServerTools(
        passwords=BcryptPasswords(),
        secrets=SystemSecrets(),
        on_failure=tell_bug,
        version=version,
        web=web(),
        aside=asyncio.to_thread,
        checker=partial(checker, for_others=True),
    )
