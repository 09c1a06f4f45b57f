"""`syncline gpg`: the keys whose signatures an installation knows, as `argocd gpg` keeps them."""

from __future__ import annotations

import asyncio

import click

from syncline.apimachinery.keys import Object
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.repo.access_objects import change_texts, read_input, read_texts
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.controller.clusters.access import SIGNING_KEYS
from syncline.model.errors import NeedsUser
from syncline.model.sources.trust import SigningKey

_HEADER = ("KEYID", "TYPE", "IDENTITY")


@click.group(cls=SwitchGroup)
def gpg() -> None:
    """Manage the public keys that commits may be signed with."""


@gpg.command()
@click.option("--from", "-f", "path", required=True, help="File with public keys; - reads standard input.")
@chosen_cluster
def add(chosen: Chosen, *, path: str) -> int:
    """Add public keys."""
    from syncline import wiring

    keys = wiring.trust().read_signing_keys(read_input(path, "public keys"))
    created, skipped = asyncio.run(_add(chosen, keys))
    more = f", and {skipped} key(s) were skipped because they exist already" if skipped else ""
    terminal.echo(f"Created {created} key(s) from input file{more}.")
    return 0


async def _add(chosen: Chosen, keys: list[SigningKey]) -> tuple[int, int]:
    counts = {"created": 0}

    def change(texts: dict[str, str]) -> dict[str, str]:
        new = {key.key_id: key.armoured for key in keys if key.key_id not in texts}
        counts["created"] = len(new)
        return {**texts, **new}

    async with chosen.connected() as (home, _words):
        await change_texts(home, chosen.namespace, SIGNING_KEYS, change)
    return counts["created"], len(keys) - counts["created"]


@gpg.command("list")
@chosen_cluster
@output_option("wide", "json", "yaml")
def list_(chosen: Chosen, output: str) -> int:
    """List the public keys."""
    keys = asyncio.run(_keys(chosen))
    if output in ("json", "yaml"):
        print_objects([_values(key) for key in keys], output)
    else:
        terminal.echo(table(_HEADER, ([key.key_id, key.kind.upper(), key.owner] for key in keys)))
    return 0


@gpg.command()
@click.argument("keyid")
@chosen_cluster
@output_option("wide", "json", "yaml")
def get(keyid: str, chosen: Chosen, output: str) -> int:
    """Show the public key KEYID."""
    key = _find(asyncio.run(_keys(chosen)), keyid)
    if output in ("json", "yaml"):
        print_object(_values(key), output)
        return 0
    terminal.echo(f"Key ID:          {key.key_id}")
    terminal.echo(f"Key fingerprint: {key.fingerprint}")
    terminal.echo(f"Key subtype:     {key.kind.upper()}")
    terminal.echo(f"Key owner:       {key.owner}")
    terminal.echo(f"Key data follows until EOF:\n{key.armoured}")
    return 0


@gpg.command()
@click.argument("keyid")
@chosen_cluster
def rm(keyid: str, chosen: Chosen) -> int:
    """Remove the public key KEYID."""
    key = _find(asyncio.run(_keys(chosen)), keyid)
    asyncio.run(_remove(chosen, key.key_id))
    terminal.echo(f"Deleted key with key ID {keyid}")
    return 0


async def _keys(chosen: Chosen) -> list[SigningKey]:
    from syncline import wiring

    async with chosen.connected() as (home, _words):
        texts = await read_texts(home, chosen.namespace, SIGNING_KEYS)
    found: list[SigningKey] = []
    for name, text in sorted(texts.items()):
        try:
            found += wiring.trust().read_signing_keys(text.encode())
        except NeedsUser as error:
            terminal.echo(f"{SIGNING_KEYS} {name}: {error}", err=True)
    return found


async def _remove(chosen: Chosen, key_id: str) -> None:
    async with chosen.connected() as (home, _words):
        await change_texts(
            home,
            chosen.namespace,
            SIGNING_KEYS,
            lambda texts: {name: text for name, text in texts.items() if name.upper() != key_id},
        )


def _find(keys: list[SigningKey], text: str) -> SigningKey:
    wanted = text.upper()[-16:]
    found = next((key for key in keys if key.key_id == wanted), None)
    if found is None:
        there = ", ".join(key.key_id for key in keys[:10]) or "none"
        raise NeedsUser(f"No such key: {text}", hint=f"known: {there}")
    return found


def _values(key: SigningKey) -> Object:
    return {
        "keyID": key.key_id,
        "fingerprint": key.fingerprint,
        "subType": key.kind,
        "owner": key.owner,
        "keyData": key.armoured,
    }
