"""`syncline repocreds`: credentials for repositories whose addresses start alike, as `argocd repocreds` has them."""

from __future__ import annotations

import asyncio

import click

from syncline.apimachinery.keys import Object
from syncline.cli.choice import Choice
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.repo.credential_flags import credential_flags
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.controller.clusters.access import read_access
from syncline.model.errors import NeedsUser
from syncline.model.logins import without_logins
from syncline.model.sources.repository import Credentials, CredentialTemplate, Way
from syncline.verbs.sources import known_template, remove_secret, store_template

_HEADER = ("URL PATTERN", "USERNAME", "SSH_CREDS", "TLS_CREDS")


@click.group(cls=SwitchGroup)
def repocreds() -> None:
    """Manage credentials for repositories with a common URL prefix."""


@repocreds.command()
@click.argument("repourl")
@click.option("--type", "kind", type=Choice(("git", "helm", "oci")), default="git", show_default=True, help="Kind.")
@click.option("--upsert", is_flag=True, help="Replace existing credentials.")
@credential_flags
@chosen_cluster
def add(repourl: str, chosen: Chosen, credentials: Credentials, way: Way, *, kind: str, upsert: bool) -> int:
    """Add credentials for all repositories whose address starts with REPOURL."""
    template = CredentialTemplate(url=repourl, kind=kind, credentials=credentials, way=way)
    return asyncio.run(_add(chosen, template, upsert=upsert))


async def _add(chosen: Chosen, template: CredentialTemplate, *, upsert: bool) -> int:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
        hint = "--upsert replaces it"
        await store_template(home, chosen.namespace, template, access, replace=upsert, hint=hint)
    terminal.echo(f"Repository credentials for '{without_logins(template.url)}' added")
    return 0


@repocreds.command("list")
@chosen_cluster
@output_option("wide", "url", "json", "yaml")
def list_(chosen: Chosen, output: str) -> int:
    """List the URL prefixes with credentials."""
    return asyncio.run(_list(chosen, output))


async def _list(chosen: Chosen, output: str) -> int:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
    for problem in access.problems:
        terminal.echo(problem, err=True)
    templates = sorted(access.templates, key=lambda one: one.url)
    if output == "url":
        terminal.echo("\n".join(without_logins(one.url) for one in templates))
    elif output in ("json", "yaml"):
        print_objects([_values(one) for one in templates], output)
    else:
        terminal.echo(table(_HEADER, (_row(one) for one in templates)))
    return 0


@repocreds.command()
@click.argument("repourls", nargs=-1, required=True, metavar="REPOURL...")
@chosen_cluster
def rm(repourls: tuple[str, ...], chosen: Chosen) -> int:
    """Remove the credentials for REPOURL…"""
    return asyncio.run(_rm(chosen, repourls))


async def _rm(chosen: Chosen, urls: tuple[str, ...]) -> int:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
        for url in urls:
            known = known_template(access, url)
            if known is None:
                there = ", ".join(one.url for one in access.templates[:10]) or "none"
                raise NeedsUser(f"repository credentials '{url}' not found", hint=f"known: {there}")
            await remove_secret(home, chosen.namespace, known.secret)
            terminal.echo(f"Repository credentials for '{without_logins(url)}' removed")
    return 0


def _row(one: CredentialTemplate) -> list[str]:
    ssh, tls = one.credentials.ssh_private_key, one.credentials.tls_client_certificate
    return [
        without_logins(one.url),
        one.credentials.username or "-",
        *("true" if given else "false" for given in (ssh, tls)),
    ]


def _values(one: CredentialTemplate) -> Object:
    values: Object = {"url": without_logins(one.url), "type": one.kind, "username": one.credentials.username}
    return {name: value for name, value in values.items() if value}
