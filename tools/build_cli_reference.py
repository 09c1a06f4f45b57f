"""Writes docs/reference/cli.md from the commands themselves: every command, argument and option with its help text.

Run as `python tools/build_cli_reference.py` after changing a command; a test fails while the page is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from syncline.cli.main import cli

TARGET = Path(__file__).parent.parent / "docs/reference/cli.md"
_HEAD = """\
# Command reference

Written by `python tools/build_cli_reference.py` from the help of the commands; change it there. Every command also has
`-h` and `--help`.

Exit codes: 0 fine · 1 the answer is no (failed sync, something to explain, timeout) · 2 could not answer · 130
interrupted · 141 the reader of the output has gone. Results go to standard output, everything else to standard error.

Switches also work in `argocd`'s form, `--prune=true` and `--cascade=false`. Started as `argocd`
(`ln -s "$(command -v syncline)" ~/bin/argocd`), the program runs scripts written for `argocd`. It uses the server named
by a flag, by `ARGOCD_SERVER` or by a login, otherwise the Kubernetes API; it ignores flags about the connection with a
note, reads `ARGOCD_OPTS`, prompts only where `argocd` would, and exits with 20 if it cannot answer. What is missing is
listed under [differences](differences.md#on-the-command-line).
"""


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield a command and all below it, each with the context that knows its full name."""
    yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            if below is not None and not below.hidden:
                yield from commands(below, click.Context(below, info_name=name, parent=context))


def section(command: click.Command, context: click.Context) -> str:
    """Return the part of the page on one command."""
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parts = [f"## {context.command_path}", f"```\n{usage}\n```", command.help or ""]
    if isinstance(command, click.Group):
        parts.append("\n".join(_below(command, context)))
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if options:
        rows = [_row(option, context) for option in options]
        parts.append("\n".join(["| option | meaning | default |", "|---|---|---|", *rows]))
    return "\n\n".join(part for part in parts if part)


def _below(command: click.Group, context: click.Context) -> Iterator[str]:
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        path = f"{context.command_path} {name}"
        if below is not None and not below.hidden:
            yield f"- [`{path}`](#{path.replace(' ', '-')}): {below.get_short_help_str(limit=200)}"


def _row(option: click.Option, context: click.Context) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {_value(option, context)}"
    meaning = option.help or ""
    says_so = "can be repeated" in meaning or "epeatable" in meaning
    several = " May be given several times." if option.multiple and not says_so else ""
    known = option.to_info_dict()["default"]  # None where click has a sentinel for "not set"
    given = not (option.is_flag or option.multiple or option.required or known in ("", None))
    default = f"`{known}`" if given else "required" if option.required else ""
    return f"| {names}{value} | {meaning}{several} | {default} |"


def _value(option: click.Option, context: click.Context) -> str:
    if isinstance(option.type, click.Choice):
        return " or ".join(f"`{choice}`" for choice in option.type.choices)
    return f"`{option.make_metavar(context)}`"


def page() -> str:
    """Return the whole page."""
    found = commands(cli, click.Context(cli, info_name="syncline"))
    return "\n".join([_HEAD, *(section(command, context) + "\n" for command, context in found)])


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
