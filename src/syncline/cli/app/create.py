"""`syncline app create`: from a file, from flags, or from a file that flags complete."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from syncline.cli.app.denials import naming_rules
from syncline.cli.app.spec_flags import spec_flags
from syncline.cli.app.sync_policy_flags import sync_policy_flags
from syncline.cli.options import Chosen, chosen_cluster
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser, Place
from syncline.verbs.create import CreateRequest, completed, create_application
from syncline.verbs.policy import PolicyChange
from syncline.verbs.settings import SpecSetting

VALIDATE = click.option("--validate/--no-validate", default=True, show_default=True, help="Refuse an invalid spec.")


@click.command()
@click.argument("name", required=False, default="")
@chosen_cluster
@click.option(
    "-f",
    "--file",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    help="File with Applications (-: standard input).",
)
@click.option("--name", "flag_name", default="", help="Name of the Application, the same as the argument.")
@click.option("--upsert", is_flag=True, help="Overwrite an existing Application that differs.")
@click.option("-l", "--label", "labels", multiple=True, help="Label KEY=VALUE (can be repeated).")
@click.option("--annotations", multiple=True, help="Annotation KEY=VALUE (can be repeated).")
@click.option("--set-finalizer", is_flag=True, help="Deleting the Application deletes its objects too.")
@VALIDATE
@sync_policy_flags
@spec_flags(application=True)
def create(
    name: str,
    flag_name: str,
    chosen: Chosen,
    file: Path | None,
    labels: tuple[str, ...],
    annotations: tuple[str, ...],
    policy: PolicyChange,
    settings: tuple[SpecSetting, ...],
    *,
    upsert: bool,
    set_finalizer: bool,
    validate: bool,
) -> int:
    """Create an Application from a file, from flags, or from both: flags win."""
    name = name or flag_name
    applications = _read(file) if file else [{}]
    if len(applications) > 1 and (name or settings):
        raise NeedsUser(f"{file} holds {len(applications)} Applications", hint="flags and a name require exactly one")
    requests = [
        CreateRequest(
            app=app,
            name=name,
            namespace=chosen.namespace,
            labels=_pairs(labels),
            annotations=_pairs(annotations),
            settings=settings,
            policy=policy,
            finalizer=set_finalizer,
            validate=validate,
            upsert=upsert,
        )
        for app in applications
    ]
    for request in requests:
        completed(request)  # so that nothing is created where one of several is wrong
    return asyncio.run(_create(chosen, requests))


def _read(file: Path) -> list[dict[str, Any]]:
    from syncline.apimachinery import yaml
    from syncline.cli.run.unknown_fields import without_unknown

    found = []
    piped = str(file) == "-"
    content: bytes = sys.stdin.buffer.read() if piped else file.read_bytes()
    where = "standard input" if piped else str(file)
    for document in yaml.load_documents(content, source=where):
        if not isinstance(document.value, dict) or document.value.get("kind") != "Application":
            raise NeedsUser("this document is not an Application", place=Place(where, document.line))
        obj, unknown = without_unknown(where, document)
        for sentence in unknown:
            terminal.echo(f"warning: {sentence}", err=True)
        found.append(obj)
    if not found:
        raise NeedsUser(f"{where} contains no Application")
    return found


def _pairs(texts: tuple[str, ...]) -> dict[str, str]:
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise NeedsUser(f"{text} is not of the form KEY=VALUE")
        pairs[key] = value
    return pairs


async def _create(chosen: Chosen, requests: list[CreateRequest]) -> int:
    async with chosen.connected() as (cluster, words):
        terminal.echo(words, err=True)
        for request in requests:
            async with naming_rules(cluster):
                created = await create_application(cluster, request)
            if created.stored.note:
                terminal.echo(created.stored.note, err=True)
            terminal.echo(f"application '{created.stored.key.name}' {created.outcome.value}")
    return 0
