"""`syncline completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click

from syncline.cli.choice import Choice
from syncline.cli.show import terminal

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=Choice(_SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> int:
    """Print the completion script of a shell, for example: source <(syncline completion bash)."""
    from click.shell_completion import get_completion_class

    program = context.find_root().info_name or "syncline"
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"no completion for {shell}")
    variable = f"_{program.replace('-', '_').upper()}_COMPLETE"
    terminal.echo(found(context.find_root().command, {}, program, variable).source(), nl=False)
    return 0
