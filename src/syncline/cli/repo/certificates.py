"""`syncline cert`: certificates and ssh host keys of repository servers, as `argocd cert` keeps them."""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Callable

import click

from syncline.apimachinery.keys import Object
from syncline.cli.asking import agree
from syncline.cli.choice import Choice
from syncline.cli.lazy import SwitchGroup
from syncline.cli.options import Chosen, chosen_cluster, output_option
from syncline.cli.repo.access_objects import change_texts, read_input, read_texts
from syncline.cli.show import terminal
from syncline.cli.show.printing import print_objects
from syncline.cli.show.tables import table
from syncline.controller.clusters.access import CERTIFICATES, KNOWN_HOSTS
from syncline.model.errors import NeedsUser
from syncline.model.sources.trust import HostKey

_HEADER = ("HOSTNAME", "TYPE", "SUBTYPE", "INFO")
_FILE = "ssh_known_hosts"
_TYPES = Choice(("ssh", "https"))


@click.group(cls=SwitchGroup)
def cert() -> None:
    """Manage certificates and ssh host keys of repository servers."""


@cert.command("add-tls")
@click.argument("servername")
@click.option("--from", "path", default="", help="File with certificates (PEM); without one, standard input.")
@click.option("--upsert", is_flag=True, help="Replace existing certificates.")
@chosen_cluster
def add_tls(servername: str, chosen: Chosen, *, path: str, upsert: bool) -> int:
    """Trust certificates for the server SERVERNAME, instead of those of this machine."""
    from syncline import wiring

    text = read_input(path, "TLS certificate data in PEM format").decode("utf-8", "replace")
    found = wiring.trust().read_certificates(text)
    if not found:
        raise NeedsUser("No valid certificates have been detected in the stream.")
    content = "".join(one.pem for one in found)

    def change(texts: dict[str, str]) -> dict[str, str]:
        if texts.get(servername, content) != content and not upsert:
            raise NeedsUser(f"other certificates are known for {servername}", hint="--upsert replaces them")
        return {**texts, servername: content}

    asyncio.run(_change(chosen, CERTIFICATES, change))
    terminal.echo(
        f"Created/updated TLS certificate entry for repository server {servername}"
        f" with {len(found)} unique PEM certificates"
    )
    return 0


@cert.command("add-ssh")
@click.option("--batch", is_flag=True, required=True, help="Read known_hosts entries, one per line.")
@click.option("--from", "path", default="", help="File with entries; without one, standard input.")
@click.option("--upsert", is_flag=True, help="Replace other keys of the same kind for the same host.")
@chosen_cluster
def add_ssh(chosen: Chosen, *, batch: bool, path: str, upsert: bool) -> int:  # noqa: ARG001 - as argocd has it
    """Trust host keys, as ssh-keyscan prints them."""
    from syncline import wiring

    text = read_input(path, "SSH known hosts entries, one per line").decode("utf-8", "replace")
    found = wiring.trust().read_host_keys(text)
    if not found:
        raise NeedsUser("No valid SSH known hosts data found.")
    created: list[HostKey] = []

    def change(texts: dict[str, str]) -> dict[str, str]:
        created.clear()
        known = {(one.host, one.kind): one for one in wiring.trust().read_host_keys(texts.get(_FILE, ""))}
        for one in found:
            other = known.get((one.host, one.kind))
            if other is not None and other.key != one.key and not upsert:
                raise NeedsUser(f"another {one.kind} key is known for {one.host}", hint="--upsert replaces it")
            if other is None or other.key != one.key:
                created.append(one)
            known[one.host, one.kind] = one
        return {**texts, _FILE: "".join(f"{one.line()}\n" for one in known.values())}

    asyncio.run(_change(chosen, KNOWN_HOSTS, change))
    terminal.echo(f"Successfully created {len(created)} SSH known host entries")
    return 0


