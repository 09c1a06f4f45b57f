"""`syncline repo add` and `test`."""

from __future__ import annotations

import asyncio

import click

from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.repo.credential_flags import credential_flags
from syncline.cli.show import terminal
from syncline.controller.clusters.access import read_access
from syncline.model.errors import NeedsUser, SourceError
from syncline.model.logins import without_logins
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Credentials, Repository, Way
from syncline.verbs.sources import require_readable, store_repository

_KINDS = Choice(("git", "helm", "oci"))


@click.command()
@click.argument("repourl")
@click.option("--type", "kind", type=_KINDS, default="git", show_default=True, help="Kind of repository.")
@click.option("--name", default="", help="Name of the repository (needed for Helm).")
@click.option("--project", default="", help="Project it is for (default: all projects).")
@click.option("--upsert", is_flag=True, help="Replace the existing repository.")
@click.option("--no-test", is_flag=True, help="Do not test access to it.")
@credential_flags
@chosen_cluster
def add(
    repourl: str,
    chosen: Chosen,
    credentials: Credentials,
    way: Way,
    *,
    kind: str,
    name: str,
    project: str,
    upsert: bool,
    no_test: bool,
) -> int:
    """Add the repository REPOURL after testing access to it."""
    if kind == "helm" and not name:
        raise NeedsUser("must specify --name for repos of type 'helm'")
    repository = Repository(url=repourl, kind=kind, name=name, project=project, credentials=credentials, way=way)
    return asyncio.run(_add(chosen, repository, upsert=upsert, try_it=not no_test))


async def _add(chosen: Chosen, repository: Repository, *, upsert: bool, try_it: bool) -> int:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
        if try_it:
            await _tried(repository, access)
        hint = "--upsert replaces it"
        await store_repository(home, chosen.namespace, repository, access, replace=upsert, hint=hint)
    terminal.echo(f"Repository '{without_logins(repository.url)}' added")
    return 0


async def _tried(repository: Repository, access: SourceAccess) -> None:
    try:
        await check(repository, access)
    except SourceError as error:
        if error.what.startswith("invalid"):
            raise
        hint = "; ".join(filter(None, (error.hint, "add it anyway with --no-test")))
        raise SourceError(error.what, place=error.place, hint=hint) from None


@click.command()
@click.argument("repourl")
@click.option("--project", default="", help="Project whose credentials to use.")
@click.option(
    "--type", "kind", type=_KINDS, default="git", show_default=True, help="Kind, if the repository is not known yet."
)
@chosen_cluster
def test(repourl: str, chosen: Chosen, *, project: str, kind: str) -> int:
    """Test access to the repository REPOURL; exit code 1 if it fails."""
    return asyncio.run(_test(chosen, repourl, project, kind))


async def _test(chosen: Chosen, url: str, project: str, kind: str) -> int:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
    repository = access.repository(url, project)
    if not repository.secret and not repository.inherited:
        repository = Repository(url=url, kind=kind, way=repository.way)
    try:
        await check(repository, access)
    except SourceError as error:
        terminal.echo(f"Repository '{without_logins(url)}' cannot be read: {error}")
        return 1
    found = ", ".join(repository.credentials.kinds()) or "no credentials"
    whose = " of a template" if repository.inherited else ""
    terminal.echo(f"Repository '{without_logins(url)}' can be read with {found}{whose}")
    return 0


async def check(repository: Repository, access: SourceAccess) -> None:
    """Raise `SourceError` where a repository cannot be read with what is known."""
    from syncline import wiring

    await require_readable(repository, access, wiring.checker)
