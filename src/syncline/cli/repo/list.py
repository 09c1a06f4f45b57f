"""`syncline repo list`, `get` and `rm`."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from syncline.apimachinery.keys import Object
from syncline.cli.choice import Choice
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.repo.add import check
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_object, print_objects
from syncline.cli.show.tables import table
from syncline.controller.clusters.access import read_access
from syncline.model.errors import NeedsUser, SynclineError
from syncline.model.logins import without_logins
from syncline.model.sources.access import SourceAccess
from syncline.model.sources.repository import Repository
from syncline.verbs.served.home import ServedHome
from syncline.verbs.sources import remove_secret

_HEADER = ("TYPE", "NAME", "REPO", "INSECURE", "OCI", "LFS", "CREDS", "STATUS", "MESSAGE", "PROJECT")
_AT_ONCE = 8


_REFRESH = click.option(
    "--refresh", type=Choice(("hard",)), help="Accepted for compatibility: access is always tested again."
)


@click.command("list")
@_REFRESH
@click.option("--no-test", is_flag=True, help="Do not test access to them.")
@chosen_cluster
@output_option("wide", "url", "json", "yaml")
def list_(chosen: Chosen, output: str, *, refresh: str | None, no_test: bool) -> int:  # noqa: ARG001 - as argocd has it
    """List the repositories, and whether they can be read."""
    return asyncio.run(_list(chosen, output, try_them=not no_test))


async def _list(chosen: Chosen, output: str, *, try_them: bool) -> int:
    if chosen.server is not None:
        return await _list_served(chosen, output)
    access = await _read(chosen)
    named = sorted(access.repositories, key=lambda one: (one.url, one.project))
    known = [access.repository(one.url, one.project) for one in named]
    if output == "url":
        terminal.echo("\n".join(without_logins(one.url) for one in known))
        return 0
    turns = asyncio.Semaphore(_AT_ONCE)
    states = await asyncio.gather(*(_state(one, access, turns, try_it=try_them) for one in known))
    if output in ("json", "yaml"):
        print_objects([_values(one, state) for one, state in zip(known, states, strict=True)], output)
    else:
        terminal.echo(table(_HEADER, (_row(one, state) for one, state in zip(known, states, strict=True))))
    return 0


@click.command()
@click.argument("repourl")
@click.option("--project", default="", help="Project the repository is for.")
@_REFRESH
@chosen_cluster
@output_option("wide", "url", "json", "yaml")
def get(repourl: str, chosen: Chosen, output: str, *, project: str, refresh: str | None) -> int:  # noqa: ARG001
    """Show the repository REPOURL, without its credentials."""
    return asyncio.run(_get(chosen, repourl, project, output))


async def _list_served(chosen: Chosen, output: str, url: str = "", project: str = "") -> int:
    """Print what a server tells of its repositories, or of one of them; access is tested by the server alone."""
    async with chosen.opened() as home:
        found = await home.repository_states() if isinstance(home, ServedHome) else []
    if url:
        found = [one for one in found if (one[0].url, one[0].project) == (url, project)]
        if not found:
            raise NeedsUser(f"repository '{without_logins(url)}' not found")
    if output == "url":
        terminal.echo("\n".join(without_logins(one.url) for one, _state in found))
    elif output in ("json", "yaml"):
        shown = [_values(one, state) for one, state in found]
        print_object(shown[0], output) if url else print_objects(shown, output)
    else:
        terminal.echo(table(_HEADER, (_row(one, state) for one, state in found)))
    return 0


async def _get(chosen: Chosen, url: str, project: str, output: str) -> int:
    if chosen.server is not None:
        return await _list_served(chosen, output, url, project)
    access = await _read(chosen)
    if access.known(url, project) is None:
        raise _unknown(url, access)
    found = access.repository(url, project)
    if output == "url":
        terminal.echo(without_logins(found.url))
        return 0
    state = await _state(found, access, asyncio.Semaphore(1), try_it=True)
    if output in ("json", "yaml"):
        print_object(_values(found, state), output)
    else:
        terminal.echo(table(_HEADER, [_row(found, state)]))
    return 0


@click.command()
@click.argument("repourls", nargs=-1, required=True, metavar="REPOURL...")
@click.option("--project", default="", help="Project the repositories are for.")
@chosen_cluster
def rm(repourls: tuple[str, ...], chosen: Chosen, *, project: str) -> int:
    """Remove the repositories REPOURL…"""
    return asyncio.run(_rm(chosen, repourls, project))


async def _rm(chosen: Chosen, urls: tuple[str, ...], project: str) -> int:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
        for url in urls:
            known = access.known(url, project)
            if known is None or known.project != project:
                raise _unknown(url, access)
            await remove_secret(home, chosen.namespace, known.secret)
            terminal.echo(f"Repository '{without_logins(url)}' removed")
    return 0


async def _read(chosen: Chosen) -> SourceAccess:
    async with chosen.connected() as (home, _words):
        access = await read_access(home, chosen.namespace)
    for problem in access.problems:
        terminal.echo(problem, err=True)
    return access


async def _state(
    repository: Repository, access: SourceAccess, turns: asyncio.Semaphore, *, try_it: bool
) -> tuple[str, str]:
    if not try_it:
        return "Unknown", ""
    async with turns:
        try:
            await check(repository, access)
        except SynclineError as error:
            return "Failed", str(error)
    return "Successful", ""


def _row(one: Repository, state: tuple[str, str]) -> list[str]:
    credentials = "inherited" if one.inherited else _word(bool(one.credentials))
    insecure = one.way.insecure or one.way.ignore_host_key
    flags = [_word(insecure), _word(one.way.oci), _word(one.way.lfs)]
    return [one.kind, one.name, without_logins(one.url), *flags, credentials, *state, one.project]


def _values(one: Repository, state: tuple[str, str]) -> Object:
    """Return a repository for `-o json` under Argo CD's names; credentials are not among them."""
    values: dict[str, Any] = {
        "repo": without_logins(one.url),
        "type": one.kind,
        "name": one.name,
        "project": one.project,
        "username": one.credentials.username,
        "insecure": one.way.insecure,
        "insecureIgnoreHostKey": one.way.ignore_host_key,
        "enableLfs": one.way.lfs,
        "enableOCI": one.way.oci,
        "insecureOCIForceHttp": one.way.plain_http,
        "inheritedCreds": one.inherited,
        "noProxy": one.way.no_proxy,
    }
    kept: Object = {name: value for name, value in values.items() if value}
    kept["connectionState"] = {"status": state[0], "message": state[1]}
    return kept


def _word(value: bool) -> str:
    return "true" if value else "false"


def _unknown(url: str, access: SourceAccess) -> NeedsUser:
    known = ", ".join(sorted(one.url for one in access.repositories)[:10]) or "none"
    return NeedsUser(f"repository '{url}' not found", hint=f"known: {known}")
