"""Asks before something is changed for good; nobody at the keyboard means no."""

from __future__ import annotations

import sys

import click

from syncline.apimachinery.printable import printable
from syncline.cli.show import terminal
from syncline.model.errors import NeedsUser


def agreed(question: str) -> bool:
    """Return whether the user says yes."""
    try:
        return click.confirm(printable(question), err=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        terminal.echo(err=True)
        return False


def agree(words: str, question: str, otherwise: str = "nothing was deleted") -> None:
    """Return when the user says yes; raises a sentence otherwise."""
    if not agreed(f"{words}: {question}"):
        raise NeedsUser(otherwise, hint="answer yes, or pass --yes")
