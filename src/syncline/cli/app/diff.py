"""`syncline app diff`: what differs between Git and the cluster, field by field, with its writer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from syncline.cli.app.local import AtHand, local_objects, local_options
from syncline.cli.app.revisions import revision_options
from syncline.cli.options import Chosen, allow_local_option, app_argument, chosen_cluster, output_option
from syncline.cli.show import terminal
from syncline.verbs.applications import read_application
from syncline.verbs.revisions import RevisionChoice

if TYPE_CHECKING:
    from syncline.apimachinery.keys import Object
    from syncline.core.assess import Assessment
    from syncline.model.comparison import ComparedObject
    from syncline.model.desired import Desired


class Against(NamedTuple):
    """What to compare the cluster with: a revision, files at hand, or (neither) what Git has now."""

    at: RevisionChoice = RevisionChoice()
    desired: Desired | None = None
    server_side: bool = False


@click.command()
@app_argument()
@chosen_cluster
@local_options
@revision_options
@allow_local_option
@click.option("--exit-code/--no-exit-code", default=True, help="Exit with 1 if there is a difference.")
@click.option(
    "--diff-exit-code", type=click.IntRange(0, 255), default=1, show_default=True, help="Exit code to use instead."
)
@click.option("--server-side-diff", is_flag=True, help="Compare as with the compare option ServerSideDiff=true.")
@click.option("--refresh", is_flag=True, help="Accepted for compatibility: Git and the cluster are always read again.")
@click.option("--hard-refresh", is_flag=True, help="The same.")
@click.option("--write-ignore", is_flag=True, help="Print the smallest ignore rule that silences each difference.")
@output_option("text", "json")
def diff(name: str, chosen: Chosen, local: AtHand | None, at: RevisionChoice, output: str, **asked: Any) -> int:
    """Show what differs between Git and the cluster, by field path, with who wrote it and when."""
    differs = asyncio.run(_diff(name, chosen, local, at, output, asked))
    return int(asked["diff_exit_code"]) if differs and asked["exit_code"] else 0


async def _diff(
    name: str, chosen: Chosen, local: AtHand | None, at: RevisionChoice, output: str, asked: dict[str, Any]
) -> bool:
    desired = await local_objects(name, chosen, local) if local is not None else None
    assessment, words = await compared(name, chosen, Against(at, desired, asked["server_side_diff"]))
    if output == "json":
        rows = differing(assessment)
        _print_json(rows, assessment)
    else:
        rows = print_differences(assessment, words)
    if asked["write_ignore"]:
        _print_rules(rows, assessment)
    return bool(rows)


async def compared(name: str, chosen: Chosen, against: Against) -> tuple[Assessment, str]:
    """Compare an Application, and say what could not be; returns also the words for the cluster."""
    from syncline.verbs.look import Overrides

    async with chosen.opened() as home:
        words = home.words
        stored = await read_application(home.cluster, await chosen.find(home.cluster, name, home))
        sync = against.at.of(stored.app) if against.at != RevisionChoice() else None
        overrides = Overrides(sync=sync, desired=against.desired, server_side=against.server_side)
        assessment = await home.look(stored, overrides)
    _complain(assessment)
    return assessment, words


def differing(assessment: Assessment) -> list[ComparedObject]:
    """Return the objects that differ."""
    return [row for row in assessment.comparison.rows if row.verdict == "OutOfSync"]


def print_differences(assessment: Assessment, words: str, *, aside: bool = False) -> list[ComparedObject]:
    """Print each object that differs, field by field, where `aside` on standard error; return them."""
    rows = differing(assessment)
    terminal.echo(f"{words}, read-only · {len(rows)} of {len(assessment.comparison.rows)} objects differ", err=True)
    desired = {item.key: item.obj for item in assessment.prepared.objects}
    for row in rows:
        _print(row, desired.get(row.key), aside=aside)
    return rows


def _complain(assessment: Assessment) -> None:
    """Say what could not be compared: an answer that leaves something out is no answer."""
    from syncline.model.errors import NeedsUser

    failed = [trouble.message for trouble in assessment.snapshot.troubles]
    if assessment.snapshot.desired is None:
        raise NeedsUser("; ".join(failed) or "the source could not be rendered")
    for message in failed:
        terminal.echo(f"could not compare everything: {message}", err=True)


def _print(row: ComparedObject, desired: Object | None, *, aside: bool) -> None:
    from syncline.cli.show.differences import lines_of
    from syncline.verbs.resources import masked

    key = row.key
    terminal.echo(f"\n===== {key.group}/{key.kind} {key.namespace}/{key.name} ======", err=aside)
    for line in lines_of(row, masked(desired) if desired is not None and row.is_missing else None):
        terminal.echo(line, err=aside)


def _print_json(rows: list[ComparedObject], assessment: Assessment) -> None:
    import orjson

    from syncline.cli.show.differences import as_values

    desired = assessment.snapshot.desired
    answer = {
        "schemaVersion": 1,
        "revisions": list(desired.revisions) if desired else [],
        "modified": bool(rows),
        "objects": [as_values(row) for row in rows],
    }
    terminal.echo_data(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())


def _print_rules(rows: list[ComparedObject], assessment: Assessment) -> None:
    import msgspec

    from syncline.apimachinery import yaml
    from syncline.core.compare.ignore import suggest as ignore_rule

    prepared = {item.key: item for item in assessment.prepared.objects}
    entries = []
    for row in rows:
        if row.key not in prepared or row.key not in assessment.live:
            terminal.echo(f"# {row.key.short}: an ignore rule cannot cover a whole object")
            continue
        proposal = ignore_rule.rule_for_all(
            prepared[row.key], assessment.live[row.key], row.differences, assessment.context
        )
        terminal.echo(f"# {row.key.short}: {proposal.reason}")
        if proposal.entry is not None:
            entries.append(msgspec.to_builtins(proposal.entry))
    if entries:
        terminal.echo_data(yaml.dump({"ignoreDifferences": entries}), nl=False)
