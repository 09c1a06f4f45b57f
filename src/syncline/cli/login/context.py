"""`syncline context`: which logins there are, which one is in use, and another one in its place."""

from __future__ import annotations

import click

from syncline.cli.show import terminal
from syncline.cli.show.tables import table
from syncline.model.errors import NeedsUser

_HEADER = ("CURRENT", "NAME", "SERVER", "LOGGED IN")


@click.command()
@click.argument("name", required=False, default="")
@click.option("--delete", is_flag=True, help="Forget this login; its token stays valid until it expires.")
def context(name: str, *, delete: bool) -> int:
    """List the logins to API servers, or switch to another one.

    NAME is the login to use from now on; without a current login, commands use the Kubernetes API.
    """
    from syncline import wiring

    file = wiring.server_contexts()
    known = file.read()
    if delete and not name:
        raise click.UsageError("--delete needs the name of a login")
    if not name:
        rows = [
            ["*" if one.name == known.current else "", one.name, one.server, "yes" if one.token else "no"]
            for one in known.known
        ]
        terminal.echo(table(_HEADER, rows))
        return 0
    if known.find(name) is None:
        listed = ", ".join(one.name for one in known.known) or "none"
        raise NeedsUser(f"no login named {name}", hint=f"known: {listed}")
    if delete:
        file.write(known.without(name))
        terminal.echo(f"Context '{name}' deleted")
        return 0
    file.write(known.using(name))
    terminal.echo(f"Switched to context '{name}'" if name != known.current else f"Already at context '{name}'")
    return 0
