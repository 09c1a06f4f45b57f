"""Builds what the web server needs beside the ports of a controller."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from syncline.wiring.controllers import tell_bug, web
from syncline.wiring.sources import checker

if TYPE_CHECKING:
    from syncline.server.app import ServerTools


def has_dex(named: str = "") -> bool:
    """Whether this machine has a Dex to run."""
    from syncline.adapters.auth.dex import found_dex

    return found_dex(named) is not None


def server_tools(version: str, dex: str = "", say: Callable[[str], None] | None = None) -> ServerTools:
    """Return hashes of passwords, unguessable texts, Dex by its path or from PATH, and who is told what."""
    import asyncio
    from functools import partial

    from syncline.adapters.auth import BcryptPasswords, SystemSecrets
    from syncline.adapters.auth.dex import found_dex
    from syncline.server.app import ServerTools

    return ServerTools(
        passwords=BcryptPasswords(),
        secrets=SystemSecrets(),
        on_failure=tell_bug,
        version=version,
        web=web(),
        dex=found_dex(dex),
        say=say or _say,
        aside=asyncio.to_thread,
        checker=partial(checker, for_others=True),
    )


def _say(words: str) -> None:
    """Log what whoever runs the server should know."""
    import logging

    logging.getLogger("syncline").warning(words)
