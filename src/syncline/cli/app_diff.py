"""`syncline app diff`: what differs between Git and the cluster, field by field, with its writer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from syncline.cli.applications import read_application, split_name
from syncline.cli.local import local_objects, local_option
from syncline.cli.looking import look
from syncline.cli.options import Chosen, chosen_cluster, output_option

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.model.comparison import ComparedObject


@click.command()
@click.argument("name")
@chosen_cluster
@local_option
@click.option("--revision", default="", help="Compare with this commit, branch or tag instead of the newest.")
@click.option("--exit-code/--no-exit-code", default=True, help="Exit 1 when there is a difference.")
@click.option("--diff-exit-code", type=click.IntRange(0, 255), default=1, show_default=True, help="Exit code instead.")
@click.option("--write-ignore", is_flag=True, help="Print the smallest ignore rule that silences each difference.")
@output_option("text", "json")
def diff(
    name: str,
    chosen: Chosen,
    local: str | None,
    revision: str,
    diff_exit_code: int,
    output: str,
    *,
    exit_code: bool,
    write_ignore: bool,
) -> int:
    """Show what differs between Git and the cluster, by field path, with who wrote it and when."""
    differs = asyncio.run(_diff(name, chosen, (local, revision), output, write_ignore=write_ignore))
    return diff_exit_code if differs and exit_code else 0


async def _diff(name: str, chosen: Chosen, against: tuple[str | None, str], output: str, *, write_ignore: bool) -> bool:
    local, revision = against
    desired = await local_objects(name, chosen, local) if local is not None else None
    namespace, name = split_name(name, chosen.namespace)
    async with chosen.connected() as (cluster, words):
        await read_application(cluster, namespace, name)
        assessment = await look(cluster, namespace, name, revision=revision, desired=desired)
    _complain(assessment)
    rows = [row for row in assessment.comparison.rows if row.verdict == "OutOfSync"]
    if output == "json":
        _print_json(rows, assessment)
    else:
        click.echo(f"{words}, read-only · {len(rows)} of {len(assessment.comparison.rows)} objects differ", err=True)
        for row in rows:
            _print(row)
    if write_ignore:
        _print_rules(rows, assessment)
    return bool(rows)


def _complain(assessment: Assessment) -> None:
    """Say what could not be compared: an answer that leaves something out is no answer."""
    from syncline.model.errors import NeedsUser

    failed = [trouble.message for trouble in assessment.snapshot.troubles]
    if assessment.snapshot.desired is None:
        raise NeedsUser("; ".join(failed) or "the source could not be rendered")
    for message in failed:
        click.echo(f"could not look at everything: {message}", err=True)


def _print(row: ComparedObject) -> None:
    from syncline.cli.differences import lines_of

    key = row.key
    click.echo(f"\n===== {key.group}/{key.kind} {key.namespace}/{key.name} ======")
    for line in lines_of(row):
        click.echo(line)


def _print_json(rows: list[ComparedObject], assessment: Assessment) -> None:
    import orjson

    from syncline.cli.differences import as_values

    desired = assessment.snapshot.desired
    answer = {
        "schemaVersion": 1,
        "revisions": list(desired.revisions) if desired else [],
        "modified": bool(rows),
        "objects": [as_values(row) for row in rows],
    }
    click.echo(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())


def _print_rules(rows: list[ComparedObject], assessment: Assessment) -> None:
    import msgspec

    from syncline.apimachinery import yaml
    from syncline.core.compare import ignore_rule

    prepared = {item.key: item for item in assessment.prepared.objects}
    entries = []
    for row in rows:
        if row.key not in prepared or row.key not in assessment.live:
            click.echo(f"# {row.key.short}: no ignore rule is for whole objects")
            continue
        proposal = ignore_rule.rule_for_all(
            prepared[row.key], assessment.live[row.key], row.differences, assessment.context
        )
        click.echo(f"# {row.key.short}: {proposal.reason}")
        if proposal.entry is not None:
            entries.append(msgspec.to_builtins(proposal.entry))
    if entries:
        click.echo(yaml.dump({"ignoreDifferences": entries}), nl=False)
