"""`syncline account list` and `get`."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import click

from syncline.apimachinery.times import format_time
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.verbs import accounts
from syncline.verbs.accounts import Account, AccountToken


@click.command("list")
@chosen_cluster
@output_option("wide", "name", "json", "yaml")
def list_(chosen: Chosen, output: str) -> int:
    """List the local accounts."""
    found = asyncio.run(_list(chosen))
    if output == "name":
        terminal.echo("\n".join(one.name for one in found))
    elif output == "wide":
        rows = [[one.name, str(one.enabled).lower(), ", ".join(one.capabilities)] for one in found]
        terminal.echo(table(("NAME", "ENABLED", "CAPABILITIES"), rows))
    else:
        print_objects([_values(one) for one in found], output)
    return 0


async def _list(chosen: Chosen) -> list[Account]:
    async with chosen.opened() as home:
        return await home.accounts()


@click.command()
@click.option("-a", "--account", "name", default="admin", show_default=True, help="Name of the account.")
@chosen_cluster
@output_option("wide", "name", "json", "yaml")
def get(name: str, chosen: Chosen, output: str) -> int:
    """Show one account and its tokens."""
    found, tokens = asyncio.run(_get(name, chosen))
    if output == "name":
        terminal.echo(found.name)
    elif output == "wide":
        _print(found, tokens)
    else:
        listed = [{"id": one.id, "issuedAt": one.iat, "expiresAt": one.exp} for one in tokens or ()]
        print_object({**_values(found), "tokens": listed}, output)
    return 0


async def _get(name: str, chosen: Chosen) -> tuple[Account, list[AccountToken] | None]:
    async with chosen.opened() as home:
        found = accounts.named(await home.accounts(), name)
        return found, await home.account_tokens(name)


def _values(one: Account) -> dict[str, object]:
    return {"name": one.name, "enabled": one.enabled, "capabilities": list(one.capabilities)}


def _print(one: Account, tokens: list[AccountToken] | None) -> None:
    for title, value in (
        ("Name:", one.name),
        ("Enabled:", str(one.enabled).lower()),
        ("Capabilities:", ", ".join(one.capabilities)),
    ):
        terminal.echo(f"{title:<20}{value}")
    terminal.echo("\nTokens:")
    if tokens is None:
        terminal.echo("unknown: argocd-secret cannot be read")
    elif not tokens:
        terminal.echo("NONE")
    else:
        rows = [[token.id, _time(token.iat), _time(token.exp) if token.exp else "never"] for token in tokens]
        terminal.echo(table(("ID", "ISSUED AT", "EXPIRING AT"), rows))


def _time(seconds: int) -> str:
    return format_time(datetime.fromtimestamp(seconds, UTC))
