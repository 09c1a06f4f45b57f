"""`syncline scenario`: list the stories that come with Syncline, and test that each comes to what it says."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup

_COMMANDS = {
    "list": ("syncline.cli.scenario.commands:list_stories", "List the stories that come with Syncline."),
    "show": ("syncline.cli.scenario.commands:show_story", "Tell a story: what was wrong, and what repairs it."),
    "test": ("syncline.cli.scenario.commands:test_story", "Play a story in virtual time and check every expectation."),
}


@click.group(cls=LazyGroup, commands_by_name=_COMMANDS)
def scenario() -> None:
    """List and play the stories of broken platforms that come with Syncline."""
