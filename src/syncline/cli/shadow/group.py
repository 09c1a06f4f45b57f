"""`syncline shadow record` and `syncline shadow report`."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_COMMANDS = {
    "record": ("syncline.cli.shadow.record:record", "Watch beside Argo CD and record both verdicts; writes nothing."),
    "report": ("syncline.cli.shadow.report:report", "List every disagreement of a recording, with its reason."),
}


@click.group(cls=LazyGroup, commands_by_name=_COMMANDS)
def shadow() -> None:
    """Compare verdicts and decisions with those of a running Argo CD, over days."""
