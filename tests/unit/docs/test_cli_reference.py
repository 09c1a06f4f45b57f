"""docs/reference/cli.md says what the commands say."""

import click
import pytest

from syncline.cli.main import cli
from tools import build_cli_reference as reference

COMMANDS = list(reference.commands(cli, click.Context(cli, info_name="syncline")))


def test_the_page_is_as_the_commands_are_now() -> None:
    assert reference.TARGET.read_text(encoding="utf-8") == reference.page(), (
        "docs/reference/cli.md is stale: run python tools/build_cli_reference.py"
    )


@pytest.mark.parametrize(("command", "context"), COMMANDS, ids=[context.command_path for _, context in COMMANDS])
def test_every_command_and_option_has_a_help_text(command: click.Command, context: click.Context) -> None:
    silent = [one.name for one in command.params if isinstance(one, click.Option) and not one.help]
    assert (bool(command.help), silent) == (True, [])


def test_the_first_page_of_help_says_what_the_commands_say() -> None:
    """It is written without importing the commands, so their words stand twice in the program."""
    context = click.Context(cli, info_name="syncline")
    formatter = click.HelpFormatter(width=200)
    cli.format_commands(context, formatter)
    own = [(name, cli.get_command(context, name)) for name in cli.list_commands(context)]
    assert [tuple(line.split(maxsplit=1)) for line in formatter.getvalue().splitlines()[1:]] == [
        (name, str(command.help).partition("\n\n")[0]) for name, command in own if command is not None
    ]