@cert.command("list")
@click.option("--cert-type", type=_TYPES, help="Only these.")
@click.option("--hostname-pattern", default="*", help="Only hosts that match a glob.")
@click.option("--sort", type=Choice(("hostname", "type")), default="hostname", help="Order of the table.")
@chosen_cluster
@output_option("wide", "json", "yaml")
def list_(chosen: Chosen, output: str, *, cert_type: str | None, hostname_pattern: str, sort: str) -> int:
    """List certificates and host keys."""
    entries = [
        one
        for one in asyncio.run(_entries(chosen))
        if fnmatch.fnmatchcase(one["serverName"], hostname_pattern) and cert_type in (None, one["certType"])
    ]
    entries.sort(key=lambda one: str(one["certType" if sort == "type" else "serverName"]))
    if output in ("json", "yaml"):
        print_objects(entries, output)
        return 0
    rows = [[str(one[name]) for name in ("serverName", "certType", "certSubType", "certInfo")] for one in entries]
    terminal.echo(table(_HEADER, rows))
    return 0


@cert.command()
@click.argument("reposerver")
@click.option("--cert-type", type=_TYPES, help="Only these.")
@click.option("--cert-sub-type", default="", help="Only host keys of this kind, such as ssh-ed25519.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@chosen_cluster
def rm(reposerver: str, chosen: Chosen, *, cert_type: str | None, cert_sub_type: str, yes: bool) -> int:
    """Remove certificates and host keys of the servers that match the glob REPOSERVER."""
    if reposerver == "*":
        raise NeedsUser("A single wildcard is not allowed as REPOSERVER name.")
    doomed = [
        one
        for one in asyncio.run(_entries(chosen))
        if fnmatch.fnmatchcase(one["serverName"], reposerver)
        and cert_type in (None, one["certType"])
        and cert_sub_type in ("", one["certSubType"])
    ]
    if not doomed:
        terminal.echo("No certificates were removed (none matched the given pattern)")
        return 0
    if not yes:
        agree(f"{len(doomed)} certificates and host keys", "forget them?")
    asyncio.run(_remove(chosen, doomed))
    for one in doomed:
        named = f"'{one['serverName']}' of type '{one['certType']}' (subtype '{one['certSubType']}')"
        terminal.echo(f"Removed cert for {named}")
    return 0


async def _change(chosen: Chosen, name: str, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
    async with chosen.connected() as (home, _words):
        await change_texts(home, chosen.namespace, name, change)


async def _entries(chosen: Chosen) -> list[Object]:
    from syncline import wiring

    async with chosen.connected() as (home, _words):
        pems = await read_texts(home, chosen.namespace, CERTIFICATES)
        hosts = await read_texts(home, chosen.namespace, KNOWN_HOSTS)
    found: list[Object] = []
    for server, text in pems.items():
        found += [_entry(server, "https", one.kind, one.subject) for one in wiring.trust().read_certificates(text)]
    for key in wiring.trust().read_host_keys(hosts.get(_FILE, "")):
        found.append(_entry(key.host, "ssh", key.kind, key.fingerprint))
    return found


def _entry(server: str, kind: str, sub_kind: str, info: str) -> Object:
    return {"serverName": server, "certType": kind, "certSubType": sub_kind, "certInfo": info}


async def _remove(chosen: Chosen, doomed: list[Object]) -> None:
    from syncline import wiring

    servers = {str(one["serverName"]) for one in doomed if one["certType"] == "https"}
    keys = {(str(one["serverName"]), str(one["certSubType"])) for one in doomed if one["certType"] == "ssh"}

    def without_keys(texts: dict[str, str]) -> dict[str, str]:
        left = [one for one in wiring.trust().read_host_keys(texts.get(_FILE, "")) if (one.host, one.kind) not in keys]
        return {**texts, _FILE: "".join(f"{one.line()}\n" for one in left)}

    if servers:
        await _change(
            chosen, CERTIFICATES, lambda texts: {name: text for name, text in texts.items() if name not in servers}
        )
    if keys:
        await _change(chosen, KNOWN_HOSTS, without_keys)
