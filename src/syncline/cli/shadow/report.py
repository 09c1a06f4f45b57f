"""`syncline shadow report`: every disagreement of a recording, with its reason; reads files alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from syncline.cli.options import output_file_option, output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.core.shadow import Disagreement, ShadowReport

_MORE = 5


@click.command()
@click.argument(
    "file", type=click.Path(dir_okay=False, path_type=Path), default=Path("syncline-shadow.jsonl"), required=False
)
@click.option(
    "--settle",
    default="5m",
    show_default=True,
    help="Differences that end within this time are timing, and only counted.",
)
@output_option("text", "json")
@output_file_option
def report(file: Path, settle: str, output: str, output_file: Path | None) -> int:
    """List every disagreement in the recording FILE with its reason; exit code 1 if there is one.

    ApplicationSets and Secrets that Syncline would refuse after a move from Argo CD are listed too.
    """
    import msgspec

    from syncline.apimachinery import duration
    from syncline.cli.shadow.journal import records
    from syncline.core import shadow

    try:
        seconds = duration.parse(settle) / 1e9
    except duration.InvalidDuration as error:
        raise click.BadParameter(str(error), param_hint="--settle") from None
    found = shadow.report(records(file), seconds)
    if output == "json":
        text = msgspec.json.format(msgspec.json.encode(found), indent=2).decode()
        terminal.echo_to(output_file, text, data=True)
    else:
        terminal.echo_to(output_file, "\n".join(_lines(found, settle)))
    return 1 if found.disagreements or found.refused else 0


def _lines(found: ShadowReport, settle: str) -> Iterator[str]:
    yield (
        f"{found.apps} Applications watched for {_span(found.watched_seconds)}"
        f" between {found.since or 'never'} and {found.until or 'never'}"
    )
    yield (
        f"verdicts equal {found.equal_share:.2%} of the time, and now {found.equal_now} · "
        f"{found.timing} differences were over within {settle}"
    )
    judged = found.syncs - found.syncs_not_judged
    yield (
        f"{found.syncs} syncs that Argo CD began: Syncline agrees with {found.syncs_agreed} of {judged}, "
        f"{found.syncs_not_judged} not judged (Argo CD saw the commit first)"
    )
    yield f"{len(found.disagreements)} disagreements"
    for one in found.disagreements:
        yield ""
        yield from _disagreement(one)
    if found.refused:
        yield ""
        yield f"{len(found.refused)} ApplicationSets and Secrets would be refused after a move (docs/guide/access.md)"
    for refused in found.refused:
        yield f"  {terminal.style(f'{refused.kind} {refused.name}', 'bold')}: {refused.why}"


def _disagreement(one: Disagreement) -> Iterator[str]:
    again = "" if one.times == 1 else f", {one.times} times"
    lasting = f"for {_span(one.seconds)}{again}" if one.seconds else f"{one.times} times"
    until = "still" if one.still else f"until {one.last}"
    yield f"{terminal.style(one.app, 'bold')}  {one.about}  {lasting} from {one.first}, {until}"
    yield f"  here {one.here}, Argo CD {one.argo_cd}"
    for reason in one.why[:_MORE]:
        yield f"    {reason}"
    if len(one.why) > _MORE:
        yield f"    and {len(one.why) - _MORE} more: -o json"


def _span(seconds: float) -> str:
    """Return a duration in its two largest units."""
    left, parts = int(seconds), []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or "0 s"
