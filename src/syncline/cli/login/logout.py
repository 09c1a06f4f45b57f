"""`syncline logout`: ends the session on the server, and forgets its token here."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from syncline.cli.show import terminal
from syncline.model.errors import SynclineError
from syncline.ports.transport import TransportError

if TYPE_CHECKING:
    from syncline.model.server_contexts import ServerContext, ServerContexts


@click.command()
@click.argument("context", required=False, default="")
def logout(context: str) -> int:
    """Log out of an API server.

    CONTEXT is the name or the server of a login (default: the current one); its token becomes invalid.
    """
    from syncline import wiring
    from syncline.model.errors import NeedsUser

    file = wiring.server_contexts()
    known = file.read()
    found = known.find(context or known.current) or known.at(context)
    if found is None or not found.token:
        listed = ", ".join(one.name for one in known.known if one.token) or "none"
        raise NeedsUser(f"not logged in to {context or 'a server'}", hint=f"logins: {listed}")
    # The token is forgotten whatever the server says: whoever logs out does not want it to be used from here.
    file.write(_forgotten(known, found))
    if trouble := asyncio.run(_end(found)):
        terminal.echo(f"the session could not be ended on {found.server}, it ends when it expires: {trouble}", err=True)
    terminal.echo(f"Logged out from '{found.name}'")
    return 0


def _forgotten(known: ServerContexts, found: ServerContext) -> ServerContexts:
    left = known.having(replace(found, token="", refresh_token=""))
    return left.using("" if known.current == found.name else known.current)


async def _end(context: ServerContext) -> str:
    """End the session on the server; return what went wrong."""
    from syncline import wiring

    try:
        async with wiring.server_api(context) as api:
            await api.ask("DELETE", "/api/v1/session")
    except (SynclineError, TransportError) as error:
        return str(error)
    return ""
