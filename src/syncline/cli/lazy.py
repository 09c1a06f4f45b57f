"""Command groups that import a command only when it is run, so that `--help` is quick.

Used by `syncline.cli.main` and `syncline.cli.admin` with a table of name, place (`module:attribute`) and short help.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Commands = Mapping[str, tuple[str, str]]


class LazyGroup(click.Group):
    """A group over a table of commands."""

    def __init__(self, *args: Any, commands_by_name: Commands, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._places = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click hands it over
        """Return all names, in the order of the table."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return one command."""
        if cmd_name not in self._places:
            return None
        module, _, name = self._places[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table, without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self._places.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name, without importing anything."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=text) for name, (_, text) in self._places.items() if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]
