"""Command groups that import a command only when it is run, so that `--help` is quick.

Used by `syncline.cli.main` and the groups below it with a table of name, place (`module:attribute`) and short help.
All groups take switches as `argocd` does: `--prune=true` is `--prune`, and `--cascade=false` is `--no-cascade`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Commands = Mapping[str, tuple[str, str]]


_YES = ("true", "t", "1", "yes")
_NO = ("false", "f", "0", "no")


class SwitchGroup(click.Group):
    """A group whose commands take `--switch=true` and `--switch=false` too."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and say its switches as click wants them."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None and not ctx.resilient_parsing:
            ctx.fail(" ".join(filter(None, [f"No such command {args[0]!r}.", self._meant(ctx, args[0])])))
        name, command, rest = super().resolve_command(ctx, args)
        return name, command, rest if command is None else with_plain_switches(command, rest)

    def _meant(self, ctx: click.Context, wanted: str) -> str:
        """Return the question whether a command with a like name was meant, or one of the same name further down."""
        from syncline.apimachinery.nearest import did_you_mean

        names = self.list_commands(ctx)
        groups = [(name, found) for name in names if isinstance(found := self.get_command(ctx, name), click.Group)]
        below = [f"{name} {wanted}" for name, group in groups if wanted in group.list_commands(ctx)]
        words = f"did you mean {' or '.join(below)}?" if below else did_you_mean(wanted, names)
        return words[:1].upper() + words[1:]


def with_plain_switches(command: click.Command, arguments: list[str]) -> list[str]:
    """Return the arguments of a command with `--name=true` as `--name`, and `--name=false` as its opposite."""
    switches = {
        name: option
        for option in command.params
        if isinstance(option, click.Option) and option.is_flag and not option.count
        for name in option.opts
    }
    found: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*found, *arguments[position:]]
        name, equals, value = argument.partition("=")
        if not equals or name not in switches:
            found.append(argument)
        elif value.lower() in _YES:
            found.append(name)
        elif value.lower() in _NO:
            found += switches[name].secondary_opts[:1]
        else:
            raise click.UsageError(f"{argument}: a switch is true or false")
    return found


class LazyGroup(SwitchGroup):
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
